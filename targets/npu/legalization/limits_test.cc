#include "targets/npu/legalization/limits.h"

#include <string>

#include "gtest/gtest.h"

namespace tessera::npu {
namespace {

std::string Image(const char* device, int64_t channels, int64_t taps, DataType type,
                  int64_t pool = 2) {
  Sizes sizes(*FindDevice(device), "convolution_2d", {type, type});
  sizes.Check("input", 'H', 32)
      .Check("input", 'W', 32)
      .Check("input", 'D', channels)
      .Check("filters", 'N', 16)
      .Check("filters", 'H', taps)
      .Check("filters", 'W', taps)
      .Check("pooling_window", 'H', 2)
      .Check("pooling_window", 'W', pool)
      .CheckRules();
  return sizes.text();
}

TEST(Sizes, LimitsOfOnePlace) {
  EXPECT_EQ(Image("gna-3.0", 64, 3, DataType::kInt16), "");
  EXPECT_EQ(Image("gna-3.0", 60, 3, DataType::kInt16),
            "input.D is 60; gna-3.0 convolution_2d.input.D: 8..384, a multiple of 8");
  EXPECT_EQ(Image("gna-2.0", 64, 3, DataType::kInt16), "gna-2.0 has no layer convolution_2d");
}

TEST(Sizes, RulesOfSeveralPlaces) {
  // Fewer channels where filters are wide, by the type.
  EXPECT_EQ(Image("gna-3.0", 120, 3, DataType::kInt16), "");
  EXPECT_NE(Image("gna-3.0", 128, 3, DataType::kInt16).find("convolution_2d.channels_i16_2"),
            std::string::npos);
  EXPECT_EQ(Image("gna-3.0", 128, 3, DataType::kInt8), "");
  EXPECT_EQ(Image("gna-3.5", 128, 3, DataType::kInt16), "");
  EXPECT_NE(Image("gna-3.0", 64, 3, DataType::kInt16, 3).find("convolution_2d.square"),
            std::string::npos);
}

TEST(Sizes, TypesThatMustAgree) {
  // Filters have the type of the input, whatever other weights have.
  for (const DataType weights : {DataType::kInt16, DataType::kInt8}) {
    Sizes wide(*FindDevice("gna-3.0"), "convolution_2d", {DataType::kInt16, weights});
    wide.Check("input", 'D', 88).Check("filters", 'W', 4).CheckRules();
    EXPECT_NE(wide.text().find("channels_i16_4"), std::string::npos) << wide.text();
    Sizes narrow(*FindDevice("gna-3.0"), "convolution_2d", {DataType::kInt8, weights});
    narrow.Check("input", 'D', 88).Check("filters", 'W', 4).CheckRules();
    EXPECT_TRUE(narrow.ok()) << narrow.text();
  }
}

TEST(Sizes, WhatMayBeAsked) {
  const Device& device = *FindDevice("gna-2.0");
  EXPECT_EQ(Most(device, "affine", "input", 'H'), 65535);
  EXPECT_EQ(Most(device, "convolution_2d", "input", 'H'), 0);
  EXPECT_EQ(MultipleOf(device, "affine", "input", 'H', DataType::kInt16), 8);
  EXPECT_EQ(MultipleOf(device, "affine", "input", 'H', DataType::kInt8), 16);
  EXPECT_EQ(RoundUp(41, 8), 48);
}

}  // namespace
}  // namespace tessera::npu
