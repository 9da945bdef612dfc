#include "tools/proving/decided_statements.h"

#include <chrono>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "solver/copy.h"
#include "solver/syntax.h"

namespace tessera::proving {
std::vector<DecidedStatement> DecideAgain(const ir::Graph& graph, const Ledger& ledger,
                                          solver::Prover& prover) {
  std::vector<DecidedStatement> statements;
  absl::flat_hash_map<std::pair<std::string, std::string>, size_t> places;
  for (const Entry& entry : ledger.entries()) {
    std::string text = solver::ToText(solver::DerivationOf(entry.obligation.predicate));
    const auto [it, fresh] =
        places.try_emplace({entry.obligation.constraint, text}, statements.size());
    if (fresh) statements.push_back({&entry, std::move(text)});
    ++statements[it->second].count;
  }
  for (DecidedStatement& statement : statements) {
    const std::unique_ptr<solver::Context> apart = solver::Copy(graph.context());
    const solver::Syntax syntax = solver::DerivationOf(statement.entry->obligation.predicate);
    // Shape inference computes the sides of a comparison whether or not it is required.
    const auto sides = solver::SidesOf(syntax);
    solver::Expr left, right;
    if (sides) {
      left = solver::Build(*apart, sides->first);
      right = solver::Build(*apart, sides->second);
    }
    const auto start = std::chrono::steady_clock::now();
    prover.Prove(*apart, sides ? solver::Build(syntax.nodes.back().op, left, right)
                               : solver::Build(*apart, syntax));
    statement.microseconds =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
  return statements;
}

}  // namespace tessera::proving
