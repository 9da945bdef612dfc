// CONCATENATION as block copies.
#ifndef TESSERA_TARGETS_CIRCLE_OPS_CONCATENATION_KERNEL_H_
#define TESSERA_TARGETS_CIRCLE_OPS_CONCATENATION_KERNEL_H_

#include <cstdint>
#include <cstring>

#include "ir/op_info.h"

namespace tessera::ops {

template <class Shape>
bool CircleConcatenationFast(const Shape& s, const ir::KernelArgs& args) {
  ir::Tensor& result = args.outputs[0];
  uint8_t* target = result.template mutable_data<uint8_t>();
  const auto row_bytes = [&](const ir::Tensor& tensor) {
    size_t bytes = ir::SizeOf(tensor.dtype());
    for (size_t d = static_cast<size_t>(s.a); d < tensor.shape().size(); ++d)
      bytes *= static_cast<size_t>(tensor.shape()[d]);
    return bytes;
  };
  const size_t step = row_bytes(result);
  const size_t rows = step == 0 ? 0 : result.bytes().size() / step;
  size_t offset = 0;
  for (const ir::Tensor* operand : args.inputs) {
    const size_t bytes = row_bytes(*operand);
    for (size_t row = 0; row < rows; ++row) {
      std::memcpy(target + row * step + offset, operand->bytes().data() + row * bytes, bytes);
    }
    offset += bytes;
  }
  return true;
}

}  // namespace tessera::ops

#endif  // TESSERA_TARGETS_CIRCLE_OPS_CONCATENATION_KERNEL_H_
