#include "tools/cli/import_model.h"

#include "frontends/pt2/import.h"
#include "support/mapped_file.h"

// Defined by generated code.
namespace tessera::ops {
absl::Span<const ir::AtenInfo* const> CoreAten();
}  // namespace tessera::ops

namespace tessera::cli {

absl::StatusOr<onnx_import::ImportResult> ImportModel(const std::string& path,
                                                      const onnx_import::ImportOptions& options) {
  absl::StatusOr<support::MappedFile> file = support::MapFile(path);
  if (!file.ok()) return file.status();
  if (pt2_import::IsArchive(file->bytes))
    return pt2_import::Import(*file, path, options, ops::CoreAten());
  return onnx_import::ImportMapped(*file, path, options);
}

}  // namespace tessera::cli
