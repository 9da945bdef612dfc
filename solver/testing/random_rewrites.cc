#include "solver/testing/random_rewrites.h"

#include <algorithm>

namespace tessera::solver {
namespace {

using Id = Terms::Id;

bool IsProposition(Op op) {
  return op == Op::kNot || op == Op::kAnd || op == Op::kOr || (op >= Op::kEq && op <= Op::kGe);
}

class Rewriter {
 public:
  Rewriter(Choices& choices, const Grammar& grammar, Terms& terms)
      : choices_(choices), grammar_(grammar), terms_(terms) {}

  // Walks down from `id` at random and applies `change` where it stops.
  template <typename Change>
  Id Somewhere(Id id, Change change) {
    const SyntaxNode node = terms_[id];
    const int count = OperandCount(node.op);
    if (count == 0 || choices_.OneIn(4)) return change(id);
    uint32_t operands[3] = {node.operands[0], node.operands[1], node.operands[2]};
    const uint32_t i = choices_.Below(static_cast<uint32_t>(count));
    // Divisors stay as they are: a change of sign on the way would leave them undefined.
    const bool divides = node.op == Op::kFloorDiv || node.op == Op::kCeilDiv ||
                         node.op == Op::kMod || node.op == Op::kTruncDiv;
    operands[divides ? 0 : i] = Somewhere(operands[divides ? 0 : i], change);
    return terms_.Make(node.op, operands[0], operands[1], operands[2], node.value);
  }

  Id Equal(Id e) {
    const Op op = terms_[e].op;
    if (IsProposition(op)) return EqualProposition(e);
    // Half of the time by the form, if there is something to do with it.
    if (choices_.OneIn(2)) {
      const Id result = ByForm(e);
      if (result != e) return result;
    }
    return OfAny(e);
  }

  Id Different(Id e) {
    const SyntaxNode node = terms_[e];
    const Id a = node.operands[0];
    const Id b = node.operands[1];
    switch (node.op) {
      case Op::kInteger:
        return Number(node.value + (choices_.OneIn(2) ? 1 : -1));
      case Op::kFloorDiv:
        return Make(choices_.OneIn(2) ? Op::kCeilDiv : Op::kMod, a, b);
      case Op::kCeilDiv:
        return Make(Op::kFloorDiv, a, b);
      case Op::kMod:
        return Make(Op::kMod, Make(Op::kAdd, a, Number(1)), b);
      case Op::kMin:
        return Make(Op::kMax, a, b);
      case Op::kMax:
        return Make(Op::kMin, a, b);
      case Op::kLt:
        return Make(Op::kLe, a, b);
      case Op::kGe:
        return Make(Op::kGt, a, b);
      case Op::kEq:
        return Make(Op::kLe, a, b);
      case Op::kAdd:
        return Make(Op::kSubtract, a, b);
      default:
        break;
    }
    if (IsProposition(node.op)) return Make(Op::kNot, e);
    if (choices_.OneIn(2)) return Make(Op::kMultiply, e, Number(2));
    return Make(Op::kAdd, e, Number(choices_.OneIn(2) ? 1 : -1));
  }

 private:
  Id Make(Op op, Id a, Id b = 0, Id c = 0) { return terms_.Make(op, a, b, c); }
  Id Number(int64_t value) { return terms_.Integer(value); }
  Id Leaf() {
    return terms_.Symbol(
        choices_.Below(static_cast<uint32_t>(grammar_.free_symbols + grammar_.divisor_symbols)));
  }
  Id Divisor() { return RandomDivisor(choices_, grammar_, terms_); }

