#include "kernels/transpose.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tessera::kernels {
namespace {

struct Axis {
  int64_t size, source_stride, target_stride;  // in elements
};

// The axes of the result that have more than one element, neighbours that stay neighbours merged.
std::vector<Axis> MergedAxes(std::span<const int64_t> dims, std::span<const int64_t> perm) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= dims[d];
  }
  std::vector<Axis> axes;
  int64_t target_stride = 1;
  for (size_t d = perm.size(); d-- > 0;) {
    const size_t from = static_cast<size_t>(perm[d]);
    const Axis axis{dims[from], strides[from], target_stride};
    target_stride *= axis.size;
    if (axis.size == 1) continue;
    if (!axes.empty() && axis.source_stride == axes.back().source_stride * axes.back().size) {
      axes.back().size *= axis.size;
    } else {
      axes.push_back(axis);
    }
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

using Four = uint32_t __attribute__((vector_size(16)));

// Four elements of four bytes of each of four lines, which become those of four columns. Steps are
// in bytes.
inline void Turn4x4(const uint8_t* source, int64_t source_step, uint8_t* target,
                    int64_t target_step) {
  Four lines[4], columns[4];
  for (int64_t k = 0; k < 4; ++k) std::memcpy(&lines[k], source + k * source_step, sizeof(Four));
  const Four low = __builtin_shufflevector(lines[0], lines[1], 0, 4, 1, 5);
  const Four low_next = __builtin_shufflevector(lines[2], lines[3], 0, 4, 1, 5);
  const Four high = __builtin_shufflevector(lines[0], lines[1], 2, 6, 3, 7);
  const Four high_next = __builtin_shufflevector(lines[2], lines[3], 2, 6, 3, 7);
  columns[0] = __builtin_shufflevector(low, low_next, 0, 1, 4, 5);
  columns[1] = __builtin_shufflevector(low, low_next, 2, 3, 6, 7);
  columns[2] = __builtin_shufflevector(high, high_next, 0, 1, 4, 5);
  columns[3] = __builtin_shufflevector(high, high_next, 2, 3, 6, 7);
  for (int64_t k = 0; k < 4; ++k) std::memcpy(target + k * target_step, &columns[k], sizeof(Four));
}

template <size_t kBytes>
class Permutation {
 public:
  explicit Permutation(std::vector<Axis> axes) : outer_(std::move(axes)) {
    // Two axes are left to `Plane`: the innermost of the result and the innermost of the source.
    if (outer_.empty()) return;
    column_ = outer_.back();
    outer_.pop_back();
    is_block_ = column_.source_stride == 1;
    if (is_block_ || outer_.empty()) return;
    const auto innermost = std::min_element(
        outer_.begin(), outer_.end(),
        [](const Axis& a, const Axis& b) { return a.source_stride < b.source_stride; });
    row_ = *innermost;
    outer_.erase(innermost);
  }

  void Run(const uint8_t* source, uint8_t* target) const {
    std::vector<int64_t> index(outer_.size(), 0);
    for (;;) {
      int64_t from = 0, to = 0;
      for (size_t d = 0; d < outer_.size(); ++d) {
        from += index[d] * outer_[d].source_stride;
        to += index[d] * outer_[d].target_stride;
      }
      if (is_block_) {
        std::memcpy(target + to * kSize, source + from * kSize,
                    static_cast<size_t>(column_.size) * kBytes);
      } else {
        Plane(source + from * kSize, target + to * kSize);
      }
      size_t d = outer_.size();
      while (d > 0 && ++index[d - 1] == outer_[d - 1].size) index[--d] = 0;
      if (d == 0) return;
    }
  }

 private:
  static constexpr int64_t kSize = static_cast<int64_t>(kBytes);

  // In tiles of which both sides stay in the first cache.
  void Plane(const uint8_t* source, uint8_t* target) const {
    constexpr int64_t kTile = 64 / kSize;  // a cache line of elements
    for (int64_t r = 0; r < row_.size; r += kTile) {
      const int64_t r_end = std::min(r + kTile, row_.size);
      for (int64_t c = 0; c < column_.size; c += kTile) {
        const int64_t c_end = std::min(c + kTile, column_.size);
        if (kBytes == 4 && row_.source_stride == 1 && r_end - r == kTile && c_end - c == kTile) {
          for (int64_t i = r; i < r_end; i += 4) {
            for (int64_t j = c; j < c_end; j += 4) {
              Turn4x4(source + (i + j * column_.source_stride) * kSize,
                      column_.source_stride * kSize, target + (i * row_.target_stride + j) * kSize,
                      row_.target_stride * kSize);
            }
          }
          continue;
        }
        for (int64_t i = r; i < r_end; ++i) {
          for (int64_t j = c; j < c_end; ++j) {
            // A constant size: one load and one store.
            std::memcpy(target + (i * row_.target_stride + j * column_.target_stride) * kSize,
                        source + (i * row_.source_stride + j * column_.source_stride) * kSize,
                        kBytes);
          }
        }
      }
    }
  }

  std::vector<Axis> outer_;
  Axis row_{1, 0, 0}, column_{1, 1, 1};
  bool is_block_ = true;
};

void Permute(std::vector<Axis> axes, size_t element_bytes, const uint8_t* source, uint8_t* target) {
  switch (element_bytes) {
    case 1:
      return Permutation<1>(std::move(axes)).Run(source, target);
    case 2:
      return Permutation<2>(std::move(axes)).Run(source, target);
    case 4:
      return Permutation<4>(std::move(axes)).Run(source, target);
    case 8:
      return Permutation<8>(std::move(axes)).Run(source, target);
    default:
      std::abort();
  }
}

}  // namespace

void Transpose(std::span<const int64_t> dims, std::span<const int64_t> perm, size_t element_bytes,
               const uint8_t* source, uint8_t* target) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return;
  Permute(MergedAxes(dims, perm), element_bytes, source, target);
}

void TransposeRange(std::span<const int64_t> dims, std::span<const int64_t> perm,
                    size_t element_bytes, const uint8_t* source, int64_t first, int64_t count,
                    uint8_t* target) {
  std::vector<Axis> axes = MergedAxes(dims, perm);
  if (axes.empty()) axes.push_back({1, 1, 1});
  // The result is filled by blocks: some entries of one axis, whole along those inside of it.
  for (int64_t at = first; at < first + count;) {
    const int64_t left = first + count - at;
    size_t d = 0;
    while (at % axes[d].target_stride != 0 || axes[d].target_stride > left) ++d;
    int64_t from = 0;
    for (size_t outer = 0; outer <= d; ++outer)
      from += at / axes[outer].target_stride % axes[outer].size * axes[outer].source_stride;
    const int64_t index = at / axes[d].target_stride % axes[d].size;
    std::vector<Axis> block(axes.begin() + static_cast<int64_t>(d), axes.end());
    block[0].size = std::min(axes[d].size - index, left / axes[d].target_stride);
    const int64_t filled = block[0].size * axes[d].target_stride;
    Permute(std::move(block), element_bytes, source + from * static_cast<int64_t>(element_bytes),
            target);
    target += filled * static_cast<int64_t>(element_bytes);
    at += filled;
  }
}

}  // namespace tessera::kernels
