// Whether the sizes for which a certificate speaks are those that model and options say.
#ifndef TESSERA_RECHECK_SYMBOLS_H_
#define TESSERA_RECHECK_SYMBOLS_H_

#include <string>
#include <vector>

#include "recheck/session.h"
#include "solver/certificate/certificate.h"

namespace tessera::recheck {

// What is wrong with ranges, remainders, equal dims and facts.
std::vector<std::string> CheckSymbols(const certificate::Certificate& certificate,
                                      Session& session);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_SYMBOLS_H_
