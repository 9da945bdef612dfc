// ir::Tensor to TensorProto.
#ifndef TESSERA_FRONTENDS_ONNX_EDIT_TENSOR_PROTO_H_
#define TESSERA_FRONTENDS_ONNX_EDIT_TENSOR_PROTO_H_

#include <string>

#include "absl/status/status.h"
#include "ir/tensor.h"
#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {

// Narrow types are packed as onnx.proto says: two (or four) to a byte, the first in the low bits.
void FillProto(const std::string& name, const ir::Tensor& tensor, onnx::TensorProto& proto);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_EDIT_TENSOR_PROTO_H_
