#include "frontends/onnx/external_data.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/quoting.h"

namespace tessera::onnx_import {
namespace {

namespace fs = std::filesystem;

absl::Status CheckRelative(const std::string& location) {
  if (location.empty()) return absl::InvalidArgumentError("external data without a `location`");
  const auto refuse = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("external data at ", Quoted(location), ": ", why,
                     "; a location is a path below the model's folder"));
  };
  if (location.find('\0') != std::string::npos) return refuse("zero byte in a path");
  const fs::path path(location);
  if (path.is_absolute() || location.front() == '/' || location.front() == '\\')
    return refuse("absolute path");
  for (const fs::path& part : path) {
    if (part == "..") return refuse("`..` in a path");
  }
  return absl::OkStatus();
}

bool IsBelow(const fs::path& path, const fs::path& folder) {
  auto part = path.begin();
  for (const fs::path& expected : folder) {
    if (part == path.end() || *part != expected) return false;
    ++part;
  }
  return part != path.end();
}

absl::StatusOr<uint64_t> Number(const std::string& key, const std::string& text) {
  uint64_t value = 0;
  if (!absl::SimpleAtoi(text, &value)) {
    return absl::InvalidArgumentError(
        absl::StrCat("external data with `", key, "` ", Quoted(text), ", not a number >= 0"));
  }
  return value;
}

}  // namespace

absl::StatusOr<support::MappedFile> ExternalData::Map(const std::string& location) {
  if (auto it = files_.find(location); it != files_.end()) return it->second;
  if (absl::Status status = CheckRelative(location); !status.ok()) return status;
  if (model_path_.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("external data at ", Quoted(location),
                                                   ", but the model is not a file in a folder"));
  }
  const fs::path model(model_path_);
  const fs::path given = model.has_parent_path() ? model.parent_path() : fs::path(".");
  std::error_code error;
  const fs::path target = fs::canonical(given / location, error);
  if (error)
    return absl::NotFoundError(
        absl::StrCat("external data at ", Quoted(location), ": ", error.message()));
  const fs::path folder = fs::canonical(given, error);
  std::error_code model_error;
  const fs::path real_model = fs::canonical(model, model_error);
  const bool inside = (!error && IsBelow(target, folder)) ||
                      (!model_error && IsBelow(target, real_model.parent_path()));
  if (!inside) {
    return absl::InvalidArgumentError(
        absl::StrCat("external data at ", Quoted(location),
                     ": a symbolic link leads out of the model's folder"));
  }
  absl::StatusOr<support::MappedFile> file = support::MapFile(target.string());
  if (!file.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("external data at ", Quoted(location), ": ", file.status().message()));
  }
  files_.emplace(location, *file);
  return file;
}

absl::StatusOr<support::MappedFile> ExternalData::Find(const onnx::TensorProto& tensor,
                                                       uint64_t bytes) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") {
      location = entry.value();
    } else if (entry.key() == "offset" || entry.key() == "length") {
      absl::StatusOr<uint64_t> number = Number(entry.key(), entry.value());
      if (!number.ok()) return number.status();
      if (entry.key() == "offset") {
        offset = *number;
      } else {
        length = *number;
      }
    }  // `checksum` and unknown keys say nothing about where the bytes are
  }
  absl::StatusOr<support::MappedFile> file = Map(location);
  if (!file.ok()) return file.status();
  const uint64_t size = file->bytes.size();
  if (offset > size || length.value_or(0) > size - offset) {
    return absl::InvalidArgumentError(absl::StrCat(
        "external data at ", Quoted(location), ": offset ", offset, " and length ",
        length ? absl::StrCat(*length) : "to the end", " exceed the file of ", size, " bytes"));
  }
  file->bytes = file->bytes.subspan(offset, length ? *length : std::min(bytes, size - offset));
  return file;
}

}  // namespace tessera::onnx_import
