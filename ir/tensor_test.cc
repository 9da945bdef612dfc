#include "ir/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"
#include "ir/digest.h"
#include "ir/half.h"

namespace tessera::ir {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
Tensor Vector(DType dtype, std::vector<T> values) {
  return Tensor::Of<T>(dtype, {static_cast<int64_t>(values.size())}, values);
}

double As(DType dtype, double value) { return Vector<double>(dtype, {value}).AsDouble(0); }

TEST(DTypeTest, NamesAndSizes) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const DType dtype = static_cast<DType>(i);
    EXPECT_EQ(DTypeFromName(NameOf(dtype)), dtype);
    EXPECT_EQ(IsFloat(dtype), NameOf(dtype).find('f') != std::string_view::npos);
  }
  EXPECT_EQ(SizeOf(DType::kBF16), 2u);
  EXPECT_EQ(SizeOf(DType::kU64), 8u);
  EXPECT_EQ(DTypeFromName("f8"), std::nullopt);
}

TEST(HalfTest, EveryF16SurvivesWidening) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const F16 half{static_cast<uint16_t>(bits)};
    const float wide = ToFloat(half);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(ToFloat(ToF16(wide))));
    } else {
      ASSERT_EQ(ToF16(wide).bits, half.bits);
    }
  }
}

TEST(HalfTest, EveryBF16SurvivesWidening) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const BF16 half{static_cast<uint16_t>(bits)};
    const float wide = ToFloat(half);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(ToFloat(ToBF16(wide))));
    } else {
      ASSERT_EQ(ToBF16(wide).bits, half.bits);
    }
  }
}

// Against the definition: the nearest of the two neighbours, of equally near ones the even.
TEST(HalfTest, NarrowingRoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = ToFloat(F16{static_cast<uint16_t>(bits)});
    const double high = ToFloat(F16{static_cast<uint16_t>(bits + 1)});
    const float middle = static_cast<float>((low + high) / 2);  // exact: f32 has 13 more bits
    ASSERT_EQ(ToF16(middle).bits, (bits & 1) == 0 ? bits : bits + 1);
    ASSERT_EQ(ToF16(std::nextafter(middle, 0.0f)).bits, bits);
    ASSERT_EQ(ToF16(std::nextafter(middle, 1e9f)).bits, bits + 1);
  }
  EXPECT_EQ(ToF16(65519.99f).bits, 0x7bff);
  EXPECT_EQ(ToF16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(ToF16(-1e30f).bits, 0xfc00);
}

