#include "solver/definedness.h"

namespace tessera::solver::internal {
namespace {

bool IsDivision(Op op) {
  return op == Op::kFloorDiv || op == Op::kCeilDiv || op == Op::kMod || op == Op::kTruncDiv;
}

}  // namespace

std::vector<Division> OpenDivisions(Context& context, const Syntax& syntax) {
  const std::vector<SyntaxNode>& nodes = syntax.nodes;
  std::vector<Expr> values;
  for (const SyntaxNode& node : nodes) {
    values.push_back(node.op == Op::kInteger ? Expr(node.value)
                     : node.op == Op::kSymbol
                         ? context.Symbol(syntax.symbols[static_cast<size_t>(node.value)])
                         : Build(node.op, values[node.operands[0]], values[node.operands[1]],
                                 values[node.operands[2]]));
  }
  // From the statement down: what uses a node comes after it.
  std::vector<Expr> reached(nodes.size());
  if (!reached.empty()) reached.back() = 1;
  for (size_t i = nodes.size(); i-- > 0;) {
    const SyntaxNode& node = nodes[i];
    const Expr first = values[node.operands[0]];
    for (int k = 0; k < OperandCount(node.op); ++k) {
      Expr here = reached[i];
      if (k > 0 && (node.op == Op::kAnd || (node.op == Op::kIte && k == 1))) {
        here = And(here, first);
      } else if (k > 0 && (node.op == Op::kOr || node.op == Op::kIte)) {
        here = And(here, Not(first));
      }
      Expr& operand = reached[node.operands[k]];
      operand = Or(operand, here);
    }
  }
  std::vector<Division> divisions;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!IsDivision(nodes[i].op)) continue;
    const Expr divisor = values[nodes[i].operands[1]];
    if (divisor.IsInvalid() || RangeOf(divisor).lo >= 1 || reached[i] == Expr(0)) continue;
    divisions.push_back({reached[i], divisor});
  }
  return divisions;
}

}  // namespace tessera::solver::internal
