// What compression has seen of models, in a file between runs: JSON, by the SHA-256 of a model (of
// what each stage was given) with what decides how it is imported, and by name.
#ifndef TESSERA_TOOLS_COMPRESSION_STATISTICS_FILE_H_
#define TESSERA_TOOLS_COMPRESSION_STATISTICS_FILE_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"
#include "passes/compression/calibration/kept_statistics.h"

namespace tessera::tools {

class StatisticsFile {
 public:
  // Empty where there is no file yet. Errors: it cannot be read, or is no such file.
  static absl::StatusOr<StatisticsFile> Read(const std::string& path);
  // `name` is for diagnostics.
  static absl::StatusOr<StatisticsFile> Parse(const std::string& name, std::string_view text);

  // Of the model with these bytes, imported so.
  calibration::KeptStatistics& Of(std::string_view model, const onnx_import::ImportOptions& import);
  bool empty() const { return models_.empty(); }
  std::string Serialize() const;

 private:
  std::map<std::string, calibration::KeptStatistics> models_;
};

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_STATISTICS_FILE_H_
