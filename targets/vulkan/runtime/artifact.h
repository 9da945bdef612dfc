// A file, looked at before anything of it is used.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_ARTIFACT_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_ARTIFACT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "targets/vulkan/runtime/status.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

inline constexpr uint32_t kFileVersion = 6;
inline constexpr int64_t kAlignment = 256;  // of what is bound: no device asks for more

// Where a kernel finds what storage buffer b holds as texels, of one element and of four.
inline constexpr uint32_t kMostBindings = 64;
inline constexpr uint32_t kTexelBinding = 64, kQuadBinding = 128;

// Constants of a kernel's specialization: whether it reads texels, whether its parameters are
// constants, and the first of these.
inline constexpr uint32_t kTexelConstant = 0, kSizedConstant = 1, kParameterConstant = 2;

// What stands behind the FlatBuffer.
inline constexpr size_t kTrailerBytes = 16;
inline constexpr char kTrailerTag[] = "TVKCRC64";
uint64_t Crc64(std::span<const uint8_t> bytes);

// The model in `bytes`, which start at a multiple of 8. Errors say what is wrong with the file:
// no file of this kind, cut off, damaged, of another version, or an index in it that leads nowhere.
Status ReadArtifact(std::span<const uint8_t> bytes, const file::Model*& model);

size_t BytesOf(file::DType dtype);  // of one element

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_ARTIFACT_H_
