#include "nests/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nests/expressions.h"
#include "solver/copy.h"
#include "solver/copy_for.h"

namespace tessera::nests {
namespace {

std::string Text(const solver::Assignment& assignment) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : assignment) parts.push_back(absl::StrCat(name, " = ", value));
  return absl::StrJoin(parts, ", ");
}

// Expressions that a scalar lies between, where its form says so: what indices that are data are
// held within.
//
// The value is at least each of `least` and at most each of `most`, for some values of the symbols
// that `facts` speak of, provided that `needs` hold: that there is any among what is combined.
// NaN counts as nothing: as an index it is 0, which is inside wherever anything is.
struct Limits {
  std::vector<Expr> least, most, facts, needs;
};

class LimitFinder {
 public:
  // `context` has the symbols of the computation, and gets further ones.
  LimitFinder(const Computation& computation, solver::Context& context)
      : computation_(computation), context_(context) {}

  // All expressions are of `context`.
  Limits Of(const Scalar& scalar) { return Of(scalar, {}, 0); }

 private:
  using Names = std::map<std::string, Expr, std::less<>>;

  Limits Of(const Scalar& scalar, const Names& names, int depth);
  Limits OfCall(const ScalarNode& node, const Names& names, int depth);
  // Of an extreme: that of one of its terms, at an entry of its own.
  Limits OfExtreme(const ScalarNode& node, const Names& names, int depth);
  // What the one statement that writes a temp has stored there.
  Limits OfTemp(const ScalarNode& node, const Names& names, int depth);
  Expr In(const Expr& e, const Names& names);
  // Another symbol for an axis.
  Expr Fresh(const Axis& axis, const Names& names, Limits& limits);

  const Computation& computation_;
  solver::Context& context_;
  int fresh_ = 0;
};

constexpr int kDeepest = 8;         // temps that are read by temps
constexpr size_t kMostLimits = 64;  // of one value

std::vector<Expr> Pairs(const std::vector<Expr>& a, const std::vector<Expr>& b,
                        Expr (*f)(const Expr&, const Expr&)) {
  std::vector<Expr> pairs;
  if (a.size() * b.size() > kMostLimits) return pairs;
  for (const Expr& x : a) {
    for (const Expr& y : b) pairs.push_back(f(x, y));
  }
  return pairs;
}

