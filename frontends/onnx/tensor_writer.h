// Tensors as TensorProto, the inverse of tensor_file.h.
#ifndef TESSERA_FRONTENDS_ONNX_TENSOR_WRITER_H_
#define TESSERA_FRONTENDS_ONNX_TENSOR_WRITER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/tensor.h"

namespace tessera::onnx_import {

// A file of one TensorProto with raw contents. Error: elements of less than a byte.
absl::StatusOr<std::string> SerializeTensor(std::string_view name, const ir::Tensor& tensor);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_TENSOR_WRITER_H_
