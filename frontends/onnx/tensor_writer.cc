#include "frontends/onnx/tensor_writer.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/tensor_loader.h"
#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {

absl::StatusOr<std::string> SerializeTensor(std::string_view name, const ir::Tensor& tensor) {
  onnx::TensorProto proto;
  proto.set_name(std::string(name));
  for (int64_t dim : tensor.shape()) proto.add_dims(dim);
  const absl::Span<const uint8_t> bytes = tensor.bytes();
  proto.set_raw_data(bytes.data(), bytes.size());
  if (!ir::Contains(ir::kNarrowIntTypes | ir::kNarrowFloatTypes, tensor.dtype())) {
    for (int code = onnx::TensorProto::DataType_MIN; code <= onnx::TensorProto::DataType_MAX;
         ++code) {
      if (!onnx::TensorProto::DataType_IsValid(code)) continue;
      const absl::StatusOr<ir::DType> dtype = DTypeFromProto(code);
      if (!dtype.ok() || *dtype != tensor.dtype()) continue;
      proto.set_data_type(code);
      return proto.SerializeAsString();
    }
  }
  return absl::UnimplementedError(absl::StrCat("`", std::string(name), "`: elements of ",
                                               std::string(ir::NameOf(tensor.dtype())),
                                               " are not written as a TensorProto"));
}

}  // namespace tessera::onnx_import
