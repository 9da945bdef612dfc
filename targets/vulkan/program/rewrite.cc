#include "targets/vulkan/program/rewrite.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace tessera::vulkan {

using nests::Axis;
using nests::Index;
using nests::Scalar;
using nests::ScalarNode;

namespace {

constexpr char kOrigin[] = "axis";
constexpr int64_t kMostPositions = (int64_t{1} << 31) - 1;

// By node, for one scope: what is one scalar in two places stays one.
using Known = absl::flat_hash_map<const ScalarNode*, Scalar>;

Scalar Rewritten(const Scalar& scalar, const Rewrite& rewrite, Known& known);

}  // namespace

Expr Axes::Fresh(const Expr& extent) {
  const solver::Range range{0,
                            std::max<int64_t>(extent.Constant().value_or(kMostPositions), 1) - 1};
  for (;;) {
    if (names_ == Names::kShared) {
      // What the context knows of it, its positions, is in its name.
      const std::string name = absl::StrCat("u", count_++, ".", range.hi, "'");
      const solver::SymbolInfo* const known = context_.Find(name);
      if (known != nullptr && known->origin == kOrigin && known->range.hi == range.hi)
        return context_.Symbol(name);
      if (known != nullptr) continue;
      const absl::StatusOr<Expr> symbol = context_.Declare(name, range, {}, kOrigin);
      if (symbol.ok()) return *symbol;
      continue;
    }
    const std::string name = absl::StrCat("v", count_++, "'");
    // A name that another use of the context has taken, with what it says of it, is left alone.
    if (context_.Find(name) != nullptr) continue;
    const absl::StatusOr<Expr> symbol = context_.Declare(name, range, {}, kOrigin);
    if (symbol.ok()) return *symbol;
  }
}

namespace {

Scalar Remade(const Scalar& scalar, const Rewrite& rewrite, Known& known) {
  const ScalarNode& node = *scalar;
  const auto arg = [&](size_t i) { return Rewritten(node.args[i], rewrite, known); };
  const auto expr = [&](const Expr& e) { return solver::Substitute(e, rewrite.symbols); };
  switch (node.kind) {
    case ScalarNode::kLiteral:
      return scalar;
    case ScalarNode::kIndex:
      return node.number == nests::Number::kBool ? Scalar::OfProposition(expr(node.index))
                                                 : Scalar::OfIndex(expr(node.index));
    case ScalarNode::kRead: {
      std::vector<Index> at;
      for (const Index& index : node.at) {
        if (index.data.IsNone())
          at.emplace_back(expr(index.expr));
        else
          at.emplace_back(Rewritten(index.data, rewrite, known));
      }
      Scalar otherwise = node.args.empty() ? Scalar() : arg(0);
      if (rewrite.read) return rewrite.read(node, std::move(at), std::move(otherwise));
      return Scalar::Read(node.tensor, node.number, std::move(at), std::move(otherwise));
    }
    case ScalarNode::kReduce: {
      Rewrite inside = rewrite;
      std::vector<Axis> axes;
      for (const Axis& axis : node.axes) {
        const Expr extent = solver::Substitute(axis.extent, inside.symbols);
        const Expr symbol = rewrite.axes == nullptr ? axis.symbol : rewrite.axes->Fresh(extent);
        if (rewrite.axes != nullptr)
          inside.symbols[std::string(solver::View(axis.symbol).symbol())] = symbol;
        axes.push_back({symbol, extent});
      }
      std::vector<Scalar> terms;
      Known within;
      for (const Scalar& term : node.args) terms.push_back(Rewritten(term, inside, within));
      return Scalar::Reduce(node.reduction, node.number, node.literal, std::move(axes),
                            std::move(terms));
    }
    case ScalarNode::kCall: {
      std::vector<Scalar> args;
      for (size_t i = 0; i < node.args.size(); ++i) args.push_back(arg(i));
      return Scalar::Call(node.function, node.number, std::move(args));
    }
    case ScalarNode::kChoose:
      return Scalar::Choose(expr(node.index), arg(0), arg(1));
    case ScalarNode::kCast:
      return Scalar::Cast(node.number, arg(0));
    case ScalarNode::kWithin:
      return Scalar::Within(arg(0), expr(node.index));
  }
  return scalar;
}

Scalar Rewritten(const Scalar& scalar, const Rewrite& rewrite, Known& known) {
  if (const auto found = known.find(&*scalar); found != known.end()) return found->second;
  Scalar remade = Remade(scalar, rewrite, known);
  known.emplace(&*scalar, remade);
  return remade;
}

}  // namespace

Scalar Rewritten(const Scalar& scalar, const Rewrite& rewrite) {
  Known known;
  return Rewritten(scalar, rewrite, known);
}

nests::Nest Renamed(const nests::Nest& nest, Axes& axes,
                    const std::function<nests::TensorId(nests::TensorId)>& tensor) {
  nests::Nest renamed;
  renamed.target = tensor(nest.target);
  renamed.order = nest.order;
  Rewrite rewrite;
  rewrite.axes = &axes;
  rewrite.read = [&](const ScalarNode& read, std::vector<Index> at, Scalar otherwise) {
    return Scalar::Read(tensor(read.tensor), read.number, std::move(at), std::move(otherwise));
  };
  for (const Axis& axis : nest.axes) {
    const Expr extent = solver::Substitute(axis.extent, rewrite.symbols);
    renamed.axes.push_back({axes.Fresh(extent), extent});
    rewrite.symbols[std::string(solver::View(axis.symbol).symbol())] = renamed.axes.back().symbol;
  }
  for (const Expr& at : nest.at) renamed.at.push_back(solver::Substitute(at, rewrite.symbols));
  renamed.body = Rewritten(nest.body, rewrite);
  return renamed;
}

void EachRead(const Scalar& scalar,
              const std::function<void(const ScalarNode& read, int depth)>& visit, int depth) {
  for (const Index& index : scalar->at) {
    if (!index.data.IsNone()) EachRead(index.data, visit, depth);
  }
  if (scalar->kind == ScalarNode::kRead) visit(*scalar, depth);
  const int inside = depth + (scalar->kind == ScalarNode::kReduce ? 1 : 0);
  for (const Scalar& arg : scalar->args) EachRead(arg, visit, inside);
}

void EachReduction(const Scalar& scalar,
                   const std::function<void(const Scalar& reduction, int depth)>& visit,
                   int depth) {
  const bool reduces = scalar->kind == ScalarNode::kReduce;
  if (reduces) visit(scalar, depth);
  for (const Scalar& arg : scalar->args) EachReduction(arg, visit, depth + (reduces ? 1 : 0));
}

bool Reduces(const Scalar& scalar) {
  return scalar->kind == ScalarNode::kReduce ||
         std::any_of(scalar->args.begin(), scalar->args.end(), Reduces);
}

}  // namespace tessera::vulkan
