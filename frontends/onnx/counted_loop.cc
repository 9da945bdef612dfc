#include "frontends/onnx/counted_loop.h"

#include <memory>
#include <utility>

#include "frontends/onnx/dim_option.h"
#include "frontends/onnx/float_sizes.h"
#include "ir/dtype.h"
#include "solver/copy.h"

namespace tessera::onnx_import {
namespace {

using ir::Expr;
using solver::ExprKind;

// One attempt, in a copy of the graph's facts where a position is a symbol: what the condition
// counts to, then whether that is so.
class Counting {
 public:
  // `last`: the greatest position that is looked at.
  Counting(const solver::Context& context, const LoopStep& step, int64_t last)
      : context_(solver::Copy(context)), step_(step), last_(last) {}

  // As if nobody used greater sizes.
  bool Bound(const std::vector<std::string>& names, int64_t most) {
    for (const std::string& name : names) {
      if (!context_->Assume(solver::Le(context_->Symbol(name), Expr(most)), "").ok()) return false;
    }
    return true;
  }

  // False: no number is found. (Over the copy, as all that is here.)
  bool Derive() {
    const std::optional<Expr> position = Fresh("position", {0, last_});
    if (!position) return false;
    KnownScalars known = {{step_.position, *position}};
    std::vector<std::pair<const ir::Value*, Expr>> followed;  // what counters have to become
    for (size_t i = 0; i < step_.states.size(); ++i) {
      const std::optional<Counter> counter = CounterOf(i);
      if (!counter) continue;
      known.emplace(step_.states[i], counter->begin + counter->growth * *position);
      followed.emplace_back(step_.next[i],
                            counter->begin + counter->growth * (*position + Expr(1)));
    }
    const std::optional<SizesInFloats> again = ScalarOf(*step_.again, known);
    if (!again) return false;
    const std::optional<Expr> count = CountOf(again->elements[0], *position);
    if (!count) return false;
    // Each position at which the loop is has one before, so that counters are what they became
    // there.
    needs_ = again->needs;
    for (const auto& [next, expected] : followed) {
      const std::optional<SizesInFloats> became = ScalarOf(*next, known);
      if (!became) return false;
      needs_ = solver::And(needs_, became->needs);
      needs_ = solver::And(needs_, solver::Eq(became->elements[0], expected));
    }
    count_ = *count;
    // Also at the first position, which a loop that begins has where the number is below 1.
    within_ = solver::Lt(*position, solver::Max(count_, 1));
    return true;
  }

  // Whether all of it is so for all sizes.
  bool Holds() {
    return IsProved(*context_, solver::Le(count_, Expr(last_ + 1))) &&
           context_->Assume(within_, "").ok() && IsProved(*context_, needs_);
  }

  const Expr& count() const { return count_; }

 private:
  struct Counter {
    Expr begin;
    int64_t growth;
  };

  std::optional<Expr> Fresh(std::string name, solver::Range range) {
    while (context_->Find(name) != nullptr) name += '\'';
    const absl::StatusOr<Expr> symbol = context_->Declare(std::move(name), range, {}, "");
    return symbol.ok() ? std::optional<Expr>(*symbol) : std::nullopt;
  }

  std::optional<SizesInFloats> ScalarOf(const ir::Value& value, const KnownScalars& known) {
    std::optional<SizesInFloats> sizes = EvaluateThroughFloats(*context_, value, known);
    if (!sizes || sizes->elements.size() != 1) return std::nullopt;
    return sizes;
  }

  // A state that grows by the same at each position, whatever it is.
  std::optional<Counter> CounterOf(size_t i) {
    if (!ir::IsInteger(step_.states[i]->type().dtype)) return std::nullopt;
    const std::optional<SizesInFloats> begin = ScalarOf(*step_.initial[i], {});
    if (!begin || begin->needs != Expr(1)) return std::nullopt;
    const std::optional<Expr> here =
        Fresh("counter", {solver::Range::kNegInf, solver::Range::kPosInf});
    if (!here) return std::nullopt;
    const std::optional<SizesInFloats> next = ScalarOf(*step_.next[i], {{step_.states[i], *here}});
    if (!next) return std::nullopt;
    const std::optional<int64_t> growth = (next->elements[0] - *here).Constant();
    if (!growth) return std::nullopt;
    return Counter{begin->elements[0], *growth};
  }

  // `again`: comparisons with what falls by one from each position to the next.
  std::optional<Expr> CountOf(const Expr& again, const Expr& position) {
    const solver::View view(again);
    if (view.kind() == ExprKind::kAnd) {
      std::optional<Expr> least;
      for (size_t i = 0; i < view.size(); ++i) {
        const std::optional<Expr> count = CountOf(view.child(i), position);
        if (!count) return std::nullopt;
        least = least ? solver::Min(*least, *count) : *count;
      }
      return least;
    }
    if (view.kind() != ExprKind::kGeZero) return std::nullopt;
    const Expr left = view.child(0);
    const Expr at_first =
        solver::Substitute(left, {{std::string(solver::View(position).symbol()), Expr(0)}});
    if (at_first - left != position) return std::nullopt;
    return at_first + Expr(2);
  }

  std::unique_ptr<solver::Context> context_;
  const LoopStep& step_;
  const int64_t last_;
  Expr count_, needs_, within_;
};

}  // namespace

std::optional<ir::Expr> CountPositions(solver::Context& context, const LoopStep& step,
                                       const std::string& where) {
  // As integers have them; and as floats hold them.
  constexpr int64_t kMostCounted = kMaxDim - 1, kMostInFloats = (int64_t{1} << 24) - 1;
  for (const int64_t last : {kMostCounted, kMostInFloats}) {
    Counting counting(context, step, last);
    if (counting.Derive() && counting.Holds()) return solver::Transfer(context, counting.count());
  }
  std::vector<std::string> all;
  for (const solver::SymbolInfo* symbol : context.symbols()) all.push_back(symbol->name);
  for (int exponent = kLargestBound; exponent >= kSmallestBound; --exponent) {
    const int64_t most = int64_t{1} << exponent;
    Counting counting(context, step, kMostInFloats);
    if (!counting.Bound(Unbounded(context, all), most)) return std::nullopt;
    if (!counting.Derive()) return std::nullopt;
    if (!counting.Holds()) continue;
    const Expr count = solver::Transfer(context, counting.count());
    if (!AssumeBound(context, Unbounded(context, solver::SymbolsOf(count)), most, where))
      return std::nullopt;
    Counting again(context, step, kMostInFloats);
    return again.Derive() && again.Holds() ? std::optional<Expr>(count) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tessera::onnx_import
