// What must hold of every instance: all that computes an op from its definition agrees.
#ifndef TESSERA_TESTING_SAMPLING_AGREEMENT_H_
#define TESSERA_TESTING_SAMPLING_AGREEMENT_H_

#include <functional>
#include <map>
#include <string>

#include "testing/sampling/instance.h"

namespace tessera::testing {

// Empty: it holds. What could not be looked at is counted in `seen`, by name, as is what was.
using Seen = std::map<std::string, int>;
using Property = std::function<std::string(const Subject&, const Instance&, Seen& seen)>;

// `ref` = `fast` = the executor = folding; sizes and elements in the symbolic domain, evaluated,
// are those of the concrete one; the text of the graph is read back as the same graph.
std::string CheckAgreement(const Subject& subject, const Instance& instance, Seen& seen);

// How far apart two ways of computing may be, relative to the larger of 1 and the magnitude: the
// last bits of what the dtype holds.
double ToleranceOf(ir::DType dtype);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_AGREEMENT_H_
