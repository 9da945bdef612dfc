#include "tools/proving/decided_statements.h"

#include <chrono>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "solver/copy.h"
#include "solver/syntax.h"

namespace tessera::proving {
namespace {

// A comparison whose sides are known: shape inference computes those whether or not anything is
// required of them.
class Comparison {
 public:
  // `syntax` is about symbols of `context`.
  Comparison(solver::Context& context, const solver::Syntax& syntax)
      : context_(context), syntax_(syntax), op_(syntax.nodes.back().op) {
    if (op_ < solver::Op::kEq || op_ > solver::Op::kGe) return;
    for (size_t i : {0, 1}) {
      solver::Syntax side = syntax;
      side.nodes.resize(syntax.nodes.back().operands[i] + 1);
      sides_[i] = solver::Build(context, side);
    }
  }

  solver::Expr Statement() const {
    switch (op_) {
      case solver::Op::kEq:
        return solver::Eq(sides_[0], sides_[1]);
      case solver::Op::kNe:
        return solver::Ne(sides_[0], sides_[1]);
      case solver::Op::kLt:
        return solver::Lt(sides_[0], sides_[1]);
      case solver::Op::kLe:
        return solver::Le(sides_[0], sides_[1]);
      case solver::Op::kGt:
        return solver::Gt(sides_[0], sides_[1]);
      case solver::Op::kGe:
        return solver::Ge(sides_[0], sides_[1]);
      default:
        return solver::Build(context_, syntax_);
    }
  }

 private:
  solver::Context& context_;
  const solver::Syntax& syntax_;
  const solver::Op op_;
  solver::Expr sides_[2];
};

}  // namespace

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
    const Comparison comparison(*apart, syntax);
    const auto start = std::chrono::steady_clock::now();
    prover.Prove(*apart, comparison.Statement());
    statement.microseconds =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  }
  return statements;
}

}  // namespace tessera::proving
