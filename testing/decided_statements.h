// Tables of statements that the generator writes of definitions, decided.
#ifndef TESSERA_TESTING_DECIDED_STATEMENTS_H_
#define TESSERA_TESTING_DECIDED_STATEMENTS_H_

#include <string>
#include <vector>

#include "solver/statements.h"

namespace tessera::testing {

// What the prover says of each, in order. The test fails where the table cannot be read.
std::vector<solver::StatementOutcome> DecidedStatements(const std::string& path);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_DECIDED_STATEMENTS_H_
