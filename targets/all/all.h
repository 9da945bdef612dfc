// The targets that a program links, and artifacts by their contents.
#ifndef TESSERA_TARGETS_ALL_ALL_H_
#define TESSERA_TARGETS_ALL_ALL_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "targets/target.h"

namespace tessera::targets {

// In the order in which they are listed to the user; the first is the default.
absl::Span<const Target* const> All();

std::vector<std::string> Names();
// Of the artifacts' files, without the dot, in the same order.
std::vector<std::string> Suffixes();

// The one of that name; null if there is none.
const Target* Find(std::string_view name);

// The one whose artifacts begin as these bytes do; else the one whose suffix `path` has,
// which can say what is wrong with the file; null if there is none.
const Target* TargetOf(std::string_view path, std::string_view first_bytes);

// Whether TargetOf knows the file; one that cannot be read is none.
bool IsArtifact(const std::string& path);

// An artifact of one of them. Maps the file; errors name `path`.
struct OpenedArtifact {
  const Target* target = nullptr;
  std::unique_ptr<Artifact> artifact;
};
absl::StatusOr<OpenedArtifact> OpenFile(const std::string& path);

}  // namespace tessera::targets

#endif  // TESSERA_TARGETS_ALL_ALL_H_
