#include "solver/certificate/evaluate.h"

#include <limits>

namespace tessera::certificate {
namespace {

using Wide = __int128;

Wide FloorDiv(Wide a, Wide b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

Evaluator::Evaluator(const Claim& claim) : claim_(claim), values_(claim.statement.terms.size()) {}

// Terms are evaluated in their order, each once, without recursion. That a term need not be
// evaluated shows in its state being ignored by those that do not use it.
Evaluator::Value Evaluator::Apply(const Term& term) const {
  const Value& a = values_[term.operands[0]];
  const Value& b = values_[term.operands[1]];
  const Value& c = values_[term.operands[2]];
  switch (term.op) {
    case Operator::kIte:
      return a.state != State::kDefined ? a : a.value != 0 ? b : c;
    case Operator::kAnd:
      if (a.state != State::kDefined || a.value == 0) return a;
      return {b.value != 0, b.state};
    case Operator::kOr:
      if (a.state != State::kDefined) return a;
      if (a.value != 0) return {1, State::kDefined};
      return {b.value != 0, b.state};
    default:
      break;
  }
  Value result;
  for (int i = 0; i < Arity(term.op); ++i) {
    const State state = values_[term.operands[i]].state;
    // A divisor less than 1 counts, whatever else cannot be told.
    if (state == State::kUndefined) return {0, state};
    if (state == State::kTooLarge) result.state = state;
  }
  if (result.state != State::kDefined) return result;
  Wide& value = result.value;
  bool fits = true;
  switch (term.op) {
    case Operator::kAdd:
      fits = !__builtin_add_overflow(a.value, b.value, &value);
      break;
    case Operator::kSubtract:
      fits = !__builtin_sub_overflow(a.value, b.value, &value);
      break;
    case Operator::kMultiply:
      fits = !__builtin_mul_overflow(a.value, b.value, &value);
      break;
    case Operator::kNegate:
      fits = !__builtin_sub_overflow(Wide{0}, a.value, &value);
      break;
    case Operator::kAbs:
      value = a.value;
      if (value < 0) fits = !__builtin_sub_overflow(Wide{0}, a.value, &value);
      break;
    case Operator::kFloorDiv:
    case Operator::kCeilDiv:
    case Operator::kMod:
    case Operator::kTruncDiv:
      if (b.value < 1) return {0, State::kUndefined};
      value = term.op == Operator::kTruncDiv ? a.value / b.value : FloorDiv(a.value, b.value);
      if (term.op == Operator::kCeilDiv && a.value % b.value != 0) ++value;
      if (term.op == Operator::kMod) value = a.value - b.value * value;
      break;
    case Operator::kMin:
      value = a.value < b.value ? a.value : b.value;
      break;
    case Operator::kMax:
      value = a.value > b.value ? a.value : b.value;
      break;
    case Operator::kNot:
      value = a.value == 0;
      break;
    case Operator::kEq:
      value = a.value == b.value;
      break;
    case Operator::kNe:
      value = a.value != b.value;
      break;
    case Operator::kLt:
      value = a.value < b.value;
      break;
    case Operator::kLe:
      value = a.value <= b.value;
      break;
    case Operator::kGt:
      value = a.value > b.value;
      break;
    case Operator::kGe:
      value = a.value >= b.value;
      break;
    default:
      break;
  }
  return fits ? result : Value{0, State::kTooLarge};
}

void Evaluator::Fill(absl::Span<const int64_t> values, uint32_t last) {
  for (uint32_t i = 0; i <= last; ++i) {
    const Term& term = claim_.statement.terms[i];
    if (term.op == Operator::kInteger) {
      values_[i].value = term.value;
    } else if (term.op == Operator::kSymbol) {
      values_[i].value = values[claim_.symbols[static_cast<size_t>(term.value)]];
    } else {
      values_[i] = Apply(term);
    }
  }
}

Truth Evaluator::Evaluate(absl::Span<const int64_t> values) {
  Fill(values, claim_.statement.root);
  const Value& value = values_[claim_.statement.root];
  if (value.state == State::kTooLarge) return Truth::kUndecided;
  return value.state == State::kDefined && value.value != 0 ? Truth::kHolds : Truth::kViolated;
}

bool Evaluator::ValueOf(uint32_t term, absl::Span<const int64_t> values, int64_t* value) {
  Fill(values, term);
  const Value& result = values_[term];
  if (result.state != State::kDefined || result.value > std::numeric_limits<int64_t>::max() ||
      result.value < std::numeric_limits<int64_t>::min())
    return false;
  *value = static_cast<int64_t>(result.value);
  return true;
}

}  // namespace tessera::certificate
