#include "testing/sampling/values.h"

#include <cmath>
#include <limits>
#include <utility>

namespace tessera::testing {
namespace {

int64_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

double PlainReal(Random& random) {
  // Small whole numbers and halves make ties and exact results.
  return random.OneIn(3) ? static_cast<double>(random.Below(9) - 4) / 2 : 2 * random.Real();
}

double SpecialReal(Style style, Random& random) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kLargest = std::numeric_limits<float>::max();
  static const std::vector<double>* special = new std::vector<double>{
      std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity, -0.0, 0.0, 1e-40, -1e-40};
  static const std::vector<double>* extreme =
      new std::vector<double>{kLargest, -kLargest, 1e-38, 88, -88, 104, 65504, -65504, 3e9, -3e9};
  return random.Of(style == Style::kExtreme && !random.OneIn(4) ? *extreme : *special);
}

int64_t SpecialInteger(ir::DType dtype, Random& random) {
  const int bits = static_cast<int>(8 * ir::SizeOf(dtype));
  const bool is_signed = ir::Contains(ir::kSignedIntTypes, dtype);
  const uint64_t largest = ~uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
  switch (random.Below(4)) {
    case 0:
      return static_cast<int64_t>(largest);
    case 1:
      return is_signed ? static_cast<int64_t>(~largest) : 0;
    case 2:
      return static_cast<int64_t>(largest - 1);
    default:
      return static_cast<int64_t>(largest / 2 + 1);
  }
}

int64_t RandomInteger(ir::DType dtype, Style style, Random& random) {
  if (style != Style::kPlain && random.OneIn(4)) return SpecialInteger(dtype, random);
  return ir::Contains(ir::kUnsignedTypes, dtype) ? random.Below(9) : random.Below(17) - 8;
}

}  // namespace

ir::Tensor RandomValues(ir::DType dtype, std::vector<int64_t> shape, Style style, Random& random) {
  const int64_t count = CountOf(shape);
  if (ir::IsFloat(dtype)) {
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(style != Style::kPlain && random.OneIn(style == Style::kExtreme ? 2 : 4)
                           ? SpecialReal(style, random)
                           : PlainReal(random));
    }
    return ir::Tensor::Of<double>(dtype, std::move(shape), values);
  }
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(dtype == ir::DType::kBool ? random.Below(2)
                                               : RandomInteger(dtype, style, random));
  }
  return ir::Tensor::Of<int64_t>(dtype, std::move(shape), values);
}

ir::Tensor Tamed(const ir::Tensor& tensor) {
  constexpr double kLarge = 20;     // whose exponentials are far from either end
  constexpr double kSmall = 1e-18;  // whose squares f32 has
  if (!ir::IsFloat(tensor.dtype())) return tensor;
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.AsDouble(i);
    const bool tame = std::abs(value) <= kLarge && (value == 0 || std::abs(value) >= kSmall);
    values.push_back(tame ? value : static_cast<double>(i % 5) - 1.5);
  }
  return ir::Tensor::Of<double>(tensor.dtype(), tensor.shape(), values);
}

ir::Tensor RandomPositions(ir::DType dtype, std::vector<int64_t> shape, int64_t limit,
                           bool from_end, Random& random) {
  std::vector<int64_t> values;
  const int64_t count = CountOf(shape);
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(from_end ? random.Below(2 * limit) - limit : random.Below(limit));
  }
  return ir::Tensor::Of<int64_t>(dtype, std::move(shape), values);
}

}  // namespace tessera::testing
