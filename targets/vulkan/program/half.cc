#include "targets/vulkan/program/half.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tessera::vulkan {
namespace {

constexpr int64_t kFew = 256;  // constants of no more elements are no traffic
// The largest number of f16, and the least that has all its bits.
constexpr float kLargest = 65504, kNormal = 6.103515625e-5f;

// Beside its largest element what f16 rounds or drops is small.
bool Holds(const ir::Tensor& tensor) {
  float most = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const float size = std::fabs(tensor.data<float>()[i]);
    if (!(size <= kLargest)) return false;  // NaN neither
    most = std::max(most, size);
  }
  return most == 0 || most >= 16 * kNormal;
}

}  // namespace

void StoreInHalf(Program& program) {
  std::vector<bool> wide(program.tensors.size(), false);
  const auto keep = [&](int tensor) {
    wide[static_cast<size_t>(program.StorageOf(tensor))] = true;
  };
  for (int input : program.inputs) keep(input);
  for (int output : program.outputs) keep(output);
  for (const Stage& stage : program.stages) {
    if (!stage.IsRecurrence()) continue;
    for (const nests::Nest& nest : stage.nests) keep(nest.target.index);
  }
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    Tensor& tensor = program.tensors[i];
    if (tensor.dtype != ir::DType::kF32) wide[i] = true;
    if (wide[i] || tensor.kind == Tensor::kView) continue;
    if (tensor.kind == Tensor::kConstant) {
      if (tensor.constant->size() <= kFew || !Holds(*tensor.constant)) {
        wide[i] = true;
        continue;
      }
      tensor.constant = tensor.constant->CastTo(ir::DType::kF16);
    }
    tensor.dtype = ir::DType::kF16;
  }
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    Tensor& tensor = program.tensors[i];
    if (tensor.kind == Tensor::kView)
      tensor.dtype =
          program.tensors[static_cast<size_t>(program.StorageOf(static_cast<int>(i)))].dtype;
  }
}

}  // namespace tessera::vulkan
