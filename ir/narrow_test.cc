#include "ir/narrow.h"

#include <bit>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/dtype.h"
#include "ir/tensor.h"

namespace tessera::ir {
namespace {

// Recorded from ml_dtypes: numbers in hexadecimal below a heading each.
std::map<std::string, std::vector<uint32_t>> Recorded() {
  std::ifstream in("ir/testdata/narrow_floats.txt");
  std::map<std::string, std::vector<uint32_t>> sections;
  std::string heading;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#")) continue;
    if (line.starts_with("widen") || line.starts_with("round") || line == "floats") {
      heading = line;
      continue;
    }
    std::stringstream words(line);
    for (std::string word; words >> word;)
      sections[heading].push_back(static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
  }
  return sections;
}

uint8_t Narrowed(DType dtype, float value) {
  return Tensor::Of<float>(dtype, {1}, {value}).bytes()[0];
}

template <class T>
class NarrowFloatTest : public testing::Test {};
struct E4M3Fn {
  using Type = F8E4M3FN;
  static constexpr DType kDType = DType::kF8E4M3FN;
};
struct E4M3Fnuz {
  using Type = F8E4M3FNUZ;
  static constexpr DType kDType = DType::kF8E4M3FNUZ;
};
struct E5M2 {
  using Type = F8E5M2;
  static constexpr DType kDType = DType::kF8E5M2;
};
struct E5M2Fnuz {
  using Type = F8E5M2FNUZ;
  static constexpr DType kDType = DType::kF8E5M2FNUZ;
};
struct E8M0 {
  using Type = F8E8M0;
  static constexpr DType kDType = DType::kF8E8M0;
};
struct E2M1 {
  using Type = F4E2M1;
  static constexpr DType kDType = DType::kF4E2M1;
};
using Formats = testing::Types<E4M3Fn, E4M3Fnuz, E5M2, E5M2Fnuz, E8M0, E2M1>;
TYPED_TEST_SUITE(NarrowFloatTest, Formats);

TYPED_TEST(NarrowFloatTest, EveryPatternIsWhatMlDtypesSays) {
  using Type = typename TypeParam::Type;
  const std::vector<uint32_t> wide = Recorded()["widen " + std::string(NameOf(TypeParam::kDType))];
  ASSERT_EQ(wide.size(), TypeParam::kDType == DType::kF4E2M1 ? 16u : 256u);
  for (size_t i = 0; i < wide.size(); ++i) {
    const float expected = std::bit_cast<float>(wide[i]);
    const float actual = Type{static_cast<uint8_t>(i)}.Wide();
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(actual)) << i;
      continue;
    }
    EXPECT_EQ(std::bit_cast<uint32_t>(actual), wide[i]) << i;
    EXPECT_EQ(Narrowed(TypeParam::kDType, actual), i);
  }
}

TYPED_TEST(NarrowFloatTest, RoundsAsMlDtypesDoes) {
  auto recorded = Recorded();
  const std::vector<uint32_t>& floats = recorded["floats"];
  const std::vector<uint32_t>& rounded =
      recorded["round " + std::string(NameOf(TypeParam::kDType))];
  ASSERT_GT(floats.size(), 3000u);
  ASSERT_EQ(rounded.size(), floats.size());
  for (size_t i = 0; i < floats.size(); ++i) {
    const float value = std::bit_cast<float>(floats[i]);
    // Of those ml_dtypes does not take the nearest.
    if (TypeParam::kDType == DType::kF8E8M0 && !std::isnormal(value) && value > 0) continue;
    EXPECT_EQ(Narrowed(TypeParam::kDType, value), rounded[i]) << value;
  }
}

// The rounding of an f64 is not that of the f32 nearest to it.
TEST(NarrowTest, DoublesAreRoundedOnce) {
  const double above =
      1.0625 + 0x1p-40;  // the middle of two numbers with three bits behind the point
  const Tensor wide = Tensor::Of<double>(DType::kF64, {1}, {above});
  EXPECT_EQ(wide.CastTo(DType::kF8E4M3FN).AsDouble(0), 1.125);
}

TEST(NarrowTest, IntegersWrapAndKeepTheirRange) {
  for (int v = -40; v <= 40; ++v) {
    EXPECT_EQ(U4::Of(v).Wide(), v & 15);
    EXPECT_EQ(U2::Of(v).Wide(), v & 3);
    EXPECT_EQ(I4::Of(v).Wide(), ((v + 8) & 15) - 8);
    EXPECT_EQ(I2::Of(v).Wide(), ((v + 2) & 3) - 2);
  }
  const Tensor i32 = Tensor::Of<int32_t>(DType::kI32, {4}, {-9, 9, 7, -8});
  const Tensor i4 = i32.CastTo(DType::kI4);
  EXPECT_EQ(i4.AsInt(0), 7);
  EXPECT_EQ(i4.AsInt(1), -7);
  EXPECT_EQ(i4.CastTo(DType::kF32).AsDouble(3), -8.0);
  EXPECT_EQ(i4.CastTo(DType::kU4).AsInt(3), 8);
}

}  // namespace
}  // namespace tessera::ir
