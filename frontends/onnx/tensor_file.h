// One TensorProto, in a file or in memory: inputs and outputs in the layout of ONNX's backend tests
// (test_data_set_K/input_0.pb).
#ifndef TESSERA_FRONTENDS_ONNX_TENSOR_FILE_H_
#define TESSERA_FRONTENDS_ONNX_TENSOR_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"

namespace tessera::onnx_import {

struct NamedTensor {
  std::string name;  // of the graph's input or output; may be empty
  ir::Tensor tensor;
};

// Errors name `path`: NotFound, no TensorProto, an element type that has no counterpart, contents
// that disagree with dims.
absl::StatusOr<NamedTensor> ReadTensorFile(const std::string& path);

// The same of bytes that lie as a mapped file does; they stay as long as `owner`. External contents
// are refused.
absl::StatusOr<NamedTensor> ParseTensor(absl::Span<const uint8_t> bytes,
                                        std::shared_ptr<const void> owner);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_TENSOR_FILE_H_
