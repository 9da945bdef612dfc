#include "tools/compression/statistics_file.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "support/file.h"
#include "support/sha256.h"
#include "tools/compression/kept_steps.h"

namespace tessera::tools {
namespace {

constexpr char kVersion[] = "version", kModels[] = "models";
constexpr int kCurrent = 2;

}  // namespace

absl::StatusOr<StatisticsFile> StatisticsFile::Read(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return StatisticsFile();
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (!text.ok()) return text.status();
  return Parse(path, *text);
}

absl::StatusOr<StatisticsFile> StatisticsFile::Parse(const std::string& name,
                                                     std::string_view text) {
  const auto wrong = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat("`", name, "`: ", why));
  };
  const nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains(kVersion) ||
      !json.contains(kModels) || !json[kModels].is_object())
    return wrong("no file of statistics");
  if (json[kVersion] != kCurrent) return wrong("statistics of another version of the program");
  StatisticsFile file;
  for (const auto& [digest, kept] : json[kModels].items()) {
    if (!kept.is_object()) return wrong("no file of statistics");
    for (const auto& [what, numbers] : kept.items()) {
      std::vector<double> values;
      for (const nlohmann::json& number : numbers) {
        if (!number.is_number()) return wrong(absl::StrCat("`", what, "` has what is no number"));
        values.push_back(number.get<double>());
      }
      file.models_[digest].Keep(what, std::move(values));
    }
  }
  return file;
}

calibration::KeptStatistics& StatisticsFile::Of(std::string_view model,
                                                const onnx_import::ImportOptions& import) {
  return models_[support::Sha256(KeyOf({support::Sha256(model), KeyOf(import)}))];
}

std::string StatisticsFile::Serialize() const {
  nlohmann::json json = {{kVersion, kCurrent}, {kModels, nlohmann::json::object()}};
  for (const auto& [digest, kept] : models_) {
    if (!kept.all().empty()) json[kModels][digest] = kept.all();
  }
  return absl::StrCat(json.dump(), "\n");
}

}  // namespace tessera::tools