  Id OfAny(Id e) {
    switch (choices_.Below(grammar_.choices ? 13 : 9)) {
      case 0: {
        const Id t = choices_.OneIn(2) ? Leaf() : Make(Op::kFloorDiv, Leaf(), Divisor());
        return Make(Op::kSubtract, Make(Op::kAdd, e, t), t);
      }
      case 1: {
        const Id d = Divisor();
        return Make(Op::kFloorDiv, Make(Op::kMultiply, e, d), d);
      }
      case 2: {
        const int64_t d = 2 + choices_.Below(15);
        const Id sum = Make(Op::kAdd, Make(Op::kMultiply, e, Number(d)),
                            Number(choices_.Below(static_cast<uint32_t>(d))));
        return Make(Op::kFloorDiv, sum, Number(d));
      }
      case 3: {
        const Id d = Divisor();
        return Make(Op::kAdd, Make(Op::kMultiply, Make(Op::kFloorDiv, e, d), d),
                    Make(Op::kMod, e, d));
      }
      case 4: {
        const Id d = Divisor();
        return Make(Op::kSubtract, Make(Op::kMultiply, d, Make(Op::kCeilDiv, e, d)),
                    Make(Op::kMod, Make(Op::kNegate, e), d));
      }
      case 5:
        return Make(Op::kNegate, Make(Op::kNegate, e));
      case 6: {
        const int64_t k = choices_.Below(9);
        return Make(Op::kSubtract, Make(Op::kAdd, e, Number(k)), Number(k));
      }
      case 7: {
        const Id d = Divisor();
        const Id sum = Make(Op::kAdd, Make(Op::kMultiply, e, d), Make(Op::kMod, Leaf(), d));
        return Make(Op::kFloorDiv, sum, d);
      }
      case 8: {
        // Halves: e = floor(e/2) + ceil(e/2).
        return Make(Op::kAdd, Make(Op::kFloorDiv, e, Number(2)), Make(Op::kCeilDiv, e, Number(2)));
      }
      case 9:
        return Make(Op::kMin, e, Make(Op::kAdd, e, Number(choices_.Below(5))));
      case 10:
        return Make(Op::kMax, Make(Op::kSubtract, e, Make(Op::kMod, Leaf(), Divisor())), e);
      case 11: {
        const Id c = Make(choices_.OneIn(2) ? Op::kLe : Op::kEq, Leaf(), Leaf());
        return Make(Op::kIte, c, e, e);
      }
      default: {
        const Id t = Leaf();
        return Make(Op::kSubtract, Make(Op::kAdd, Make(Op::kMin, e, t), Make(Op::kMax, e, t)), t);
      }
    }
  }

  // `e` itself where its form offers nothing.
  Id ByForm(Id e) {
    const SyntaxNode node = terms_[e];
    const Id a = node.operands[0];
    const Id b = node.operands[1];
    const SyntaxNode x = terms_[a];
    switch (node.op) {
      case Op::kAdd:
        if (x.op == Op::kAdd && choices_.OneIn(2))
          return Make(Op::kAdd, x.operands[0], Make(Op::kAdd, x.operands[1], b));
        if (choices_.OneIn(3)) return Make(Op::kSubtract, a, Make(Op::kNegate, b));
        return Make(Op::kAdd, b, a);
      case Op::kSubtract:
        return Make(Op::kAdd, a, Make(Op::kNegate, b));
      case Op::kMultiply:
        if (x.op == Op::kAdd || x.op == Op::kSubtract)
          return Make(x.op, Make(Op::kMultiply, x.operands[0], b),
                      Make(Op::kMultiply, x.operands[1], b));
        return Make(Op::kMultiply, b, a);
      case Op::kFloorDiv:
        if (terms_[b].op == Op::kInteger) {
          const int64_t d = terms_[b].value;
          for (int64_t f = 2; f < d; ++f) {
            if (d % f == 0)
              return Make(Op::kFloorDiv, Make(Op::kFloorDiv, a, Number(f)), Number(d / f));
          }
        }
        if (choices_.OneIn(2))
          return Make(Op::kNegate, Make(Op::kCeilDiv, Make(Op::kNegate, a), b));
        return Scaled(Op::kFloorDiv, a, b);
      case Op::kCeilDiv:
        if (choices_.OneIn(2))
          return Make(Op::kFloorDiv, Make(Op::kSubtract, Make(Op::kAdd, a, b), Number(1)), b);
        return Make(Op::kNegate, Make(Op::kFloorDiv, Make(Op::kNegate, a), b));
      case Op::kMod:
        switch (choices_.Below(4)) {
          case 0:
            return Make(Op::kSubtract, a, Make(Op::kMultiply, b, Make(Op::kFloorDiv, a, b)));
          case 1:
            return Make(Op::kMod, Make(Op::kMod, a, Make(Op::kMultiply, b, Divisor())), b);
          case 2:
            return Make(Op::kMod, Make(Op::kAdd, a, Make(Op::kMultiply, b, Leaf())), b);
          default:
            if (x.op != Op::kAdd && x.op != Op::kSubtract && x.op != Op::kMultiply)
              return Make(Op::kMod, Make(Op::kMod, a, b), b);
            return Make(
                Op::kMod,
                Make(x.op, Make(Op::kMod, x.operands[0], b), Make(Op::kMod, x.operands[1], b)), b);
        }
      case Op::kTruncDiv:
        return Make(Op::kIte, Make(Op::kGe, a, Number(0)), Make(Op::kFloorDiv, a, b),
                    Make(Op::kCeilDiv, a, b));
      case Op::kMin:
      case Op::kMax: {
        const Op other = node.op == Op::kMin ? Op::kMax : Op::kMin;
        switch (choices_.Below(4)) {
          case 0:
            return Make(node.op, b, a);
          case 1:
            return Make(Op::kSubtract, Make(Op::kAdd, a, b), Make(other, a, b));
          case 2:
            return Make(Op::kIte, Make(node.op == Op::kMin ? Op::kLe : Op::kGe, a, b), a, b);
          default:
            return Make(Op::kNegate, Make(other, Make(Op::kNegate, a), Make(Op::kNegate, b)));
        }
      }
      case Op::kAbs:
        return Make(Op::kMax, a, Make(Op::kNegate, a));
      case Op::kIte:
        return Make(Op::kIte, Make(Op::kNot, a), node.operands[2], b);
      default:
        return e;
    }
  }

