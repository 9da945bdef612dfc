#include "tools/cli/table.h"

#include <limits>

#include "gtest/gtest.h"

namespace tessera::cli {
namespace {

TEST(Table, AlignsColumns) {
  EXPECT_EQ(Table({{"name", "shape", "max"}, {"a", "[1,2,3]", "4"}, {"longer"}}),
            "name    shape    max\n"
            "a       [1,2,3]  4\n"
            "longer\n");
}

TEST(Table, Texts) {
  EXPECT_EQ(TypeText(ir::Tensor::Of<int64_t>(ir::DType::kI64, {1, 2}, {{3, 4}})), "i64[1,2]");
  EXPECT_EQ(NumberText(1234567), "1.235e+06");
  EXPECT_EQ(NumberText(0.5), "0.5");
  EXPECT_EQ(NumberText(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace
}  // namespace tessera::cli
