#include "support/npy_series.h"

#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/npy.h"

namespace tessera::support {

absl::StatusOr<std::vector<ir::Tensor>> ReadNpySeries(const std::string& prefix) {
  std::vector<ir::Tensor> tensors;
  for (;;) {
    const std::string path = absl::StrCat(prefix, tensors.size(), ".npy");
    if (!std::filesystem::exists(path)) return tensors;
    const absl::StatusOr<std::string> bytes = ReadFile(path);
    if (!bytes.ok()) return bytes.status();
    absl::StatusOr<ir::Tensor> tensor = ParseNpy(*bytes);
    if (!tensor.ok()) return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
}

}  // namespace tessera::support