TEST(TensorTest, ConversionOfDoublesRoundsOnce) {
  // 1 + 2^-11 + 2^-40: to f32 it is the tie between two f16, which would go down.
  EXPECT_EQ(As(DType::kF16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(As(DType::kF16, 1 + 0x1p-11), 1);
  EXPECT_EQ(As(DType::kBF16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
  const int64_t above_tie = (int64_t{1} << 62) + (int64_t{1} << 54) + 1;
  EXPECT_EQ(Vector<int64_t>(DType::kBF16, {above_tie}).AsDouble(0), 0x1p62 + 0x1p55);
}

TEST(TensorTest, ConversionsToIntegers) {
  EXPECT_EQ(As(DType::kI8, -1.9), -1);
  EXPECT_EQ(As(DType::kI8, 1e9), 127);
  EXPECT_EQ(As(DType::kU8, -3), 0);
  EXPECT_EQ(As(DType::kI32, std::nan("")), 0);
  EXPECT_EQ(Vector<double>(DType::kI64, {kInf}).AsInt(0), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(As(DType::kBool, 0.25), 1);
  EXPECT_EQ(As(DType::kBool, -0.0), 0);
  EXPECT_EQ(Vector<int64_t>(DType::kI8, {300}).AsInt(0), 44);
  const Tensor halves = Vector<double>(DType::kF16, {1.5, -2.5, 1000});
  EXPECT_EQ(halves.CastTo(DType::kI32).AsInt(1), -2);
  EXPECT_TRUE(Identical(halves.CastTo(DType::kF64).CastTo(DType::kF16), halves));
}

TEST(TensorTest, SizesAreChecked) {
  EXPECT_EQ(*ElementCount({2, 3, 4}, 4), 24);
  EXPECT_EQ(*ElementCount({}, 4), 1);
  EXPECT_EQ(*ElementCount({int64_t{1} << 60, 0, int64_t{1} << 60}, 8), 0);
  EXPECT_FALSE(ElementCount({-1}, 4).ok());
  EXPECT_FALSE(ElementCount({0, -1}, 4).ok());
  EXPECT_FALSE(ElementCount({int64_t{1} << 31, int64_t{1} << 31, 4}, 4).ok());
  EXPECT_FALSE(ElementCount({int64_t{1} << 39}, 4).ok());
  EXPECT_EQ(Tensor::Allocate(DType::kF64, {int64_t{1} << 34}).status().code(),
            absl::StatusCode::kResourceExhausted);
  const absl::StatusOr<Tensor> zeros = Tensor::Allocate(DType::kF32, {2, 3});
  ASSERT_TRUE(zeros.ok());
  EXPECT_EQ(zeros->bytes().size(), 24u);
  EXPECT_EQ(zeros->AsDouble(5), 0);
}

TEST(TensorTest, ViewsShareTheirOwner) {
  const auto owner = std::make_shared<std::vector<uint8_t>>(13, uint8_t{0});
  for (int i = 0; i < 3; ++i) {
    const int32_t value = 7 * i - 7;
    std::memcpy(owner->data() + 1 + 4 * i, &value, 4);
  }
  const absl::Span<const uint8_t> misaligned(owner->data() + 1, 12);
  const absl::StatusOr<Tensor> view = Tensor::View(DType::kI32, {3}, owner, misaligned);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->bytes().data(), owner->data() + 1);
  EXPECT_EQ(view->AsInt(0), -7);
  const Tensor copy = view->Reshaped({3, 1});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(view->data<int32_t>()) % 4, 0u);
  EXPECT_EQ(view->data<int32_t>()[2], 7);
  EXPECT_EQ(copy.data<int32_t>(), view->data<int32_t>());
  EXPECT_EQ(owner.use_count(), 3);
  EXPECT_FALSE(Tensor::View(DType::kI32, {2}, owner, misaligned).ok());
  EXPECT_FALSE(Tensor::View(DType::kI32, {4}, owner, misaligned).ok());
}

TEST(TensorTest, BytesOfABoolThatAreNotOneAreTrue) {
  const auto owner = std::make_shared<std::vector<uint8_t>>(std::vector<uint8_t>{0, 1, 2, 255});
  const absl::StatusOr<Tensor> view = Tensor::View(DType::kBool, {4}, owner, *owner);
  ASSERT_TRUE(view.ok());
  const Tensor numbers = view->CastTo(DType::kI32);
  EXPECT_EQ(numbers.AsInt(0), 0);
  EXPECT_EQ(numbers.AsInt(2), 1);
  EXPECT_EQ(numbers.AsInt(3), 1);
}

TEST(TensorTest, IdenticalAndDigest) {
  const Tensor a = Vector<float>(DType::kF32, {1, 2, 3, 4});
  const Tensor same = Vector<double>(DType::kF32, {1, 2, 3, 4});
  EXPECT_TRUE(Identical(a, same));
  EXPECT_EQ(DigestOf(a), DigestOf(same));
  EXPECT_EQ(Digest::FromString(DigestOf(a).ToString()), DigestOf(a));
  EXPECT_EQ(Digest::FromString("12"), std::nullopt);
  EXPECT_NE(DigestOf(a), DigestOf(a.Reshaped({2, 2})));
  EXPECT_FALSE(Identical(a, a.Reshaped({2, 2})));
  const Tensor as_ints = Vector<int64_t>(DType::kI32, {1, 2, 3, 4});
  EXPECT_FALSE(Identical(a, as_ints));
  // Each bit counts, and so do zeros at the end.
  std::vector<uint8_t> bytes(29, 0);
  std::vector<Digest> seen;
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] = static_cast<uint8_t>(1 << bit % 8);
    seen.push_back(DigestOf(Vector<uint8_t>(DType::kU8, bytes)));
    bytes[bit / 8] = 0;
  }
  for (int64_t size = 0; size < 40; ++size) {
    seen.push_back(DigestOf(*Tensor::Allocate(DType::kU8, {size})));
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

TEST(TensorTest, DigestIsTheSameEverywhere) {
  EXPECT_EQ(DigestOf(Vector<float>(DType::kF32, {1, 2, 3})).ToString(),
            "6ad8d71724e4fe17f45700f56071b0ac");
}

}  // namespace
}  // namespace tessera::ir
