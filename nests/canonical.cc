// Names of axes by position; equality and hashes of computations.
#include <map>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "nests/nest.h"

namespace tessera::nests {
namespace {

using Names = std::map<std::string, Expr, std::less<>>;

class Renamer {
 public:
  explicit Renamer(solver::Context& context) : context_(context) {}

  std::vector<Axis> Open(const std::vector<Axis>& axes) {
    std::vector<Axis> renamed;
    for (const Axis& axis : axes) {
      const Expr extent = Renamed(axis.extent);
      const std::string name = absl::StrCat("a", open_++, "'");
      const auto symbol = context_.Declare(name, {0, (int64_t{1} << 31) - 2}, {}, "axis");
      const solver::View view(axis.symbol);
      names_[std::string(view.symbol())] = symbol.ok() ? *symbol : Expr::Invalid();
      renamed.push_back({symbol.ok() ? *symbol : Expr::Invalid(), extent});
    }
    return renamed;
  }

  Expr Renamed(const Expr& e) const { return solver::Substitute(e, names_); }

  Scalar Renamed(const Scalar& scalar) {
    const Names names = names_;
    const int open = open_;
    std::vector<Axis> axes = Open(scalar->axes);
    std::vector<Scalar> args;
    for (const Scalar& arg : scalar->args) args.push_back(Renamed(arg));
    std::vector<Index> at;
    for (const Index& index : scalar->at)
      at.push_back(index.data.IsNone() ? Index(Renamed(index.expr)) : Index(Renamed(index.data)));
    const Expr index = Renamed(scalar->index);
    names_ = names;
    open_ = open;
    switch (scalar->kind) {
      case ScalarNode::kLiteral:
        return scalar;
      case ScalarNode::kIndex:
        return scalar->number == Number::kBool ? Scalar::OfProposition(index)
                                               : Scalar::OfIndex(index);
      case ScalarNode::kRead:
        return Scalar::Read(scalar->tensor, scalar->number, std::move(at),
                            args.empty() ? Scalar() : args[0]);
      case ScalarNode::kReduce:
        return Scalar::Reduce(scalar->reduction, scalar->number, scalar->literal, std::move(axes),
                              std::move(args));
      case ScalarNode::kCall:
        return Scalar::Call(scalar->function, scalar->number, std::move(args));
      case ScalarNode::kChoose:
        return Scalar::Choose(index, args[0], args[1]);
      case ScalarNode::kCast:
        return Scalar::Cast(scalar->number, args[0]);
      case ScalarNode::kWithin:
        return Scalar::Within(args[0], index);
    }
    return scalar;
  }

  Nest Renamed(const Nest& nest) {
    names_.clear();
    open_ = 0;
    Nest renamed;
    renamed.target = nest.target;
    renamed.order = nest.order;
    renamed.axes = Open(nest.axes);
    for (const Expr& index : nest.at) renamed.at.push_back(Renamed(index));
    renamed.body = Renamed(nest.body);
    return renamed;
  }

 private:
  solver::Context& context_;
  Names names_;
  int open_ = 0;
};

bool SameTensors(const std::vector<TensorInfo>& a, const std::vector<TensorInfo>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype != b[i].dtype || a[i].number != b[i].number || a[i].dims != b[i].dims ||
        a[i].present != b[i].present)
      return false;
  }
  return true;
}

}  // namespace

Computation Canonical(const Computation& computation, solver::Context& context) {
  Computation canonical = computation;
  Renamer renamer(context);
  for (Nest& nest : canonical.nests) nest = renamer.Renamed(nest);
  return canonical;
}

size_t HashOf(const Computation& computation) {
  size_t hash = computation.nests.size();
  for (const auto* list : {&computation.operands, &computation.temps, &computation.results}) {
    for (const TensorInfo& info : *list)
      hash = absl::HashOf(hash, static_cast<int>(info.dtype), info.dims);
  }
  for (const Nest& nest : computation.nests) {
    hash =
        absl::HashOf(hash, static_cast<int>(nest.target.kind), nest.target.index, nest.at,
                     nest.body.hash(), nest.order.along, nest.order.reverse, nest.order.together);
    for (const Axis& axis : nest.axes) hash = absl::HashOf(hash, axis.extent);
  }
  return hash;
}

bool Same(const Computation& a, const Computation& b) {
  return SameTensors(a.operands, b.operands) && SameTensors(a.temps, b.temps) &&
         SameTensors(a.results, b.results) && a.nests == b.nests;
}

}  // namespace tessera::nests
