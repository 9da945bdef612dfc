// What a driver made of a file's kernels, kept on disk from one start to the next.
#ifndef TESSERA_TARGETS_VULKAN_PIPELINE_CACHE_H_
#define TESSERA_TARGETS_VULKAN_PIPELINE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/types/span.h"

namespace tessera::vulkan {

// One file of a folder, by what it is for: the artifact, the device, its driver and that one's
// version. Nothing that goes wrong with it is an error of who runs a network: what cannot be read
// or is damaged is not there, and what cannot be written is not kept.
class PipelineCache {
 public:
  // As many files as a folder holds; those that were written longest ago make room.
  static constexpr size_t kMostFiles = 64;

  // Where the tools keep them: `TESSERA_CACHE`, which may be empty, or else `tessera` in
  // `XDG_CACHE_HOME` or in `.cache` of `HOME`. Empty: nowhere.
  static std::string Folder();

  PipelineCache() = default;  // keeps nothing
  PipelineCache(const std::string& folder, std::string_view device, std::string_view driver,
                absl::Span<const uint8_t> artifact);

  // Empty: nothing is kept.
  const std::string& path() const { return path_; }
  // Empty: there is none.
  std::string Read();
  // Unless it is what was read or written last.
  void Write(std::string_view data);

 private:
  std::string folder_, path_, key_;
  std::string known_;  // the digest of what the file holds
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PIPELINE_CACHE_H_
