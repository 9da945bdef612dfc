// A model for sizes at which what it computes would take more memory than the file allows or the
// device binds: run part by part, with what each part needs around it. Outputs are, bit for bit,
// those of one run.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_TILED_SESSION_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_TILED_SESSION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "targets/vulkan/runtime/parts.h"
#include "targets/vulkan/runtime/session.h"

namespace tessera::vulkan {

class TiledSession {
 public:
  // Null where all of it fits at once. TVK_OUT_OF_MEMORY: no parts do, with what the least take.
  static Status Create(const Model& model, std::span<const int64_t* const> shapes, bool specialized,
                       std::unique_ptr<TiledSession>& session);
  ~TiledSession();
  TiledSession(const TiledSession&) = delete;

  const std::vector<int64_t>& input_shape(uint32_t i) const { return inputs_[i].shape; }
  const std::vector<int64_t>& output_shape(uint32_t i) const { return outputs_[i].shape; }
  uint64_t input_bytes(uint32_t i) const { return BytesOf(inputs_[i]); }
  uint64_t output_bytes(uint32_t i) const { return BytesOf(outputs_[i]); }
  uint64_t arena_bytes() const { return arena_.size; }
  // One that runs parts: its dispatches are those of all.
  const Session& any() const { return *sessions_.begin()->second; }

  Status Run(const void* const* inputs, void* const* outputs) {
    return RunParts(inputs, outputs, nullptr);
  }
  // A run in two parts: all is computed in the first, and given out in the second.
  Status Begin(const void* const* inputs);
  Status Finish(void* const* outputs);
  // What each dispatch took, of all parts together.
  Status Profile(const void* const* inputs, void* const* outputs, double* seconds) {
    return RunParts(inputs, outputs, seconds);
  }

 private:
  // The arena for sizes, and whether each of its tensors can be bound.
  struct Need {
    bool defined = false, bound = false;
    uint64_t arena = 0;
  };
  explicit TiledSession(const Model& model) : model_(model) {}
  static uint64_t BytesOf(const Layout& layout);
  static Need NeedOf(const Model& model, std::span<const int64_t> symbols);
  static bool Fits(const Model& model, const Need& need);
  std::vector<Layout> LayoutsOf(const flatbuffers::Vector<uint32_t>& tensors,
                                std::span<const int64_t> symbols) const;
  // The parts for these lengths along each tiling; false: there are none, or the sizes of some are
  // not admitted.
  bool Divide(std::span<const int64_t> lengths);
  bool AreAdmitted() const;
  Status CreateSessions(bool specialized);
  std::vector<int64_t> SymbolsOf(std::span<const size_t> part) const;
  Status RunParts(const void* const* inputs, void* const* outputs, double* seconds);
  Status RunPart(std::span<const size_t> part, const void* const* inputs, void* const* outputs,
                 double* seconds);

  const Model& model_;
  std::vector<int64_t> symbols_;                                       // of all
  std::vector<Layout> inputs_, outputs_;                               // of all
  std::vector<std::vector<PartAlong>> parts_;                          // by tiling
  Buffer arena_;                                                       // of the largest part
  std::map<std::vector<int64_t>, std::unique_ptr<Session>> sessions_;  // by symbols
  std::vector<std::vector<uint8_t>> part_inputs_, part_outputs_, finished_;
  bool under_way_ = false;
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_TILED_SESSION_H_
