// A file that was read, as the tools see it.
#ifndef TESSERA_TARGETS_VULKAN_OPEN_ARTIFACT_H_
#define TESSERA_TARGETS_VULKAN_OPEN_ARTIFACT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "targets/target.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// What a certificate says of a file.
std::vector<targets::DeviceLimit> LimitsOf(const file::Model& model);

// `model` is what ReadArtifact found in `bytes`, which are `owner`'s.
std::unique_ptr<targets::Artifact> OpenArtifact(absl::Span<const uint8_t> bytes,
                                                std::shared_ptr<const void> owner,
                                                const file::Model& model);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_OPEN_ARTIFACT_H_
