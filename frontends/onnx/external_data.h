// Tensor contents kept in files beside the model (onnx.proto, TensorProto.external_data).
#ifndef TESSERA_FRONTENDS_ONNX_EXTERNAL_DATA_H_
#define TESSERA_FRONTENDS_ONNX_EXTERNAL_DATA_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "onnx/onnx_pb.h"
#include "support/mapped_file.h"

namespace tessera::onnx_import {

class ExternalData {
 public:
  // Without a model file (a model in memory), every external location is refused.
  ExternalData() = default;
  // `model_path` as the user gave it. Locations are resolved in its folder. A location may be a
  // symbolic link, as may the model itself, but what it leads to must be in the folder given or in
  // the folder where the model really is (a build sandbox links each file on its own).
  explicit ExternalData(std::string model_path) : model_path_(std::move(model_path)) {}

  // The bytes that `tensor`, which has data_location EXTERNAL, refers to; mapped, not read. Without
  // a `length` they are the `bytes` that it takes, as runtimes read it, or what is left. Errors: a
  // location that is missing, absolute, has a
  // `..`, leads out of the folder, or is no regular file; an offset or length that is no number or
  // exceeds the file.
  absl::StatusOr<support::MappedFile> Find(const onnx::TensorProto& tensor, uint64_t bytes);
  // Those that were mapped, by their location as the model names it.
  const std::map<std::string, support::MappedFile>& files() const { return files_; }

 private:
  absl::StatusOr<support::MappedFile> Map(const std::string& location);

  std::string model_path_;
  std::map<std::string, support::MappedFile> files_;  // by location
};

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_EXTERNAL_DATA_H_
