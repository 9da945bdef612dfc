#include "nests/bounds.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "solver/copy.h"

namespace tessera::nests {
namespace {

std::string Text(const solver::Assignment& assignment) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : assignment) parts.push_back(absl::StrCat(name, " = ", value));
  return absl::StrJoin(parts, ", ");
}

// Expressions that an element is at least and at most, where its form says so.
struct Limits {
  std::vector<Expr> least, most;
};

std::vector<Expr> Pairs(const std::vector<Expr>& a, const std::vector<Expr>& b,
                        Expr (*f)(const Expr&, const Expr&)) {
  std::vector<Expr> pairs;
  for (const Expr& x : a) {
    for (const Expr& y : b) pairs.push_back(f(x, y));
  }
  return pairs;
}

std::vector<Expr> Both(std::vector<Expr> a, const std::vector<Expr>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// NaN counts as nothing: as an index it is 0, which is inside wherever anything is.
Limits LimitsOf(const Scalar& scalar) {
  const auto of = [&](size_t i) { return LimitsOf(scalar->args[i]); };
  switch (scalar->kind) {
    case ScalarNode::kLiteral: {
      const Value& value = scalar->literal;
      if (IsFloat(value.number) && value.f != std::trunc(value.f)) return {};
      const Expr number = IsFloat(value.number) ? static_cast<int64_t>(value.f) : value.i;
      return {{number}, {number}};
    }
    case ScalarNode::kIndex:
      return {{scalar->index}, {scalar->index}};
    case ScalarNode::kCast:
      return of(0);
    case ScalarNode::kChoose: {
      const Limits a = of(0), b = of(1);
      return {Pairs(a.least, b.least, solver::Min), Pairs(a.most, b.most, solver::Max)};
    }
    case ScalarNode::kWithin:
      return {{Expr(0)}, {scalar->index - 1}};
    case ScalarNode::kCall:
      break;
    default:
      return {};
  }
  switch (scalar->function) {
    case Function::kMin: {
      const Limits a = of(0), b = of(1);
      return {Pairs(a.least, b.least, solver::Min), Both(a.most, b.most)};
    }
    case Function::kMax: {
      const Limits a = of(0), b = of(1);
      return {Both(a.least, b.least), Pairs(a.most, b.most, solver::Max)};
    }
    case Function::kSelect: {
      const Limits a = of(1), b = of(2);
      return {Pairs(a.least, b.least, solver::Min), Pairs(a.most, b.most, solver::Max)};
    }
    case Function::kFloor:
    case Function::kCeil:
    case Function::kRound:
    case Function::kTrunc:
      return of(0);
    default:
      return {};
  }
}

// Facts that hold at one place of a nest; a place without any iteration holds every fact.
class Scope {
 public:
  Scope(const solver::Context& context, const std::vector<Expr>& requirements)
      : context_(context), facts_(requirements) {}

  Scope Inside(const std::vector<Axis>& axes) const {
    Scope scope = *this;
    for (const Axis& axis : axes) scope.facts_.push_back(solver::Lt(axis.symbol, axis.extent));
    return scope;
  }
  Scope Where(const Expr& proposition) const {
    Scope scope = *this;
    scope.facts_.push_back(proposition);
    return scope;
  }

  // Proved, open or refuted, and why.
  void Check(const Expr& proposition, const Decide& decide, Access& access) const {
    const std::unique_ptr<solver::Context> context = solver::Copy(context_);
    for (const Expr& fact : facts_) {
      if (!context->Assume(solver::Transfer(*context, fact), "a nest").ok())
        return;  // no iteration
    }
    const Expr goal = context->Renormalize(solver::Transfer(*context, proposition));
    const solver::Verdict verdict = decide(*context, goal);
    if (verdict.kind == solver::Verdict::kProved) return;
    const bool refuted = verdict.kind == solver::Verdict::kRefuted;
    access.status = refuted ? Access::kRefuted : Access::kOpen;
    access.reason = absl::StrCat(proposition.ToString(), refuted ? " is false for " : " is open",
                                 refuted ? Text(verdict.counterexample) : "");
  }

 private:
  const solver::Context& context_;
  std::vector<Expr> facts_;
};

class Checker {
 public:
  Checker(const Computation& computation, const solver::Context& context, const Decide& decide)
      : computation_(computation), context_(context), decide_(decide) {}

  std::vector<Access> Run() {
    for (nest_ = 0; nest_ < computation_.nests.size(); ++nest_) {
      const Nest& nest = computation_.nests[nest_];
      const Scope scope = Scope(context_, computation_.requirements).Inside(nest.axes);
      Access write{.nest = nest_, .tensor = computation_.At(nest.target).name, .write = true};
      std::vector<Index> at(nest.at.begin(), nest.at.end());
      Check(scope, nest.target, at, std::move(write));
      Visit(scope, nest.body);
    }
    for (size_t i = 0; i < computation_.results.size(); ++i)
      Cover({TensorId::kResult, static_cast<int>(i)});
    for (size_t i = 0; i < computation_.temps.size(); ++i)
      Cover({TensorId::kTemp, static_cast<int>(i)});
    return std::move(accesses_);
  }

 private:
  void Check(const Scope& scope, TensorId id, const std::vector<Index>& at, Access access) {
    const std::vector<Expr>& dims = computation_.At(id).dims;
    std::vector<std::string> texts;
    for (size_t d = 0; d < at.size(); ++d) {
      if (!at[d].data.IsNone()) {
        texts.push_back(ToString(computation_, at[d].data));
        const Limits limits = LimitsOf(at[d].data);
        const bool inside =
            Any(scope, limits.least, [](const Expr& e) { return solver::Ge(e, 0); }) &&
            Any(scope, limits.most, [&](const Expr& e) { return solver::Lt(e, dims[d]); });
        if (!inside && access.status == Access::kProved) access.status = Access::kData;
        continue;
      }
      texts.push_back(at[d].expr.ToString());
      if (access.status == Access::kRefuted) continue;
      scope.Check(solver::And(solver::Ge(at[d].expr, 0), solver::Lt(at[d].expr, dims[d])), decide_,
                  access);
    }
    access.text = absl::StrCat(computation_.At(id).name, "[", absl::StrJoin(texts, ", "), "]");
    accesses_.push_back(std::move(access));
  }

  template <class F>
  bool Any(const Scope& scope, const std::vector<Expr>& candidates, F proposition) const {
    return std::any_of(candidates.begin(), candidates.end(), [&](const Expr& candidate) {
      Access probe;
      scope.Check(proposition(candidate), decide_, probe);
      return probe.status == Access::kProved;
    });
  }

  void Visit(const Scope& scope, const Scalar& scalar) {
    for (const Index& index : scalar->at) {
      if (!index.data.IsNone()) Visit(scope, index.data);
    }
    switch (scalar->kind) {
      case ScalarNode::kRead:
        if (scalar->args.empty())
          Check(scope, scalar->tensor, scalar->at,
                {.nest = nest_, .tensor = computation_.At(scalar->tensor).name});
        break;
      case ScalarNode::kChoose:
        Visit(scope.Where(scalar->index), scalar->args[0]);
        Visit(scope.Where(solver::Not(scalar->index)), scalar->args[1]);
        return;
      case ScalarNode::kReduce: {
        const Scope inside = scope.Inside(scalar->axes);
        for (const Scalar& term : scalar->args) Visit(inside, term);
        return;
      }
      default:
        break;
    }
    for (const Scalar& arg : scalar->args) Visit(scope, arg);
  }

  // The nests that write a tensor tile it: their axes are those of the tensor but for one, along
  // which each begins where the one before ends.
  void Cover(TensorId id) {
    const TensorInfo& tensor = computation_.At(id);
    Access access{.nest = computation_.nests.size(), .tensor = tensor.name, .write = true};
    access.text = absl::StrCat("all of ", tensor.name);
    const Scope scope(context_, computation_.requirements);
    std::vector<const Nest*> writers;
    for (const Nest& nest : computation_.nests) {
      if (nest.target == id) writers.push_back(&nest);
    }
    const size_t rank = tensor.dims.size();
    size_t along = rank;  // none: one nest writes it all
    Expr whole = writers.empty() ? 0 : 1;
    for (const Nest* nest : writers) {
      if (nest->axes.size() != rank) whole = 0;
      for (size_t d = 0; d < nest->axes.size() && writers.size() > 1; ++d) {
        if (nest->at[d] != nest->axes[d].symbol) along = d;
      }
    }
    if (writers.size() > 1 && along == rank) whole = 0;
    Expr next = 0;
    for (size_t i = 0; i < writers.size() && whole != Expr(0); ++i) {
      for (size_t d = 0; d < rank; ++d) {
        const Axis& axis = writers[i]->axes[d];
        const Expr begin = writers[i]->at[d] - axis.symbol;
        whole = solver::And(whole, solver::Eq(begin, d == along ? next : Expr(0)));
        if (d == along) {
          next += axis.extent;
        } else {
          whole = solver::And(whole, solver::Eq(axis.extent, tensor.dims[d]));
        }
      }
    }
    if (along < rank) whole = solver::And(whole, solver::Eq(next, tensor.dims[along]));
    scope.Check(whole, decide_, access);
    accesses_.push_back(std::move(access));
  }

  const Computation& computation_;
  const solver::Context& context_;
  const Decide& decide_;
  std::vector<Access> accesses_;
  size_t nest_ = 0;
};

}  // namespace

std::vector<Access> CheckBounds(const Computation& computation, const solver::Context& context,
                                const Decide& decide) {
  return Checker(computation, context, decide).Run();
}

}  // namespace tessera::nests
