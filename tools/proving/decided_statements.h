// The different statements behind a ledger, and what deciding each takes.
#ifndef TESSERA_TOOLS_PROVING_DECIDED_STATEMENTS_H_
#define TESSERA_TOOLS_PROVING_DECIDED_STATEMENTS_H_

#include <string>
#include <vector>

#include "ir/graph.h"
#include "solver/prove.h"
#include "tools/proving/discharge.h"

namespace tessera::proving {

struct DecidedStatement {
  const Entry* entry;  // the first with this statement
  std::string text;    // as it was computed
  int count = 0;       // entries with the same constraint and statement
  double microseconds =
      0;  // from what it compares to its verdict, in a copy of the graph's context
};

// Decides each statement of `ledger`, whose graph is `graph`, once more. In the order of the
// ledger.
std::vector<DecidedStatement> DecideAgain(const ir::Graph& graph, const Ledger& ledger,
                                          solver::Prover& prover);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_DECIDED_STATEMENTS_H_
