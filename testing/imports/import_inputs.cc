#include "testing/imports/import_inputs.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "support/file.h"

namespace tessera::testing {

absl::StatusOr<ImportInputs> ReadImportInputs(const std::vector<std::string>& paths) {
  if (paths.size() != 4) return absl::InvalidArgumentError("not four paths");
  std::string table;
  for (size_t i = 0; i < 2; ++i) {
    const absl::StatusOr<std::string> text = support::ReadFile(paths[i]);
    if (!text.ok()) return text.status();
    table += *text;
  }
  absl::StatusOr<OnnxSchemas> schemas = OnnxSchemas::Read(table);
  if (!schemas.ok()) return schemas.status();
  ImportInputs inputs{*std::move(schemas), {}};
  if (absl::Status status = ReadNodeTests(paths[2], inputs.tests); !status.ok()) return status;
  const absl::StatusOr<std::string> nodes = support::ReadFile(paths[3]);
  if (!nodes.ok()) return nodes.status();
  if (absl::Status status = ParseNodeTests(*nodes, paths[3], inputs.tests); !status.ok())
    return status;
  return inputs;
}

}  // namespace tessera::testing
