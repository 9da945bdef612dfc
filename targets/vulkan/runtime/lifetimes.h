// When what lies in the arena of a file is in use.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_LIFETIMES_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_LIFETIMES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// Memory of a tensor of the arena, of all tensors that are views of it, and of those that take its
// place: in use from one dispatch to another, both included. -1 is before the first one, when
// inputs are copied in.
struct Held {
  uint32_t tensor = 0;
  int64_t first = 0, last = 0, offset = 0;
  int64_t bytes = 0;                  // rounded up to what is bound
  std::vector<uint32_t> followed_by;  // that take the tensor's place one after the other
};

// What a dispatch writes lies where something lay that it reads, and nothing does later
// (in_place.h).
struct InPlace {
  uint32_t dispatch = 0, operand = 0, result = 0;
};

struct Lifetimes {
  std::vector<Held> held;
  std::vector<InPlace> in_place;
};

// `values` are those of the file's expressions; sizes and offsets of tensors are among them, at
// least 0. The file has been read, so that its indices lead somewhere. Outputs are in use up to the
// last dispatch.
Lifetimes LifetimesOf(const file::Model& model, std::span<const std::optional<int64_t>> values);

// Whether both are in use at some time.
bool AreTogether(const Held& a, const Held& b);

// Two that share bytes while both are in use; nullopt: there are none.
std::optional<std::pair<Held, Held>> FindOverlap(const std::vector<Held>& held);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_LIFETIMES_H_
