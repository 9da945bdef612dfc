// Tensors in files of either kind.
#ifndef TESSERA_FRONTENDS_DATA_TENSOR_FILE_H_
#define TESSERA_FRONTENDS_DATA_TENSOR_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "ir/tensor.h"

namespace tessera::data {

struct StoredTensor {
  std::string name;  // as the file says; empty where it does not
  ir::Tensor tensor;
};

// A .npy or .pb (ONNX TensorProto) file, by the end of its name; errors name the path.
absl::StatusOr<StoredTensor> ReadTensorFile(const std::string& path);

}  // namespace tessera::data

#endif  // TESSERA_FRONTENDS_DATA_TENSOR_FILE_H_
