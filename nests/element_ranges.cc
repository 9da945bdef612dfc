#include "nests/element_ranges.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "ir/integer_range.h"
#include "ir/tensor.h"
#include "nests/moved_computation.h"
#include "solver/copy.h"
#include "solver/decide.h"

namespace tessera::nests {
namespace {

constexpr int kDeepest = 64;
constexpr size_t kMostListed = 32;          // elements that are listed one by one
constexpr int64_t kMostElements = 1 << 20;  // of a constant that is looked through

using Side = std::optional<Expr>;

// Nothing: one side has none, or what there is leaves 64 bits.
Side Combined(const Side& a, const Side& b, Expr (*f)(const Expr&, const Expr&)) {
  if (!a || !b) return std::nullopt;
  Expr e = f(*a, *b);
  if (e.IsInvalid()) return std::nullopt;
  return e;
}
Expr Sum(const Expr& a, const Expr& b) { return a + b; }
Expr Difference(const Expr& a, const Expr& b) { return a - b; }
Expr Product(const Expr& a, const Expr& b) { return a * b; }

// Of two that hold, the one that is known, or what both say.
Side Known(const Side& a, const Side& b, Expr (*f)(const Expr&, const Expr&)) {
  if (!a) return b;
  return b ? Combined(a, b, f) : a;
}

ElementRange Either(const ElementRange& a, const ElementRange& b) {
  return {Combined(a.least, b.least, solver::Min), Combined(a.most, b.most, solver::Max)};
}

ElementRange Between(int64_t least, int64_t most) { return {Expr(least), Expr(most)}; }
ElementRange Truth() { return Between(0, 1); }

// Integers wrap where 64 bits do not hold them: nothing is said of what may.
bool IsHeld(const ElementRange& range) {
  return range.least && range.most && solver::RangeOf(*range.least).lo > solver::Range::kNegInf &&
         solver::RangeOf(*range.most).hi < solver::Range::kPosInf;
}
ElementRange Held(ElementRange range) { return IsHeld(range) ? std::move(range) : ElementRange{}; }

bool IsAtLeast(const Side& side, int64_t least) {
  return side && solver::RangeOf(*side).lo >= least;
}

ElementRange OfConstant(const ir::Tensor& tensor) {
  const int64_t size = tensor.size();
  if (size < 1 || size > kMostElements || tensor.dtype() == ir::DType::kU64) return {};
  int64_t least = tensor.AsInt(0), most = least;
  for (int64_t i = 1; i < size; ++i) {
    least = std::min(least, tensor.AsInt(i));
    most = std::max(most, tensor.AsInt(i));
  }
  return Between(least, most);
}

}  // namespace

// One operation, and the axes around what is looked at, the outer ones first.
struct ElementRanges::Place {
  const ir::Operation& operation;
  const Computation& computation;
  std::map<int, ElementRange>& temps;  // nothing of one that is being looked at
  std::vector<Axis> axes;
};

ElementRanges::ElementRanges(const solver::Context& context) : context_(solver::Copy(context)) {}

bool ElementRanges::Holds(const Expr& proposition) {
  return !proposition.IsInvalid() &&
         solver::Decide(*context_, proposition).kind == solver::Verdict::kProved;
}

ElementRange ElementRanges::Of(const ir::Value& value) {
  const auto known = ranges_.find(value.id());
  if (known != ranges_.end()) return known->second;
  const ir::DType dtype = value.type().dtype;
  // Of floats nothing is said: one that is no number is any integer where runtimes convert it.
  if (!ir::IsInteger(dtype) && dtype != ir::DType::kBool) return {};
  if (dtype == ir::DType::kBool) return Truth();
  if (depth_ >= kDeepest) return {};
  ++depth_;
  ElementRange range = Computed(value);
  --depth_;
  // What 64 bits hold is not narrowed.
  if (const solver::Range limits = ir::IntegerRange(dtype); limits != solver::Range{}) {
    const auto fits = [&](const Side& side) { return side && Holds(ir::Fits(*side, dtype)); };
    if (!fits(range.least) || !fits(range.most)) range = {};
    // What its type says of every element.
    if (!range.least && limits.hi != solver::Range::kPosInf) range = Between(limits.lo, limits.hi);
  }
  return ranges_[value.id()] = std::move(range);
}

ElementRange ElementRanges::Computed(const ir::Value& value) {
  if (value.constant() != nullptr) return OfConstant(*value.constant());
  const std::vector<Expr>* listed = value.elements();
  if (listed == nullptr && value.progression() != nullptr) listed = &value.progression()->extremes;
  if (listed != nullptr) {
    if (listed->empty() || listed->size() > kMostListed) return {};
    ElementRange all;
    for (size_t i = 0; i < listed->size(); ++i) {
      const Expr element = solver::Transfer(*context_, (*listed)[i]);
      const ElementRange one = {element, element};
      all = i == 0 ? one : Either(all, one);
    }
    return all;
  }
  const ir::Operation* const producer = value.producer();
  if (producer == nullptr || producer->info().effect) return {};
  const std::optional<Computation> computation = MovedComputation(*producer, *context_);
  if (!computation) return {};
  const auto results = producer->results();
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] != &value) continue;
    std::map<int, ElementRange> temps;
    return Stored({*producer, *computation, temps, {}}, {TensorId::kResult, static_cast<int>(i)});
  }
  return {};
}

