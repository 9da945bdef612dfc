#include "frontends/onnx/edit/tensor_proto.h"

#include <cstdint>

namespace tessera::onnx_import {
namespace {

using ir::DType;

// TensorProto.DataType; from 17 on types of later versions of onnx.proto than we build with.
int ProtoType(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return 9;
    case DType::kI8:
      return 3;
    case DType::kI16:
      return 5;
    case DType::kI32:
      return 6;
    case DType::kI64:
      return 7;
    case DType::kU8:
      return 2;
    case DType::kU16:
      return 4;
    case DType::kU32:
      return 12;
    case DType::kU64:
      return 13;
    case DType::kF16:
      return 10;
    case DType::kBF16:
      return 16;
    case DType::kF32:
      return 1;
    case DType::kF64:
      return 11;
    case DType::kF8E4M3FN:
      return 17;
    case DType::kF8E4M3FNUZ:
      return 18;
    case DType::kF8E5M2:
      return 19;
    case DType::kF8E5M2FNUZ:
      return 20;
    case DType::kU4:
      return 21;
    case DType::kI4:
      return 22;
    case DType::kF4E2M1:
      return 23;
    case DType::kF8E8M0:
      return 24;
    case DType::kU2:
      return 25;
    case DType::kI2:
      return 26;
  }
  return 0;
}

int BitsOf(DType dtype) {
  if (dtype == DType::kI4 || dtype == DType::kU4 || dtype == DType::kF4E2M1) return 4;
  if (dtype == DType::kI2 || dtype == DType::kU2) return 2;
  return 8;
}

}  // namespace

void FillProto(const std::string& name, const ir::Tensor& tensor, onnx::TensorProto& proto) {
  proto.Clear();
  proto.set_name(name);
  proto.set_data_type(ProtoType(tensor.dtype()));
  for (const int64_t dim : tensor.shape()) proto.add_dims(dim);
  const absl::Span<const uint8_t> bytes = tensor.bytes();
  const int bits = BitsOf(tensor.dtype());
  if (bits == 8) {
    proto.set_raw_data(bytes.data(), bytes.size());
    return;
  }
  const size_t each = 8 / static_cast<size_t>(bits);
  std::string packed((bytes.size() + each - 1) / each, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    const unsigned code = bytes[i] & ((1u << bits) - 1);
    packed[i / each] = static_cast<char>(static_cast<unsigned char>(packed[i / each]) |
                                         (code << (static_cast<size_t>(bits) * (i % each))));
  }
  proto.set_raw_data(packed);
}

}  // namespace tessera::onnx_import
