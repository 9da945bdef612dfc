// A table of segments as PWL and RECURRENT read it.
#ifndef TESSERA_TARGETS_NPU_OPS_SEGMENTS_H_
#define TESSERA_TARGETS_NPU_OPS_SEGMENTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/tensor.h"

namespace tessera::ops::npu {

class Segments {
 public:
  // Of at least one segment.
  Segments(const ir::Tensor& base, const ir::Tensor& value, const ir::Tensor& slope)
      : value_(value.data<int16_t>()), slope_(slope.data<int16_t>()) {
    const int32_t* bases = base.data<int32_t>();
    for (int64_t i = 0; i < base.size(); ++i) {
      position_.push_back(bases[i] & ~3);
      shift_.push_back(8 * ((bases[i] & 3) + 1));
    }
    sorted_ = std::is_sorted(position_.begin(), position_.end());
  }

  int64_t At(int64_t x) const {
    if (x <= position_[0]) return value_[0];
    const size_t i = Last(x);
    return (((x - position_[i]) * slope_[i]) >> shift_[i]) + value_[i];
  }

 private:
  // The last segment whose position x reaches; the first one is reached.
  size_t Last(int64_t x) const {
    if (sorted_) {
      return static_cast<size_t>(std::upper_bound(position_.begin(), position_.end(), x) -
                                 position_.begin()) -
             1;
    }
    size_t i = position_.size() - 1;
    while (position_[i] > x) --i;
    return i;
  }

  const int16_t* value_;
  const int16_t* slope_;
  std::vector<int64_t> position_;
  std::vector<int> shift_;
  bool sorted_;
};

}  // namespace tessera::ops::npu

#endif  // TESSERA_TARGETS_NPU_OPS_SEGMENTS_H_
