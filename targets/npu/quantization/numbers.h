// The numbers of a layer: what it multiplies and adds, as reals and as the device's integers, and
// between which bounds its sums are.
#ifndef TESSERA_TARGETS_NPU_QUANTIZATION_NUMBERS_H_
#define TESSERA_TARGETS_NPU_QUANTIZATION_NUMBERS_H_

#include <cstdint>
#include <vector>

#include "targets/npu/device/data_type.h"
#include "targets/npu/quantization/network.h"

namespace tessera::npu {

struct Interval {
  double low = 0, high = 0;
  double Magnitude() const;
};

// What the integers of a type are, and the greatest one that has a negative as great.
Interval NumbersOfType(DataType type);
double GreatestOfType(DataType type);

// Row r has the weights from r * per_row on. Of a product of data there are none.
struct RealNumbers {
  int64_t rows = 0, per_row = 0;
  std::vector<double> weights, biases;
  double greatest_weight = 0, greatest_bias = 0;

  // The greatest magnitude of a row's sum for inputs between those of `x`, and 0; biases included.
  double BoundFor(const Interval& x) const;
};
RealNumbers NumbersOf(const NetworkLayer& layer);

// How weights are held.
enum class WeightForm : uint8_t {
  kInt16,
  kInt8,      // one factor for all
  kCompound,  // 8 bits, and a multiplier for each row
};
// The greatest weight, as a multiple of the layer's weight scale.
double GreatestCode(WeightForm form);

struct IntegerNumbers {
  WeightForm form = WeightForm::kInt16;
  std::vector<int32_t> weights;
  std::vector<int32_t> multipliers;  // of kCompound, by row
  std::vector<int32_t> biases;
};
// `weight_scale` integers are 1.0 of a weight, `sum_scale` of a sum.
IntegerNumbers Quantized(const RealNumbers& numbers, WeightForm form, double weight_scale,
                         double sum_scale);

// Between which bounds the sums are for inputs between those of `x`, as integers before they
// saturate; each partial sum too.
Interval SumsOf(const RealNumbers& shape, const IntegerNumbers& numbers, const Interval& x);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_QUANTIZATION_NUMBERS_H_
