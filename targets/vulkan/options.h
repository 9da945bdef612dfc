// Flags of the Vulkan target.
#ifndef TESSERA_TARGETS_VULKAN_OPTIONS_H_
#define TESSERA_TARGETS_VULKAN_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/target.h"

namespace tessera::vulkan {

struct CompileOptions {
  bool half = false;           // what lies between stages is stored in 16 bits
  bool least_memory = false;   // what takes less time but more memory is left out
  int64_t arena = 0;           // the most bytes that what is computed takes at one time; 0: any
  std::string device_profile;  // the name of one, or a file; empty: the portable one
  std::string tune_db;         // empty: nothing was measured
  std::string tune_device;     // a part of its name; empty: the only one of the database
};

std::vector<targets::Flag> CompileFlags();

// Error (InvalidArgument): a value that a flag does not take.
absl::StatusOr<CompileOptions> OptionsOf(const targets::FlagValues& flags);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_OPTIONS_H_
