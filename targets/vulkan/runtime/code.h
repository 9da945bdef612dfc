// What a kernel's SPIR-V says of itself, against what the file says of the kernel.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_CODE_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_CODE_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// Of modules with logical addressing, which alone are taken: pointers come from variables and
// access chains, so that what is stored to is known without running it.
struct CodeInterface {
  uint32_t workgroup[3] = {0, 0, 0};
  uint32_t features = 0;               // tvk_feature bits that its capabilities ask for
  std::set<uint32_t> uniforms;         // bindings of set 0: blocks,
  std::set<uint32_t> buffers, texels;  // storage buffers, texel buffers
  std::set<uint32_t> written;          // those storage buffers that it may write to
  uint64_t shared_bytes = 0;           // of memory that a workgroup's invocations share
};

// Empty, or what is wrong: no SPIR-V, cut off, or something that no kernel of a file has (another
// descriptor set, another class of storage, a capability).
std::string ReadCode(std::span<const uint32_t> code, CodeInterface& interface);

// Empty, or how the code of `kernel` differs from what the file says of it. `written`: the bindings
// that every dispatch of it says to be written.
std::string CheckCode(const file::Kernel& kernel, uint32_t features,
                      const std::set<uint32_t>& written);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_CODE_H_