// What the nests store that write a tensor.
ElementRange ElementRanges::Stored(const Place& place, TensorId id) {
  ElementRange all;
  bool first = true;
  for (const Nest& nest : place.computation.nests) {
    if (nest.target != id) continue;
    Place inside{place.operation, place.computation, place.temps, nest.axes};
    const ElementRange one = Of(inside, nest.body);
    all = first ? one : Either(all, one);
    first = false;
  }
  return all;
}

// Axis by axis, the innermost first: where it grows or falls with one, that is at an end of it.
ElementRange ElementRanges::OfIndex(const Place& place, const Expr& index) {
  ElementRange range = {index, index};
  for (size_t k = place.axes.size(); k-- > 0;) {
    const Axis& axis = place.axes[k];
    const std::string name(solver::View(axis.symbol).symbol());
    const auto end = [&](Side& side, bool upper) {
      if (!side) return;
      const std::vector<std::string> symbols = solver::SymbolsOf(*side);
      if (std::find(symbols.begin(), symbols.end(), name) == symbols.end()) return;
      const auto at = [&](const Expr& e) { return solver::Substitute(*side, {{name, e}}); };
      const Expr first = at(Expr(0)), factor = at(Expr(1)) - first;
      const solver::Range way = solver::RangeOf(factor);
      if (*side - axis.symbol * factor != first || (way.lo < 0 && way.hi > 0)) {
        side = std::nullopt;
      } else {
        side = (way.lo >= 0) == upper ? at(axis.extent - 1) : first;
      }
      if (side && side->IsInvalid()) side = std::nullopt;
    };
    end(range.least, false);
    end(range.most, true);
  }
  return range;
}

ElementRange ElementRanges::Of(Place& place, const Scalar& scalar) {
  const ScalarNode& node = *scalar;
  switch (node.kind) {
    case ScalarNode::kLiteral: {
      const Value& value = node.literal;
      if (IsFloat(value.number) || value.number == Number::kU64) return {};
      return Between(value.i, value.i);
    }
    case ScalarNode::kIndex:
      return node.number == Number::kBool ? Truth() : OfIndex(place, node.index);
    case ScalarNode::kRead:
      return OfRead(place, node);
    case ScalarNode::kReduce:
      return OfReduction(place, node);
    case ScalarNode::kCall:
      return OfCall(place, node);
    case ScalarNode::kChoose: {
      if (const auto chosen = node.index.Constant()) return Of(place, node.args[*chosen ? 0 : 1]);
      return Either(Of(place, node.args[0]), Of(place, node.args[1]));
    }
    case ScalarNode::kCast:
      return OfCast(node.args[0]->number, node.number, Of(place, node.args[0]));
    case ScalarNode::kWithin:
      return {Expr(0), OfIndex(place, node.index - 1).most};
  }
  return {};
}

ElementRange ElementRanges::OfCast(Number from, Number to, const ElementRange& range) {
  if (to == Number::kBool) return Truth();
  if (IsFloat(from) || IsFloat(to) || (to == Number::kU64 && !IsAtLeast(range.least, 0))) return {};
  return range;
}

ElementRange ElementRanges::OfRead(Place& place, const ScalarNode& node) {
  ElementRange range;
  if (node.tensor.kind == TensorId::kOperand) {
    const auto operands = place.operation.operands();
    const auto i = static_cast<size_t>(node.tensor.index);
    if (i < operands.size() && operands[i] != nullptr) range = Of(*operands[i]);
  } else if (node.tensor.kind == TensorId::kTemp) {
    const bool fresh = place.temps.try_emplace(node.tensor.index).second;
    if (fresh) place.temps[node.tensor.index] = Stored(place, node.tensor);
    range = place.temps[node.tensor.index];
  }
  return node.args.empty() ? range : Either(range, Of(place, node.args[0]));
}

