// Claims as SMT-LIB 2 queries that any solver of integer arithmetic takes.
#ifndef TESSERA_SOLVER_CERTIFICATE_SMTLIB_H_
#define TESSERA_SOLVER_CERTIFICATE_SMTLIB_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/problem.h"

namespace tessera::certificate {

// A query whose answer is `unsat` iff the claim holds for all values that symbols and facts of the
// problem admit; `sat` comes with values for which it does not. Of symbols and facts it has the
// claim's neighbourhood.
std::string ToSmtLib(const Problem& problem, const Claim& claim);

// The same with least values of 1 where symbols have greater ones: `unsat` says as much, `sat`
// nothing. Products of sizes are at times decided so, and not with `H >= 40`. Empty: no symbol has.
std::string ToWiderSmtLib(const Problem& problem, const Claim& claim);

// Writes the `smt2` of each obligation that is the first with its statement. Errors: those of
// Problem::Read, and a statement that is no claim.
absl::Status FillSmtLib(Certificate& certificate);

// A symbol's name in queries: `$`, then its letters, digits, `_` and `.`; other bytes as `%` and
// two hexadecimal digits. No keyword or function of SMT-LIB begins with `$`.
std::string SmtLibName(std::string_view symbol);

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_SMTLIB_H_
