#include "tools/compression/kept_steps.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "support/file.h"
#include "support/sha256.h"

namespace tessera::tools {
namespace {

std::string TextOf(const ir::Tensor& tensor) {
  return KeyOf({absl::StrCat(static_cast<int>(tensor.dtype())), absl::StrJoin(tensor.shape(), "x"),
                support::Sha256(tensor.bytes())});
}

// The file that this code was loaded from: of an interpreter's extension not what it runs as.
absl::StatusOr<std::string> LoadedFrom() {
  const auto here = reinterpret_cast<uintptr_t>(&TextOf);
  std::ifstream maps("/proc/self/maps");  // has no size
  for (std::string text; std::getline(maps, text);) {
    const absl::string_view line = text;
    // `FROM-TO MODE OFFSET DEVICE INODE      PATH`, the path up to the end of the line.
    const std::pair<absl::string_view, absl::string_view> range =
        absl::StrSplit(line.substr(0, line.find(' ')), absl::MaxSplits('-', 1));
    uint64_t from = 0, to = 0;
    const size_t path = line.find('/');
    if (path == absl::string_view::npos || !absl::SimpleHexAtoi(range.first, &from) ||
        !absl::SimpleHexAtoi(range.second, &to))
      continue;
    if (from <= here && here < to) return std::string(line.substr(path));
  }
  return absl::InternalError("/proc/self/maps: the program's own file is not there");
}

}  // namespace

absl::StatusOr<KeptSteps> KeptSteps::Open(const std::string& folder) {
  const absl::StatusOr<std::string> program = LoadedFrom();
  if (!program.ok()) return program.status();
  const absl::StatusOr<support::FileSha256> digest = support::Sha256OfFile(*program);
  if (!digest.ok()) return digest.status();
  if (const absl::Status status = support::MakeFolder(folder); !status.ok()) return status;
  return KeptSteps(folder, digest->digest);
}

std::string KeptSteps::PathOf(std::string_view key) const {
  return absl::StrCat(folder_, "/", support::Sha256(KeyOf({program_, std::string(key)})), ".step");
}

std::optional<std::string> KeptSteps::Find(std::string_view key) {
  const std::string path = PathOf(key);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (!text.ok()) return std::nullopt;
  const size_t line = text->find('\n');
  if (line == std::string::npos) return std::nullopt;
  std::string bytes = text->substr(line + 1);
  if (text->substr(0, line) != support::Sha256(bytes)) return std::nullopt;
  ++taken_;
  return bytes;
}

absl::Status KeptSteps::Keep(std::string_view key, std::string_view bytes) const {
  return support::WriteFile(PathOf(key),
                            absl::StrCat(support::Sha256(bytes), "\n", std::string(bytes)));
}

absl::StatusOr<std::string> KeptSteps::DigestOf(const std::string& name,
                                                const calibration::SampleSource& samples) {
  if (const auto known = digests_.find(name); known != digests_.end()) return known->second;
  std::vector<std::string> parts;
  for (size_t s = 0; s < samples.size(); ++s) {
    const absl::StatusOr<std::vector<ir::Tensor>> inputs = samples.Load(s);
    if (!inputs.ok()) return inputs.status();
    std::vector<std::string> sample;
    for (const ir::Tensor& input : *inputs) sample.push_back(TextOf(input));
    parts.push_back(KeyOf(sample));
  }
  return digests_[name] = support::Sha256(KeyOf(parts));
}

std::string KeyOf(const std::vector<std::string>& parts) {
  std::string key;
  for (const std::string& part : parts) absl::StrAppend(&key, part.size(), ":", part);
  return key;
}

std::string KeyOf(const onnx_import::ImportOptions& options) {
  std::vector<std::string> parts = {absl::StrCat(options.max_unroll),
                                    absl::StrCat(static_cast<int>(options.assume)),
                                    absl::StrCat(options.strict_opset)};
  for (const onnx_import::DimOption& dim : options.dims) parts.push_back(KeyOf({"dim", dim.text}));
  for (const auto& [name, tensor] : options.bind)
    parts.push_back(KeyOf({"bind", name, TextOf(tensor)}));
  for (const std::string& reading : options.readings) parts.push_back(KeyOf({"reading", reading}));
  return KeyOf(parts);
}

}  // namespace tessera::tools
