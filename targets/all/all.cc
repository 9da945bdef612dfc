#include "targets/all/all.h"

#include <algorithm>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/mapped_file.h"

namespace tessera::targets {

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const Target* target : All()) names.emplace_back(target->name());
  return names;
}

std::vector<std::string> Suffixes() {
  std::vector<std::string> suffixes;
  for (const Target* target : All()) suffixes.emplace_back(target->suffix());
  return suffixes;
}

const Target* Find(std::string_view name) {
  for (const Target* target : All()) {
    if (target->name() == name) return target;
  }
  return nullptr;
}

const Target* TargetOf(std::string_view path, std::string_view first_bytes) {
  for (const Target* target : All()) {
    if (target->Recognizes(first_bytes)) return target;
  }
  for (const Target* target : All()) {
    if (path.ends_with("." + std::string(target->suffix()))) return target;
  }
  return nullptr;
}

bool IsArtifact(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string first(kRecognizedBy, '\0');
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<size_t>(file.gcount()));
  return TargetOf(path, first) != nullptr;
}

absl::StatusOr<OpenedArtifact> OpenFile(const std::string& path) {
  const absl::StatusOr<support::MappedFile> file = support::MapFile(path);
  if (!file.ok()) return file.status();
  const std::string_view first(reinterpret_cast<const char*>(file->bytes.data()),
                               std::min(file->bytes.size(), kRecognizedBy));
  OpenedArtifact opened;
  opened.target = TargetOf(path, first);
  if (opened.target == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "`", path, "`: no artifact of a target that there is: ", absl::StrJoin(Names(), ", ")));
  }
  absl::StatusOr<std::unique_ptr<Artifact>> artifact =
      opened.target->Open(file->bytes, file->owner);
  if (!artifact.ok()) {
    return absl::Status(artifact.status().code(),
                        absl::StrCat("`", path, "`: ", artifact.status().message()));
  }
  opened.artifact = *std::move(artifact);
  return opened;
}

}  // namespace tessera::targets
