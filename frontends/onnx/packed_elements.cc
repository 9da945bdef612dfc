#include "frontends/onnx/packed_elements.h"

#include <utility>

namespace tessera::onnx_import {

using ir::DType;

int BitsInFile(DType dtype) {
  switch (dtype) {
    case DType::kI2:
    case DType::kU2:
      return 2;
    case DType::kI4:
    case DType::kU4:
    case DType::kF4E2M1:
      return 4;
    default:
      return static_cast<int>(8 * ir::SizeOf(dtype));
  }
}

int64_t BytesInFile(DType dtype, int64_t count) {
  const int bits = BitsInFile(dtype);
  if (bits >= 8) return count * (bits / 8);
  const int64_t each = 8 / bits;
  return count / each + (count % each != 0 ? 1 : 0);
}

absl::StatusOr<ir::Tensor> Unpacked(DType dtype, std::vector<int64_t> dims,
                                    absl::Span<const uint8_t> packed) {
  absl::StatusOr<ir::Tensor> tensor = ir::Tensor::Allocate(dtype, std::move(dims));
  if (!tensor.ok()) return tensor;
  const int bits = BitsInFile(dtype);
  const int64_t each = 8 / bits;
  const unsigned mask = (1u << bits) - 1;
  uint8_t* const out = tensor->mutable_data<uint8_t>();
  for (int64_t i = 0; i < tensor->size(); ++i) {
    const unsigned byte = packed[static_cast<size_t>(i / each)];
    out[i] = static_cast<uint8_t>((byte >> (i % each * bits)) & mask);
  }
  return tensor;
}

std::vector<uint8_t> Packed(const ir::Tensor& tensor) {
  const absl::Span<const uint8_t> bytes = tensor.bytes();
  const int bits = BitsInFile(tensor.dtype());
  if (bits >= 8) return {bytes.begin(), bytes.end()};
  std::vector<uint8_t> packed(static_cast<size_t>(BytesInFile(tensor.dtype(), tensor.size())));
  const size_t each = 8 / static_cast<size_t>(bits);
  const unsigned mask = (1u << bits) - 1;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const unsigned element = (bytes[i] & mask) << (i % each * static_cast<size_t>(bits));
    packed[i / each] = static_cast<uint8_t>(packed[i / each] | element);
  }
  return packed;
}

}  // namespace tessera::onnx_import
