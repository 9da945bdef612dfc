// Sizes of a layer against what a device admits.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_LIMITS_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_LIMITS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "targets/npu/device/device.h"

namespace tessera::npu {

// How wide the numbers on the device will be.
struct Widths {
  DataType input = DataType::kInt16;
  DataType weights = DataType::kInt16;
};

// One layer's sizes, checked one after the other; what exceeds a limit is collected.
class Sizes {
 public:
  Sizes(const Device& device, std::string_view layer, const Widths& widths);

  // `dim` of an operand or parameter, e.g. `filters`, `W`.
  Sizes& Check(std::string_view place, char dim, int64_t value);
  // After all sizes: what holds of several places together, as far as it speaks of sizes.
  Sizes& CheckRules(bool with_table = true);

  bool ok() const { return text_.empty(); }
  // `filters.W is 960; gna-2.0 convolution_1d.filters.W: 8..768, a multiple of 8`; several with `;
  // `.
  const std::string& text() const { return text_; }

 private:
  bool Holds(const Condition& condition) const;
  DataType TypeOf(std::string_view place) const;
  void Complain(std::string_view what, int64_t value, std::string_view id,
                const std::string& limit);

  const Device& device_;
  std::string layer_name_;
  const Layer* layer_;
  Widths widths_;
  // Of a layer whose filters have the type of its input.
  bool same_type_ = false;
  std::vector<std::pair<std::string, int64_t>> seen_;  // `filters.W`
  std::string text_;
};

// The largest size that a place of a layer takes; 0 where the device lacks the layer.
int64_t Most(const Device& device, std::string_view layer, std::string_view place, char dim);
// What the size of a place is a multiple of; 1 where nothing is said.
int64_t MultipleOf(const Device& device, std::string_view layer, std::string_view place, char dim,
                   DataType type);

inline int64_t RoundUp(int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_LIMITS_H_
