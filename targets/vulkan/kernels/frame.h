// What the texts of all kernels have in common: buffers and how they are read, parameters, and what
// else stands around the statements.
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_FRAME_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_FRAME_H_

#include <cstddef>
#include <set>
#include <string>

#include "targets/vulkan/kernels/index_text.h"
#include "targets/vulkan/kernels/kernel.h"

namespace tessera::vulkan {

class Frame {
 public:
  Frame(const Program& program, const Stage& stage) : program_(program), stage_(stage) {}

  // What is not text: to be filled in but for bindings, texels, parameters, limits and features.
  KernelText& kernel() { return kernel_; }

  // The name of a tensor's buffer, which is bound; of one of fours of its elements. As it is
  // written it may be of another type (WrittenStorageOf).
  std::string Buffer(int tensor, bool written, bool by_four = false);
  // ScalarText::Load.
  std::string Load(int tensor, const std::string& index, bool by_four);

  // The kernel whose functions, `main` among them, are `text`; parameters and limits are those of
  // `index`.
  KernelText Finish(const IndexText& index, const std::string& text);

 private:
  bool HasTexels(int tensor) const;
  size_t NumberOf(int tensor) const;
  // `Outside_float()` and the like, where `text` calls them.
  std::string Reports(const std::string& text);
  std::string Parameters() const;
  std::string Buffers();

  const Program& program_;
  const Stage& stage_;
  KernelText kernel_;
  std::set<int> by_four_;                    // tensors that are read in steps of four elements
  std::set<int> written_, written_by_four_;  // those that are written in another type than read
  std::set<size_t> texels_, quads_;          // bindings that are read as texels
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_FRAME_H_
