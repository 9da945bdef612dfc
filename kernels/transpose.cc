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

}  // namespace

void Transpose(std::span<const int64_t> dims, std::span<const int64_t> perm, size_t element_bytes,
               const uint8_t* source, uint8_t* target) {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) return;
  std::vector<Axis> axes = MergedAxes(dims, perm);
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

}  // namespace tessera::kernels
