#include "frontends/onnx/import_fuzz.h"

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "frontends/onnx/import.h"

namespace tessera::onnx_import {

std::string FuzzImport(const uint8_t* data, size_t size, bool& imported) {
  // On the heap and of exact size: reads past its end are found.
  auto bytes = std::make_shared<std::vector<uint8_t>>(data, data + size);
  absl::StatusOr<ImportResult> result = ImportBytes(*bytes, bytes, "fuzz.onnx", {});
  imported = result.ok();
  if (imported) {
    const absl::Status status = ir::Verify(*result->graph);
    return status.ok()
               ? ""
               : absl::StrCat("accepted, but the graph does not verify: ", status.message());
  }
  for (absl::string_view line : absl::StrSplit(result.status().message(), '\n')) {
    if (!absl::StartsWith(line, "fuzz.onnx: ") && !absl::StartsWith(line, "    ")) {
      return absl::StrCat("a line without the file: ", line);
    }
  }
  return "";
}

}  // namespace tessera::onnx_import