ElementRange ElementRanges::OfReduction(Place& place, const ScalarNode& node) {
  if (node.reduction == Reduction::kAny || node.reduction == Reduction::kAll) return Truth();
  if (node.reduction == Reduction::kProduct || node.args.empty()) return {};
  const bool sum = node.reduction == Reduction::kSum;
  if (sum && (IsFloat(node.number) || node.number == Number::kU64)) return {};
  ElementRange count =
      Between(static_cast<int64_t>(node.args.size()), static_cast<int64_t>(node.args.size()));
  bool some = true;
  for (const Axis& axis : node.axes) {
    const ElementRange extent = OfIndex(place, axis.extent);
    some = some && extent.least && Holds(solver::Ge(*extent.least, 1));
    count = {Expr(0), Combined(count.most, extent.most, Product)};
  }
  const size_t around = place.axes.size();
  place.axes.insert(place.axes.end(), node.axes.begin(), node.axes.end());
  ElementRange terms = Of(place, node.args[0]);
  for (size_t i = 1; i < node.args.size(); ++i) terms = Either(terms, Of(place, node.args[i]));
  place.axes.resize(around);
  if (!sum) return some ? terms : ElementRange{};
  if (!IsAtLeast(terms.least, 0)) return {};
  return Held({Expr(0), Combined(terms.most, count.most, Product)});
}

std::optional<bool> ElementRanges::Decided(Place& place, const Scalar& condition) {
  const ScalarNode& node = *condition;
  if (node.kind == ScalarNode::kCast) return Decided(place, node.args[0]);
  if (node.kind == ScalarNode::kLiteral) return node.literal.IsTrue();
  if (node.kind != ScalarNode::kCall || node.args.size() != 2 || IsFloat(node.args[0]->number) ||
      IsFloat(node.args[1]->number))
    return std::nullopt;
  const bool swapped = node.function == Function::kGt || node.function == Function::kGe;
  const bool equal = node.function == Function::kLe || node.function == Function::kGe;
  if (!swapped && node.function != Function::kLt && node.function != Function::kLe)
    return std::nullopt;
  const ElementRange a = Of(place, node.args[swapped ? 1 : 0]);
  const ElementRange b = Of(place, node.args[swapped ? 0 : 1]);
  const auto below = [&](const Side& x, const Side& y, bool also_equal) {
    return x && y && Holds(also_equal ? solver::Le(*x, *y) : solver::Lt(*x, *y));
  };
  if (below(a.most, b.least, equal)) return true;
  if (below(b.most, a.least, !equal)) return false;
  return std::nullopt;
}

ElementRange ElementRanges::OfCall(Place& place, const ScalarNode& node) {
  if (YieldsTruth(node.function)) return Truth();
  const auto of = [&](size_t i) { return Of(place, node.args[i]); };
  const bool whole = node.number == Number::kI64 || node.number == Number::kBool;
  switch (node.function) {
    case Function::kSelect: {
      const std::optional<bool> chosen = Decided(place, node.args[0]);
      return chosen ? of(*chosen ? 1 : 2) : Either(of(1), of(2));
    }
    case Function::kMax: {
      const ElementRange a = of(0), b = of(1);
      return {Known(a.least, b.least, solver::Max), Combined(a.most, b.most, solver::Max)};
    }
    case Function::kMin: {
      const ElementRange a = of(0), b = of(1);
      return {Combined(a.least, b.least, solver::Min), Known(a.most, b.most, solver::Min)};
    }
    default:
      break;
  }
  if (!whole) return {};
  const ElementRange a = of(0), b = node.args.size() > 1 ? of(1) : ElementRange{};
  switch (node.function) {
    case Function::kSign:
      return Between(-1, 1);
    case Function::kNeg:
      return Held({Combined(Expr(0), a.most, Difference), Combined(Expr(0), a.least, Difference)});
    case Function::kAbs:
      if (IsAtLeast(a.least, 0)) return a;
      return Held({Expr(0), Combined(a.most, Combined(Expr(0), a.least, Difference), solver::Max)});
    case Function::kAdd:
      if (!IsHeld(a) || !IsHeld(b)) return {};
      return Held({Combined(a.least, b.least, Sum), Combined(a.most, b.most, Sum)});
    case Function::kSub:
      if (!IsHeld(a) || !IsHeld(b)) return {};
      return Held({Combined(a.least, b.most, Difference), Combined(a.most, b.least, Difference)});
    case Function::kMul:
      if (!IsAtLeast(a.least, 0) || !IsAtLeast(b.least, 0)) return {};
      return Held({Combined(a.least, b.least, Product), Combined(a.most, b.most, Product)});
    case Function::kDiv:  // towards 0
      if (!IsAtLeast(a.least, 0) || !IsAtLeast(b.least, 1)) return {};
      return {Expr(0), Combined(a.most, b.least, solver::FloorDiv)};
    case Function::kPyMod:
    case Function::kFmod: {
      if (!IsAtLeast(b.least, 1) || !b.most) return {};
      const Expr last = *b.most - 1;
      const bool counts = IsAtLeast(a.least, 0);
      const Side most = counts ? Known(a.most, last, solver::Min) : Side(last);
      return {counts || node.function == Function::kPyMod ? Expr(0) : Expr(0) - last, most};
    }
    default:
      return {};
  }
}

}  // namespace tessera::nests