std::vector<Expr> Both(std::vector<Expr> a, const std::vector<Expr>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Expr Sum(const Expr& a, const Expr& b) { return a + b; }
Expr Difference(const Expr& a, const Expr& b) { return a - b; }

Limits Together(const Limits& a, const Limits& b, std::vector<Expr> least, std::vector<Expr> most) {
  return {std::move(least), std::move(most), Both(a.facts, b.facts), Both(a.needs, b.needs)};
}

// Either.
Limits Either(const Limits& a, const Limits& b) {
  return Together(a, b, Pairs(a.least, b.least, solver::Min), Pairs(a.most, b.most, solver::Max));
}

Expr LimitFinder::In(const Expr& e, const Names& names) {
  const Expr here = solver::Transfer(context_, e);
  return names.empty() ? here : solver::Substitute(here, names);
}

Expr LimitFinder::Fresh(const Axis& axis, const Names& names, Limits& limits) {
  const absl::StatusOr<Expr> symbol =
      context_.Declare(absl::StrCat(axis.symbol.ToString(), "#", ++fresh_),
                       {0, (int64_t{1} << 31) - 2}, {}, "an entry");
  if (!symbol.ok()) return Expr::Invalid();
  limits.facts.push_back(solver::Lt(*symbol, In(axis.extent, names)));
  return *symbol;
}

Limits LimitFinder::Of(const Scalar& scalar, const Names& names, int depth) {
  const auto of = [&](size_t i) { return Of(scalar->args[i], names, depth); };
  switch (scalar->kind) {
    case ScalarNode::kLiteral: {
      const Value& value = scalar->literal;
      if (IsFloat(value.number) && (value.f != std::trunc(value.f) || std::abs(value.f) > 1e15))
        return {};
      const Expr number = IsFloat(value.number) ? static_cast<int64_t>(value.f) : value.i;
      return {{number}, {number}, {}, {}};
    }
    case ScalarNode::kIndex: {
      const Expr index = In(scalar->index, names);
      return {{index}, {index}, {}, {}};
    }
    case ScalarNode::kCast:
      return of(0);
    case ScalarNode::kChoose: {
      const Expr chooses = In(scalar->index, names);
      if (const auto known = chooses.Constant()) return of(*known != 0 ? 0 : 1);
      return Either(of(0), of(1));
    }
    case ScalarNode::kWithin:
      return {{Expr(0)}, {In(scalar->index, names) - 1}, {}, {}};
    case ScalarNode::kRead: {
      const Limits stored = OfTemp(*scalar, names, depth);
      return scalar->args.empty() ? stored : Either(stored, of(0));
    }
    case ScalarNode::kReduce:
      return OfExtreme(*scalar, names, depth);
    case ScalarNode::kCall:
      return OfCall(*scalar, names, depth);
  }
  return {};
}

Limits LimitFinder::OfCall(const ScalarNode& node, const Names& names, int depth) {
  const auto of = [&](size_t i) { return Of(node.args[i], names, depth); };
  switch (node.function) {
    case Function::kMin: {
      const Limits a = of(0), b = of(1);
      return Together(a, b, Pairs(a.least, b.least, solver::Min), Both(a.most, b.most));
    }
    case Function::kMax: {
      const Limits a = of(0), b = of(1);
      return Together(a, b, Both(a.least, b.least), Pairs(a.most, b.most, solver::Max));
    }
    case Function::kAdd:
    case Function::kSub: {
      // In doubles, whose rounding keeps order among sizes; integers might wrap.
      const Limits a = of(0), b = of(1);
      const bool held = !a.least.empty() && !a.most.empty() && !b.least.empty() && !b.most.empty();
      if (node.number != Number::kF64 && (node.number != Number::kI64 || !held)) return {};
      const bool add = node.function == Function::kAdd;
      return Together(a, b, Pairs(a.least, add ? b.least : b.most, add ? Sum : Difference),
                      Pairs(a.most, add ? b.most : b.least, add ? Sum : Difference));
    }
    case Function::kSelect:
      return Either(of(1), of(2));
    case Function::kFloor:
    case Function::kCeil:
    case Function::kRound:
    case Function::kTrunc:
      return of(0);
    default:
      return {};
  }
}

Limits LimitFinder::OfExtreme(const ScalarNode& node, const Names& names, int depth) {
  if ((node.reduction != Reduction::kMin && node.reduction != Reduction::kMax) ||
      node.args.empty()) {
    return {};
  }
  Limits limits;
  Names inside = names;
  for (const Axis& axis : node.axes) {
    limits.needs.push_back(solver::Ge(In(axis.extent, names), 1));
    inside.insert_or_assign(axis.symbol.ToString(), Fresh(axis, names, limits));
  }
  Limits terms = Of(node.args[0], inside, depth);
  for (size_t i = 1; i < node.args.size(); ++i)
    terms = Either(terms, Of(node.args[i], inside, depth));
  terms.facts = Both(terms.facts, limits.facts);
  terms.needs = Both(terms.needs, limits.needs);
  return terms;
}

Limits LimitFinder::OfTemp(const ScalarNode& node, const Names& names, int depth) {
  if (node.tensor.kind != TensorId::kTemp || depth >= kDeepest) return {};
  const Nest* writer = nullptr;
  for (const Nest& nest : computation_.nests) {
    if (nest.target != node.tensor) continue;
    if (writer != nullptr) return {};
    writer = &nest;
  }
  if (writer == nullptr || writer->axes.size() != node.at.size()) return {};
  Limits limits;
  Names stored;
  for (size_t d = 0; d < node.at.size(); ++d) {
    const Axis& axis = writer->axes[d];
    if (writer->at[d] != axis.symbol) return {};
    stored.emplace(axis.symbol.ToString(),
                   node.at[d].data.IsNone() ? In(node.at[d].expr, names) : Fresh(axis, {}, limits));
  }
  Limits value = Of(writer->body, stored, depth + 1);
  value.facts = Both(value.facts, limits.facts);
  return value;
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

  Scope Where(const std::vector<Expr>& propositions) const {
    Scope scope = *this;
    scope.facts_.insert(scope.facts_.end(), propositions.begin(), propositions.end());
    return scope;
  }

  // Proved, open or refuted, and why.
  void Check(const Expr& proposition, const Decide& decide, Access& access) const {
    std::vector<Expr> about = facts_;
    about.push_back(proposition);
    const std::unique_ptr<solver::Context> context = solver::CopyFor(context_, about);
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
      : computation_(computation),
        own_(solver::CopyFor(context, ExpressionsOf(computation))),
        context_(*own_),
        limits_(computation, *own_),
        decide_(decide) {}

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
        if (!IsInside(scope, at[d].data, dims[d]) && access.status == Access::kProved)
          access.status = Access::kData;
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

  bool IsInside(const Scope& scope, const Scalar& index, const Expr& extent) {
    if (index->kind == ScalarNode::kCast) return IsInside(scope, index->args[0], extent);
    if (index->kind == ScalarNode::kChoose) {
      return IsInside(scope.Where(index->index), index->args[0], extent) &&
             IsInside(scope.Where(solver::Not(index->index)), index->args[1], extent);
    }
    return Holds(scope, limits_.Of(index), extent);
  }

  bool Holds(const Scope& around, const Limits& limits, const Expr& extent) const {
    const Scope scope = around.Where(limits.facts);
    const auto proved = [&](const Expr& need) {
      Access probe;
      around.Check(need, decide_, probe);
      return probe.status == Access::kProved;
    };
    return std::all_of(limits.needs.begin(), limits.needs.end(), proved) &&
           Any(scope, limits.least, [](const Expr& e) { return solver::Ge(e, 0); }) &&
           Any(scope, limits.most,
               [&](const Expr& e) { return solver::Lt(e, solver::Transfer(*own_, extent)); });
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
  const std::unique_ptr<solver::Context> own_;  // with symbols for what limits speak of
  const solver::Context& context_;
  LimitFinder limits_;
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
