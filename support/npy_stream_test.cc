#include "support/npy_stream.h"

#include <cstdint>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "support/npy.h"

namespace tessera::support {
namespace {

using ir::DType;
using ir::Tensor;

TEST(NpyStream, ArraysOneBehindTheOther) {
  const float values[] = {1, 2, 3, 4, 5, 6};
  const int64_t numbers[] = {10, 13};  // a line break among the elements
  const std::string a = SerializeNpy(Tensor::Of<float>(DType::kF32, {2, 3}, values));
  const std::string both = a + SerializeNpy(Tensor::Of<int64_t>(DType::kI64, {2}, numbers));
  std::istringstream in(both);
  const auto first = ReadNpy(in), second = ReadNpy(in), none = ReadNpy(in);
  ASSERT_TRUE(first.ok() && second.ok() && none.ok());
  ASSERT_TRUE(first->has_value() && second->has_value());
  EXPECT_EQ((*first)->AsDouble(5), 6);
  EXPECT_EQ((*second)->AsInt(1), 13);
  EXPECT_FALSE(none->has_value());
  for (size_t length = 1; length < both.size(); ++length) {
    std::istringstream cut(both.substr(0, length));
    auto array = ReadNpy(cut);
    while (array.ok() && array->has_value()) array = ReadNpy(cut);
    EXPECT_EQ(array.ok(), length == a.size()) << length << " " << array.status();
  }
}

TEST(NpyStream, WhatAHeaderClaimsIsNotTakenBeforeItComes) {
  std::string file = SerializeNpy(Tensor::Of<float>(DType::kF32, {1}, {1.0f}));
  const size_t at = file.find("(1,)");
  ASSERT_NE(at, std::string::npos);
  // As many spaces are left out behind it.
  file.replace(at, 4, "(99999999999,)");
  file.erase(file.find("   "), 10);
  std::istringstream in(file);
  const auto array = ReadNpy(in);
  ASSERT_FALSE(array.ok());
  EXPECT_NE(array.status().message().find("cut off"), std::string::npos) << array.status();
}

}  // namespace
}  // namespace tessera::support
