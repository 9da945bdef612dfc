#include "targets/vulkan/artifact/accesses.h"

#include <algorithm>
#include <utility>

namespace tessera::vulkan {
namespace {

using nests::Scalar;
using nests::ScalarNode;

class Collection {
 public:
  Collection(const Program& program, const Stage& stage) : program_(program), stage_(stage) {}

  std::vector<Access> Run() {
    for (const nests::Nest& nest : stage_.nests) {
      Access place;
      place.axes = nest.axes;
      for (const auto& [at, extent] : stage_.ends) place.given.push_back(solver::Lt(at, extent));
      Visit(nest.body, place);
      place.tensor = nest.target.index;
      place.written = true;
      place.at = nest.at;
      place.looked_at.assign(nest.at.size(), false);
      Note(std::move(place));
    }
    return std::move(accesses_);
  }

 private:
  void Note(Access access) {
    if (std::find(accesses_.begin(), accesses_.end(), access) == accesses_.end())
      accesses_.push_back(std::move(access));
  }

  // Whether it is a position along an axis as long as `dim`: no kernel looks at that.
  static bool IsAlong(const Access& place, const Expr& at, const Expr& dim) {
    return std::any_of(place.axes.begin(), place.axes.end(), [&](const nests::Axis& axis) {
      return axis.symbol == at && axis.extent == dim;
    });
  }

  void Visit(const Scalar& scalar, const Access& place) {
    for (const nests::Index& index : scalar->at) {
      if (!index.data.IsNone()) Visit(index.data, place);
    }
    if (scalar->kind == ScalarNode::kRead) {
      const Tensor& tensor = program_.tensors[static_cast<size_t>(scalar->tensor.index)];
      Access read = place;
      read.tensor = scalar->tensor.index;
      const bool all = stage_.guarded || !scalar->args.empty();
      for (size_t d = 0; d < scalar->at.size(); ++d) {
        const bool data = !scalar->at[d].data.IsNone();
        read.at.push_back(data ? Expr(0) : scalar->at[d].expr);
        read.looked_at.push_back(data || (all && !IsAlong(place, read.at[d], tensor.dims[d])));
      }
      Note(std::move(read));
    }
    Access inside = place;
    if (scalar->kind == ScalarNode::kChoose) {
      inside.given.push_back(scalar->index);
      Visit(scalar->args[0], inside);
      inside.given.back() = solver::Not(scalar->index);
      Visit(scalar->args[1], inside);
      return;
    }
    inside.axes.insert(inside.axes.end(), scalar->axes.begin(), scalar->axes.end());
    for (const Scalar& arg : scalar->args) Visit(arg, inside);
  }

  const Program& program_;
  const Stage& stage_;
  std::vector<Access> accesses_;
};

}  // namespace

std::vector<Access> AccessesOf(const Program& program, const Stage& stage) {
  return Collection(program, stage).Run();
}

}  // namespace tessera::vulkan
