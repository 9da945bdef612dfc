#include "frontends/data/tensor_writer.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/data/image_file.h"
#include "frontends/onnx/tensor_writer.h"
#include "support/npy.h"

namespace tessera::data {

absl::Status CheckSuffix(std::string_view view) {
  const std::string path(view);
  for (const char* suffix : {".npy", ".pb", ".png"}) {
    if (absl::EndsWith(path, suffix)) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("`", path, "`: neither .npy nor .pb nor .png"));
}

absl::StatusOr<std::string> SerializeFor(std::string_view view, std::string_view name,
                                         const ir::Tensor& tensor) {
  const std::string path(view);
  if (absl::Status status = CheckSuffix(path); !status.ok()) return status;
  if (absl::EndsWith(path, ".npy")) return support::SerializeNpy(tensor);
  absl::StatusOr<std::string> bytes;
  if (absl::EndsWith(path, ".pb")) bytes = onnx_import::SerializeTensor(name, tensor);
  if (absl::EndsWith(path, ".png")) bytes = SerializePng(tensor);
  if (bytes.ok()) return bytes;
  return absl::Status(bytes.status().code(),
                      absl::StrCat("`", path, "`: ", bytes.status().message()));
}

}  // namespace tessera::data
