// A ledger as a table for people.
#ifndef TESSERA_TOOLS_PROVING_TABLE_H_
#define TESSERA_TOOLS_PROVING_TABLE_H_

#include <string>

#include "ir/graph.h"
#include "solver/prove.h"
#include "tools/proving/discharge.h"

namespace tessera::proving {

// One row for each statement: what became of it, by what, in how many microseconds (from what it
// compares to the verdict, once more), for how many operations and where first. Then a line with
// the counts. `whole`: statements are not cut. Also a note for constraints over numbers alone,
// which are checked as the graph is built and have no rows; and what data decide.
std::string LedgerTable(const ir::Graph& graph, const Ledger& ledger, solver::Prover& prover,
                        bool whole);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_TABLE_H_
