#include "targets/vulkan/program/arrange.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {
namespace {

using nests::Index;
using nests::Scalar;
using nests::ScalarNode;

// The constant with axis `axis` last.
ir::Tensor WithLast(const ir::Tensor& tensor, size_t axis) {
  std::vector<int64_t> shape = tensor.shape();
  int64_t inner = 1;
  for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  const int64_t length = shape[axis], outer = tensor.size() / (inner * length);
  shape.erase(shape.begin() + static_cast<int64_t>(axis));
  shape.push_back(length);
  ir::Tensor moved = *ir::Tensor::Allocate(tensor.dtype(), std::move(shape));
  const float* from = tensor.data<float>();
  float* to = moved.mutable_data<float>();
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t l = 0; l < length; ++l) {
      for (int64_t i = 0; i < inner; ++i)
        to[(o * inner + i) * length + l] = from[(o * length + l) * inner + i];
    }
  }
  return moved;
}

class Arrangement {
 public:
  explicit Arrangement(Program& program) : program_(program) {}

  void Run() {
    for (Stage& stage : program_.stages) {
      if (stage.IsRecurrence()) continue;
      nests::Nest& nest = stage.nests.front();
      std::map<const ScalarNode*, size_t> moved;  // which axis comes last, by read
      EachRead(nest.body, [&](const ScalarNode& read, int depth) {
        const int axis = depth == 0 ? -1 : AxisToMove(nest, read);
        if (axis >= 0) moved[&read] = static_cast<size_t>(axis);
      });
      if (moved.empty()) continue;
      Rewrite rewrite;
      rewrite.read = [&](const ScalarNode& read, std::vector<Index> at, Scalar otherwise) {
        const auto found = moved.find(&read);
        if (found == moved.end())
          return Scalar::Read(read.tensor, read.number, std::move(at), std::move(otherwise));
        const Index last = at[found->second];
        at.erase(at.begin() + static_cast<int64_t>(found->second));
        at.push_back(last);
        return Scalar::Read(InProgram(Moved(read.tensor.index, found->second)), read.number,
                            std::move(at), {});
      };
      nest.body = Rewritten(nest.body, rewrite);
    }
  }

 private:
  // The axis of a constant that is read by an axis of the result itself; -1: there is none, it is
  // the last, or its length is no multiple of four.
  int AxisToMove(const nests::Nest& nest, const ScalarNode& read) const {
    const Tensor& tensor = program_.tensors[static_cast<size_t>(read.tensor.index)];
    if (tensor.kind != Tensor::kConstant || tensor.dtype != ir::DType::kF32 || !read.args.empty())
      return -1;
    for (size_t d = 0; d + 1 < read.at.size(); ++d) {
      if (!read.at[d].data.IsNone()) return -1;
      const bool own = std::any_of(nest.axes.begin(), nest.axes.end(), [&](const auto& axis) {
        return axis.symbol == read.at[d].expr && axis.extent == tensor.dims[d];
      });
      if (own && tensor.constant->shape()[d] % 4 == 0 && tensor.constant->size() > 0)
        return static_cast<int>(d);
    }
    return -1;
  }

  int Moved(int index, size_t axis) {
    const auto [place, added] = moved_.try_emplace({index, axis}, -1);
    if (!added) return place->second;
    Tensor tensor = program_.tensors[static_cast<size_t>(index)];
    tensor.constant = WithLast(*tensor.constant, axis);
    tensor.name = absl::StrCat(tensor.name, " (axis ", axis, " last)");
    const Expr length = tensor.dims[axis];
    tensor.dims.erase(tensor.dims.begin() + static_cast<int64_t>(axis));
    tensor.dims.push_back(length);
    program_.tensors.push_back(std::move(tensor));
    return place->second = static_cast<int>(program_.tensors.size()) - 1;
  }

  Program& program_;
  std::map<std::pair<int, size_t>, int> moved_;
};

}  // namespace

void ArrangeConstants(Program& program) { Arrangement(program).Run(); }

}  // namespace tessera::vulkan
