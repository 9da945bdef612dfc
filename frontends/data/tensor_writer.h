// Tensors to files of every kind.
#ifndef TESSERA_FRONTENDS_DATA_TENSOR_WRITER_H_
#define TESSERA_FRONTENDS_DATA_TENSOR_WRITER_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/tensor.h"

namespace tessera::data {

// Error (InvalidArgument): the end of the name is that of no kind of file.
absl::Status CheckSuffix(std::string_view path);

// The contents of a file of that name: .npy, .pb (a TensorProto called `name`), or .png
// (image_file.h says which tensors are pictures). Errors name the path.
absl::StatusOr<std::string> SerializeFor(std::string_view path, std::string_view name,
                                         const ir::Tensor& tensor);

}  // namespace tessera::data

#endif  // TESSERA_FRONTENDS_DATA_TENSOR_WRITER_H_
