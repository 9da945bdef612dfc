#include "recheck/counted_loop.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "recheck/declarations.h"
#include "recheck/fraction.h"

namespace tessera::recheck {
namespace {

using certificate::Arity;
using certificate::Term;

constexpr int64_t kMostSlope = int64_t{1} << 20;
constexpr int64_t kMostCounted = int64_t{1} << 62;  // far from where integers of 64 bits wrap

void Pass(Tensor& tensor, Dim symbol) { tensor.through = {Fraction{symbol, 1, 1, 0, false}}; }

}  // namespace

void CountedLoop::Follow(Tensor& position, const std::vector<std::shared_ptr<Tensor>>& states,
                         const std::vector<TensorPtr>& initial) {
  Terms& terms = session_.terms();
  position_ = terms.Symbol(absl::StrCat("`position of ", node_));
  Pass(position, position_);
  for (size_t i = 0; i < states.size(); ++i) {
    const std::string& dtype = initial[i]->dtype;
    if (dtype == "bool" || dtype == "u64" || SignificandOf(dtype) != 0) continue;
    std::vector<Dim> needs;
    const std::optional<Dim> begin = ElementOf(initial[i], needs);
    if (!begin) continue;
    const Dim symbol = terms.Symbol(absl::StrCat("`state ", i, " of ", node_));
    counters_.push_back({i, symbol, *begin, std::move(needs)});
    Pass(*states[i], symbol);
  }
}

std::optional<CountedLoop::Line> CountedLoop::Sum(Operator op, const Line& a, const Line& b) {
  const int64_t slope = op == Operator::kAdd ? a.slope + b.slope : a.slope - b.slope;
  if (slope < -kMostSlope || slope > kMostSlope) return std::nullopt;
  return Line{session_.terms().Make(op, a.rest, b.rest), slope};
}

std::optional<CountedLoop::Line> CountedLoop::LineOf(Dim dim) {
  if (const auto known = lines_.find(dim); known != lines_.end()) return known->second;
  Terms& terms = session_.terms();
  const Term term = terms.terms()[dim];
  std::array<Line, 3> of = {};
  bool moves = false;
  for (int i = 0; i < Arity(term.op); ++i) {
    const auto at = static_cast<size_t>(i);
    const std::optional<Line> line = LineOf(term.operands[at]);
    if (!line) return lines_[dim] = std::nullopt;
    of[at] = *line;
    moves = moves || line->slope != 0;
  }
  std::optional<Line> line;
  if (Arity(term.op) == 0) {
    line = Line{dim, 0};
  } else if (!moves) {
    line = Line{terms.Make(term.op, of[0].rest, of[1].rest, of[2].rest), 0};
  } else if (term.op == Operator::kAdd || term.op == Operator::kSubtract) {
    line = Sum(term.op, of[0], of[1]);
  } else if (term.op == Operator::kMultiply) {
    const Line& moving = of[of[0].slope != 0 ? 0 : 1];
    const std::optional<int64_t> factor = terms.Number(of[of[0].slope != 0 ? 1 : 0].rest);
    int64_t slope = 0;
    if ((of[0].slope == 0 || of[1].slope == 0) && factor &&
        !__builtin_mul_overflow(moving.slope, *factor, &slope) && slope >= -kMostSlope &&
        slope <= kMostSlope)
      line = Line{terms.Make(Operator::kMultiply, of[0].rest, of[1].rest), slope};
  }
  return lines_[dim] = line;
}

std::optional<Dim> CountedLoop::ElementOf(const TensorPtr& tensor, std::vector<Dim>& needs) {
  if (tensor == nullptr) return std::nullopt;
  if (tensor->has_elements)
    return tensor->elements.size() == 1 ? std::optional(tensor->elements[0]) : std::nullopt;
  if (tensor->through.size() != 1) return std::nullopt;
  needs.insert(needs.end(), tensor->needs.begin(), tensor->needs.end());
  return Fractions(session_.terms(), needs).Size(tensor->through[0]);
}

// Those that grow by the same at each position, whatever they are.
void CountedLoop::FollowCounters(const std::vector<TensorPtr>& next, std::vector<Dim>& needs) {
  Terms& terms = session_.terms();
  std::vector<std::optional<Line>> lines;
  for (const Counter& counter : counters_) {
    // Of itself as the position is, and nothing else that moves.
    lines_ = {{position_, std::nullopt}};
    for (const Counter& other : counters_) lines_[other.symbol] = std::nullopt;
    lines_[counter.symbol] = Line{terms.Integer(0), 1};
    std::vector<Dim> own = counter.needs;
    const std::optional<Dim> element = ElementOf(next[counter.state], own);
    const std::optional<Line> step = element ? LineOf(*element) : std::nullopt;
    const std::optional<int64_t> growth = step ? terms.Number(step->rest) : std::nullopt;
    lines.emplace_back();
    if (!growth || step->slope != 1 || *growth < -kMostSlope || *growth > kMostSlope) continue;
    lines.back() = Line{counter.begin, *growth};
    needs.insert(needs.end(), own.begin(), own.end());
    needs.push_back(terms.Make(Operator::kLe, *element, terms.Integer(kMostCounted)));
    needs.push_back(terms.Make(Operator::kGe, *element, terms.Integer(-kMostCounted)));
  }
  lines_ = {{position_, Line{terms.Integer(0), 1}}};
  for (size_t i = 0; i < counters_.size(); ++i) lines_[counters_[i].symbol] = lines[i];
}

std::optional<Dim> CountedLoop::CountOf(Dim again) {
  Terms& terms = session_.terms();
  const Term term = terms.terms()[again];
  Dim low = term.operands[0], high = term.operands[1];
  switch (term.op) {
    case Operator::kAnd: {
      const std::optional<Dim> a = CountOf(low), b = CountOf(high);
      return a && b ? std::optional(terms.Make(Operator::kMin, *a, *b)) : std::nullopt;
    }
    case Operator::kNe:  // a truth value that was cast
      return terms.Number(high) == 0 ? CountOf(low) : std::nullopt;
    case Operator::kGt:
    case Operator::kGe:
      std::swap(low, high);
      break;
    case Operator::kLt:
    case Operator::kLe:
      break;
    default:
      return std::nullopt;
  }
  const std::optional<Line> a = LineOf(low), b = LineOf(high);
  const std::optional<Line> left = a && b ? Sum(Operator::kSubtract, *b, *a) : std::nullopt;
  if (!left || left->slope != -1) return std::nullopt;
  const bool less = term.op == Operator::kLt || term.op == Operator::kGt;
  return terms.Make(Operator::kAdd, left->rest, terms.Integer(less ? 1 : 2));
}

bool CountedLoop::AtBothEnds(Dim need, Dim last, std::vector<Dim>& statements) {
  Terms& terms = session_.terms();
  const Term term = terms.terms()[need];
  if (term.op == Operator::kAnd)
    return AtBothEnds(term.operands[0], last, statements) &&
           AtBothEnds(term.operands[1], last, statements);
  const std::optional<Line> whole = LineOf(need);
  if (whole && whole->slope == 0) {
    if (terms.Number(whole->rest).value_or(0) == 0) statements.push_back(whole->rest);
    return true;
  }
  if (term.op != Operator::kLt && term.op != Operator::kLe && term.op != Operator::kGt &&
      term.op != Operator::kGe)
    return false;
  const std::optional<Line> a = LineOf(term.operands[0]), b = LineOf(term.operands[1]);
  if (!a || !b) return false;
  // The difference of two lines is greatest at an end.
  const auto at = [&](const Line& line, Dim position) {
    const Dim way = terms.Make(Operator::kMultiply, terms.Integer(line.slope), position);
    return terms.Make(Operator::kAdd, line.rest, way);
  };
  for (const Dim end : {terms.Integer(0), last}) {
    const Dim statement = terms.Make(term.op, at(*a, end), at(*b, end));
    if (terms.Number(statement).value_or(0) == 0) statements.push_back(statement);
  }
  return true;
}

std::optional<Dim> CountedLoop::Count(const TensorPtr& again, const std::vector<TensorPtr>& next) {
  Terms& terms = session_.terms();
  std::vector<Dim> needs;
  FollowCounters(next, needs);
  const std::optional<Dim> condition = ElementOf(again, needs);
  const std::optional<Dim> goes_on = condition ? CountOf(*condition) : std::nullopt;
  if (!goes_on) return std::nullopt;
  const Dim count = terms.Make(Operator::kMax, *goes_on, terms.Integer(1));
  const Dim last = terms.Make(Operator::kSubtract, count, terms.Integer(1));
  std::vector<Dim> statements;
  for (const Dim need : needs) {
    if (!AtBothEnds(need, last, statements)) return std::nullopt;
  }
  session_.TakeExact(node_, std::move(statements));
  session_.Owe(node_, terms.Make(Operator::kLe, count, terms.Integer(kMostDim)));
  return count;
}

}  // namespace tessera::recheck
