#include "solver/testing/random_terms.h"

#include <algorithm>

namespace tessera::solver {

uint32_t Choices::Below(uint32_t n) {
  if (from_bytes_) {
    uint32_t value = 0;
    for (uint32_t range = 1; range < n && !bytes_.empty(); range *= 256) {
      value = value * 256 + bytes_[0];
      bytes_.remove_prefix(1);
    }
    return value % n;
  }
  state_ += 0x9E3779B97F4A7C15;
  uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return static_cast<uint32_t>(((x >> 32) * n) >> 32);
}

size_t Terms::Size(Id id, size_t most) const {
  size_t size = 1;
  for (int i = 0; i < OperandCount(nodes_[id].op) && size < most; ++i)
    size += Size(nodes_[id].operands[i], most - size);
  return size;
}

Syntax Terms::Extract(Id root, const std::vector<std::string>& symbols) const {
  Syntax syntax;
  syntax.symbols = symbols;
  std::vector<uint32_t> place(root + 1, ~uint32_t{0});
  std::vector<char> used(root + 1);
  used[root] = 1;
  for (Id id = root + 1; id-- > 0;) {
    if (!used[id]) continue;
    for (int i = 0; i < OperandCount(nodes_[id].op); ++i) used[nodes_[id].operands[i]] = 1;
  }
  for (Id id = 0; id <= root; ++id) {
    if (!used[id]) continue;
    SyntaxNode node = nodes_[id];
    for (int i = 0; i < 3; ++i)
      node.operands[i] = i < OperandCount(node.op) ? place[node.operands[i]] : 0;
    place[id] = static_cast<uint32_t>(syntax.nodes.size());
    syntax.nodes.push_back(node);
  }
  return syntax;
}

std::vector<std::string> SymbolsOf(const Grammar& grammar) {
  static constexpr const char* kFree[] = {"x", "y", "z"};
  static constexpr const char* kDivisors[] = {"A", "B"};
  std::vector<std::string> names(kFree, kFree + grammar.free_symbols);
  names.insert(names.end(), kDivisors, kDivisors + grammar.divisor_symbols);
  return names;
}

Terms::Id RandomDivisor(Choices& choices, const Grammar& grammar, Terms& terms) {
  static constexpr int64_t kDivisors[] = {2, 3, 4, 5, 6, 7, 8, 12, 16};
  const auto constant = [&] { return terms.Integer(kDivisors[choices.Below(9)]); };
  if (grammar.divisor_symbols == 0 || choices.OneIn(2)) return constant();
  const Terms::Id a = terms.Symbol(grammar.free_symbols +
                                   choices.Below(static_cast<uint32_t>(grammar.divisor_symbols)));
  switch (choices.Below(6)) {
    case 0:
      return terms.Make(Op::kMultiply, a, constant());
    case 1:
      return terms.Make(Op::kAdd, a, terms.Integer(choices.Below(4)));
    case 2:
      return terms.Make(Op::kMultiply, a, terms.Symbol(SymbolsOf(grammar).size() - 1));
    default:
      return a;
  }
}

namespace {

Terms::Id Term(Choices& choices, const Grammar& grammar, int depth, Terms& terms);

Terms::Id Proposition(Choices& choices, const Grammar& grammar, int depth, Terms& terms) {
  const auto operand = [&] { return Term(choices, grammar, depth - 1, terms); };
  const auto part = [&] { return Proposition(choices, grammar, depth - 1, terms); };
  static constexpr Op kComparisons[] = {Op::kEq, Op::kNe, Op::kLt, Op::kLe, Op::kGt, Op::kGe};
  if (depth >= 2 && choices.OneIn(4)) {
    const Terms::Id a = part();
    switch (choices.Below(3)) {
      case 0:
        return terms.Make(Op::kNot, a);
      case 1:
        return terms.Make(Op::kAnd, a, part());
      default:
        return terms.Make(Op::kOr, a, part());
    }
  }
  const Op op = kComparisons[choices.Below(6)];
  const Terms::Id a = operand();
  return terms.Make(op, a, operand());
}

Terms::Id Term(Choices& choices, const Grammar& grammar, int depth, Terms& terms) {
  const size_t symbols = grammar.free_symbols + grammar.divisor_symbols;
  if (depth <= 0 || choices.OneIn(8)) {
    if (choices.OneIn(3)) return terms.Integer(static_cast<int64_t>(choices.Below(25)) - 8);
    return terms.Symbol(choices.Below(static_cast<uint32_t>(symbols)));
  }
  const auto operand = [&] { return Term(choices, grammar, depth - 1, terms); };
  const Terms::Id a = operand();
  switch (choices.Below(grammar.choices ? 17 : 10)) {
    case 0:
    case 1:
      return terms.Make(Op::kAdd, a, operand());
    case 2:
      return terms.Make(Op::kSubtract, a, operand());
    case 3:
      return terms.Make(Op::kMultiply, a,
                        terms.Integer(static_cast<int64_t>(choices.Below(17)) - 8));
    case 4:
      return terms.Make(Op::kMultiply, a, Term(choices, grammar, std::min(depth - 1, 1), terms));
    case 5:
    case 6:
      return terms.Make(Op::kFloorDiv, a, RandomDivisor(choices, grammar, terms));
    case 7:
    case 8:
      return terms.Make(Op::kMod, a, RandomDivisor(choices, grammar, terms));
    case 9:
      return terms.Make(Op::kCeilDiv, a, RandomDivisor(choices, grammar, terms));
    case 10:
      return terms.Make(Op::kTruncDiv, a, RandomDivisor(choices, grammar, terms));
    case 11:
    case 12:
      return terms.Make(Op::kMin, a, operand());
    case 13:
    case 14:
      return terms.Make(Op::kMax, a, operand());
    case 15:
      return terms.Make(Op::kAbs, a);
    default: {
      const Terms::Id c = Proposition(choices, grammar, depth - 1, terms);
      return terms.Make(Op::kIte, c, a, operand());
    }
  }
}

bool Checked(bool overflow) { return !overflow; }

}  // namespace

Terms::Id RandomTerm(Choices& choices, const Grammar& grammar, Terms& terms) {
  return Term(choices, grammar, grammar.depth, terms);
}

Terms::Id RandomProposition(Choices& choices, const Grammar& grammar, Terms& terms) {
  return Proposition(choices, grammar, grammar.depth, terms);
}

bool PlainEvaluator::Evaluate(const Syntax& syntax, absl::Span<const int64_t> symbols,
                              int64_t* value) {
  values_.resize(syntax.nodes.size());
  defined_.resize(syntax.nodes.size());
  for (size_t i = 0; i < syntax.nodes.size(); ++i) {
    const SyntaxNode& node = syntax.nodes[i];
    const int64_t a = values_[node.operands[0]];
    const int64_t b = values_[node.operands[1]];
    const int count = OperandCount(node.op);
    const bool has_a = count < 1 || defined_[node.operands[0]];
    const bool has_b = count < 2 || defined_[node.operands[1]];
    int64_t r = 0;
    bool ok = has_a && has_b;
    // Quotient towards zero, corrected to the floor; b >= 1.
    const auto floor = [&] {
      ok = ok && b >= 1;
      return !ok ? 0 : a / b - ((a % b) < 0);
    };
    switch (node.op) {
      case Op::kInteger:
        r = node.value;
        break;
      case Op::kSymbol:
        r = symbols[static_cast<size_t>(node.value)];
        break;
      case Op::kNegate:
        ok = Checked(__builtin_sub_overflow(int64_t{0}, a, &r)) && ok;
        break;
      case Op::kNot:
        r = a == 0;
        break;
      case Op::kAbs:
        r = a;
        if (a < 0) ok = Checked(__builtin_sub_overflow(int64_t{0}, a, &r)) && ok;
        break;
      case Op::kAdd:
        ok = Checked(__builtin_add_overflow(a, b, &r)) && ok;
        break;
      case Op::kSubtract:
        ok = Checked(__builtin_sub_overflow(a, b, &r)) && ok;
        break;
      case Op::kMultiply:
        ok = Checked(__builtin_mul_overflow(a, b, &r)) && ok;
        break;
      case Op::kFloorDiv:
        r = floor();
        break;
      case Op::kCeilDiv:
        r = floor();
        if (ok && a % b != 0) ++r;
        break;
      case Op::kMod:
        r = floor();
        if (ok) r = a - b * r;
        break;
      case Op::kTruncDiv:
        ok = ok && b >= 1;
        if (ok) r = a / b;
        break;
      case Op::kMin:
        r = std::min(a, b);
        break;
      case Op::kMax:
        r = std::max(a, b);
        break;
      case Op::kEq:
        r = a == b;
        break;
      case Op::kNe:
        r = a != b;
        break;
      case Op::kLt:
        r = a < b;
        break;
      case Op::kLe:
        r = a <= b;
        break;
      case Op::kGt:
        r = a > b;
        break;
      case Op::kGe:
        r = a >= b;
        break;
      case Op::kAnd:
        r = a != 0 && b != 0;
        ok = ok || (has_a && a == 0);
        break;
      case Op::kOr:
        r = a != 0 || b != 0;
        ok = ok || (has_a && a != 0);
        break;
      case Op::kIte: {
        const uint32_t taken = node.operands[a != 0 ? 1 : 2];
        r = values_[taken];
        ok = has_a && defined_[taken];
        break;
      }
    }
    values_[i] = ok ? r : 0;
    defined_[i] = ok;
  }
  *value = values_.back();
  return defined_.back() != 0;
}

}  // namespace tessera::solver
