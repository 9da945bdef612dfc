#include "targets/vulkan/program/flatten.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace tessera::vulkan {
namespace {

using nests::Nest;
using nests::Scalar;
using nests::ScalarNode;

class Flattening {
 public:
  Flattening(Program& program, Axes& axes) : program_(program), axes_(axes) {}

  void Run() {
    // One of several that write a tensor does so by the name that all of them have for it.
    std::map<int, int> writers;
    for (const Stage& stage : program_.stages) {
      for (const Nest& nest : stage.nests) ++writers[nest.target.index];
    }
    for (Stage& stage : program_.stages) {
      if (stage.nests.size() == 1 && !stage.IsRecurrence() && !stage.guarded &&
          stage.ends.empty() && writers[stage.nests.front().target.index] == 1 &&
          IsElementwise(stage.nests.front()))
        Flatten(stage.nests.front());
    }
  }

 private:
  const Tensor& TensorOf(int index) const { return program_.tensors[static_cast<size_t>(index)]; }

  bool IsElementwise(const Nest& nest) const {
    const Tensor& target = TensorOf(nest.target.index);
    if (nest.axes.size() < 2 || nest.at.size() != nest.axes.size() ||
        (target.dtype != ir::DType::kF32 && target.dtype != ir::DType::kF16))
      return false;
    absl::flat_hash_set<std::string> axes;
    for (size_t d = 0; d < nest.axes.size(); ++d) {
      if (nest.at[d] != nest.axes[d].symbol || nest.axes[d].extent != target.dims[d]) return false;
      axes.insert(nest.axes[d].symbol.ToString());
    }
    return IsElementwise(nest, nest.body, axes);
  }

  // A scalar that mentions axes in reads at their own places alone.
  bool IsElementwise(const Nest& nest, const Scalar& scalar,
                     const absl::flat_hash_set<std::string>& axes) const {
    const auto varies = [&](const Expr& e) {
      const std::vector<std::string> symbols = solver::SymbolsOf(e);
      return std::any_of(symbols.begin(), symbols.end(),
                         [&](const std::string& name) { return axes.contains(name); });
    };
    switch (scalar->kind) {
      case ScalarNode::kReduce:
      case ScalarNode::kWithin:
        return false;
      case ScalarNode::kIndex:
      case ScalarNode::kChoose:
        if (varies(scalar->index)) return false;
        break;
      case ScalarNode::kRead: {
        if (IsAtItsPlace(nest, *scalar)) return true;
        for (const nests::Index& index : scalar->at) {
          if (!index.data.IsNone() || varies(index.expr)) return false;
        }
        break;
      }
      default:
        break;
    }
    return std::all_of(scalar->args.begin(), scalar->args.end(),
                       [&](const Scalar& arg) { return IsElementwise(nest, arg, axes); });
  }

  bool IsAtItsPlace(const Nest& nest, const ScalarNode& read) const {
    const Tensor& tensor = TensorOf(read.tensor.index);
    if (tensor.kind == Tensor::kSizes || read.at.size() != nest.axes.size()) return false;
    for (size_t d = 0; d < read.at.size(); ++d) {
      if (!read.at[d].data.IsNone() || read.at[d].expr != nest.axes[d].symbol ||
          tensor.dims[d] != nest.axes[d].extent)
        return false;
    }
    return true;
  }

  void Flatten(Nest& nest) {
    Expr elements = 1;
    for (const nests::Axis& axis : nest.axes) elements *= axis.extent;
    const Expr symbol = axes_.Fresh(elements);
    Rewrite rewrite;
    rewrite.read = [&](const ScalarNode& read, std::vector<nests::Index> at, Scalar otherwise) {
      if (!IsAtItsPlace(nest, read))
        return Scalar::Read(read.tensor, read.number, std::move(at), std::move(otherwise));
      return Scalar::Read(InProgram(Flat(read.tensor.index, elements)), read.number,
                          {nests::Index(symbol)}, {});
    };
    nest.body = Rewritten(nest.body, rewrite);
    nest.target = InProgram(Flat(nest.target.index, elements));
    nest.axes = {{symbol, elements}};
    nest.at = {symbol};
  }

  // The tensor as a view with one axis.
  int Flat(int index, const Expr& elements) {
    const auto [place, added] = flat_.try_emplace(index, -1);
    if (!added) return place->second;
    Tensor view;
    view.kind = Tensor::kView;
    view.name = absl::StrCat(TensorOf(index).name, " (flat)");
    view.dtype = TensorOf(index).dtype;
    view.dims = {elements};
    view.viewed = index;
    program_.tensors.push_back(std::move(view));
    return place->second = static_cast<int>(program_.tensors.size()) - 1;
  }

  Program& program_;
  Axes& axes_;
  std::map<int, int> flat_;
};

}  // namespace

void FlattenElementwise(Program& program, Axes& axes) { Flattening(program, axes).Run(); }

}  // namespace tessera::vulkan
