// The order of a certificate's lists. Of most of them it says nothing: files have them in one order
// all the same, so that one certificate is one text, and a list that was moved about is noticed.
#ifndef TESSERA_SOLVER_CERTIFICATE_ORDER_H_
#define TESSERA_SOLVER_CERTIFICATE_ORDER_H_

#include <string>
#include <vector>

#include "solver/certificate/certificate.h"

namespace tessera::certificate {

// Sorts options by text, data by file, symbols by name, facts by statement, and obligations by
// stage, node, op, id, statement and scopes, those of the stage `device` last, as they stand.
// Queries stay with the first of equal statements. Terms, inputs, outputs and operations have the
// order in which they came about.
void PutInOrder(Certificate& certificate);

// What is not in that order, e.g. `/symbols/1`: a list of places with the reason. Terms must be
// numbered in turn. Empty: all is.
std::vector<std::string> OutOfOrder(const Certificate& certificate);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_ORDER_H_
