#include "frontends/data/tensor_file.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/tensor_file.h"
#include "support/file.h"
#include "support/npy.h"

namespace tessera::data {

absl::StatusOr<StoredTensor> ReadTensorFile(const std::string& path) {
  if (absl::EndsWith(path, ".pb")) {
    absl::StatusOr<onnx_import::NamedTensor> named = onnx_import::ReadTensorFile(path);
    if (!named.ok()) return named.status();
    return StoredTensor{std::move(named->name), std::move(named->tensor)};
  }
  if (!absl::EndsWith(path, ".npy")) {
    return absl::InvalidArgumentError(absl::StrCat("`", path, "`: neither .npy nor .pb"));
  }
  const absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<ir::Tensor> tensor = support::ParseNpy(*bytes);
  if (tensor.ok()) return StoredTensor{"", *std::move(tensor)};
  return absl::Status(tensor.status().code(),
                      absl::StrCat("`", path, "`: ", tensor.status().message()));
}

}  // namespace tessera::data
