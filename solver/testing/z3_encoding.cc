#include "solver/testing/z3_encoding.h"

namespace tessera::solver {

z3::expr Z3Encoding::Integer(const z3::expr& e) {
  return e.is_bool() ? z3::ite(e, context_.int_val(1), context_.int_val(0)) : e;
}

z3::expr Z3Encoding::Truth(const z3::expr& e) { return e.is_bool() ? e : e != 0; }

z3::expr Z3Encoding::FloorOf(const z3::expr& n, const z3::expr& d) {
  definitions_.push_back(d >= 1);
  // A number is no symbol's name.
  const z3::expr q = context_.constant(context_.int_symbol(fresh_++), context_.int_sort());
  definitions_.push_back(d * q <= n);
  definitions_.push_back(n <= d * q + d - 1);
  return q;
}

z3::expr Z3Encoding::Apply(Op op, const z3::expr& a, const z3::expr& b) {
  switch (op) {
    case Op::kNegate:
      return -a;
    case Op::kAbs:
      return z3::ite(a >= 0, a, -a);
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kFloorDiv:
      return FloorOf(a, b);
    case Op::kCeilDiv:
      return -FloorOf(-a, b);
    case Op::kMod:
      return a - b * FloorOf(a, b);
    case Op::kTruncDiv:
      return z3::ite(a >= 0, FloorOf(a, b), -FloorOf(-a, b));
    case Op::kMin:
      return z3::ite(a <= b, a, b);
    case Op::kMax:
      return z3::ite(a >= b, a, b);
    case Op::kEq:
      return a == b;
    case Op::kNe:
      return a != b;
    case Op::kLt:
      return a < b;
    case Op::kLe:
      return a <= b;
    case Op::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

z3::expr Z3Encoding::Encode(const Syntax& syntax) {
  std::vector<z3::expr> values;
  for (const SyntaxNode& node : syntax.nodes) {
    const auto operand = [&](int i) { return values[node.operands[i]]; };
    switch (node.op) {
      case Op::kInteger:
        values.push_back(context_.int_val(node.value));
        break;
      case Op::kSymbol:
        values.push_back(
            context_.int_const(syntax.symbols[static_cast<size_t>(node.value)].c_str()));
        break;
      case Op::kNot:
        values.push_back(!Truth(operand(0)));
        break;
      case Op::kAnd:
        values.push_back(Truth(operand(0)) && Truth(operand(1)));
        break;
      case Op::kOr:
        values.push_back(Truth(operand(0)) || Truth(operand(1)));
        break;
      case Op::kIte:
        values.push_back(z3::ite(Truth(operand(0)), Integer(operand(1)), Integer(operand(2))));
        break;
      default:
        values.push_back(Apply(node.op, Integer(operand(0)), Integer(operand(1))));
    }
  }
  return values.back();
}

}  // namespace tessera::solver
