#include "support/random_tensor.h"

#include <cmath>

#include "gtest/gtest.h"
#include "ir/dtype.h"

namespace tessera::support {
namespace {

using ir::DType;

TEST(RandomTensor, StaysInTheStatedRangeAndSpreadsOverIt) {
  for (int d = 0; d < ir::kDTypeCount; ++d) {
    const DType dtype = static_cast<DType>(d);
    const absl::StatusOr<ir::Tensor> tensor = RandomTensor(dtype, {40, 50}, 7);
    ASSERT_TRUE(tensor.ok());
    ASSERT_EQ(tensor->dtype(), dtype);
    double low = 0, high = 9, mean = 0;
    if (ir::IsFloat(dtype)) low = -1, high = 1;
    if (dtype == DType::kI8) low = -128, high = 127;
    if (dtype == DType::kU8) high = 255;
    if (dtype == DType::kBool) high = 1;
    if (dtype == DType::kF8E8M0) low = 0;
    if (dtype == DType::kI4) low = -8, high = 7;
    if (dtype == DType::kU4) high = 15;
    if (dtype == DType::kI2) low = -2, high = 1;
    if (dtype == DType::kU2) high = 3;
    for (int64_t i = 0; i < tensor->size(); ++i) {
      const double v = tensor->AsDouble(i);
      EXPECT_GE(v, low);
      EXPECT_LE(v, high);
      mean += v / static_cast<double>(tensor->size());
    }
    // Seven standard deviations of the mean of 2000 uniform values.
    EXPECT_NEAR(mean, (low + high) / 2, 7 * (high - low + 1) / std::sqrt(12.0 * 2000))
        << ir::NameOf(dtype);
  }
}

TEST(RandomTensor, TheSeedDecides) {
  const ir::Tensor a = *RandomTensor(DType::kF32, {8}, 1), b = *RandomTensor(DType::kF32, {8}, 1);
  EXPECT_TRUE(Identical(a, b));
  EXPECT_FALSE(Identical(a, *RandomTensor(DType::kF32, {8}, 2)));
  // Of SplitMix64 with state 1, top 24 bits of the first output.
  EXPECT_EQ(a.AsDouble(0), 0x910a2d / static_cast<double>(1 << 23) - 1);
}

TEST(RandomTensor, RefusesAShapeThatIsTooLarge) {
  EXPECT_FALSE(RandomTensor(DType::kF32, {int64_t{1} << 40}, 1).ok());
  EXPECT_FALSE(RandomTensor(DType::kF32, {-1}, 1).ok());
}

}  // namespace
}  // namespace tessera::support
