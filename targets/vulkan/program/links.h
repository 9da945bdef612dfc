// Who writes and who reads what lies between stages.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_LINKS_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_LINKS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// One nest whose points are all there, with accesses that a printed kernel does not look at when it
// runs and at no index that is data.
bool IsPlain(const Stage& stage);

class Links {
 public:
  explicit Links(const Program& program);

  // The plain stage that alone writes the tensor, each element at its own place. Nothing: not so,
  // or the tensor must be in memory, as an output or by other dims.
  std::optional<size_t> WriterOf(int tensor) const;
  // Stages, each once, in their order.
  const std::vector<size_t>& ReadersOf(int tensor) const {
    return readers_[static_cast<size_t>(tensor)];
  }

  // What was to be known of `from` is now to be known of `into`, which took their nests.
  void Join(const std::vector<size_t>& from, size_t into);

 private:
  const Program& program_;
  std::vector<std::vector<size_t>> writers_, readers_;  // by tensor
  std::vector<bool> in_memory_;
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_LINKS_H_