  Id Scaled(Op op, Id a, Id b) {
    const Id d = Divisor();
    return Make(op, Make(Op::kMultiply, a, d), Make(Op::kMultiply, b, d));
  }

  Id EqualProposition(Id e) {
    const SyntaxNode node = terms_[e];
    const Id a = node.operands[0];
    const Id b = node.operands[1];
    switch (node.op) {
      case Op::kEq:
        return choices_.OneIn(2) ? Make(Op::kEq, b, a)
                                 : Make(Op::kAnd, Make(Op::kLe, a, b), Make(Op::kGe, a, b));
      case Op::kNe:
        return choices_.OneIn(2) ? Make(Op::kNot, Make(Op::kEq, a, b))
                                 : Make(Op::kOr, Make(Op::kLt, a, b), Make(Op::kGt, a, b));
      case Op::kLt:
        return choices_.OneIn(2) ? Make(Op::kNot, Make(Op::kGe, a, b))
                                 : Make(Op::kLe, Make(Op::kAdd, a, Number(1)), b);
      case Op::kLe:
        return choices_.OneIn(2)
                   ? Make(Op::kGe, b, a)
                   : Make(Op::kLe, Make(Op::kMultiply, a, Number(3)),
                          Make(Op::kAdd, Make(Op::kMultiply, b, Number(3)), Number(2)));
      case Op::kGt:
        return Make(Op::kLt, b, a);
      case Op::kGe:
        return Make(Op::kGe, Make(Op::kSubtract, a, b), Number(0));
      case Op::kAnd:
        return Make(Op::kNot, Make(Op::kOr, Make(Op::kNot, a), Make(Op::kNot, b)));
      case Op::kOr:
        return Make(Op::kNot, Make(Op::kAnd, Make(Op::kNot, a), Make(Op::kNot, b)));
      default:
        return Make(Op::kEq, a, Number(0));
    }
  }

  Choices& choices_;
  const Grammar& grammar_;
  Terms& terms_;
};

}  // namespace

Id Rewrite(Choices& choices, const Grammar& grammar, Terms& terms, Id root) {
  Rewriter rewriter(choices, grammar, terms);
  return rewriter.Somewhere(root, [&](Id id) { return rewriter.Equal(id); });
}

Id Perturb(Choices& choices, const Grammar& grammar, Terms& terms, Id root) {
  Rewriter rewriter(choices, grammar, terms);
  return rewriter.Somewhere(root, [&](Id id) { return rewriter.Different(id); });
}

}  // namespace tessera::solver
