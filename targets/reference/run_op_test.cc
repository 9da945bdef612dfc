#include "targets/reference/run_op.h"

#include <vector>

#include "gtest/gtest.h"
#include "targets/reference/testing.h"

namespace tessera::reference {
namespace {

using testing::Floats;
using testing::ValuesOf;
using Attrs = std::vector<ir::Attribute>;

const Attrs kNoDims = {std::vector<ir::Expr>(), int64_t{0}};

TEST(RunOp, AbsentOperandsMayBeNullOrMissing) {
  const ir::Tensor x = Floats({2}, {1, 2}), b = Floats({}, {10});
  const std::vector<const ir::Tensor*> one = {&x}, null = {&x, nullptr}, both = {&x, &b};
  for (const auto& [inputs, expected] :
       {std::pair(one, std::vector<float>{2, 3}), std::pair(null, std::vector<float>{2, 3}),
        std::pair(both, std::vector<float>{11, 12})}) {
    const absl::StatusOr<std::vector<ir::Tensor>> outputs = RunOp(testing::PlusInfo(), inputs, {});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ(ValuesOf((*outputs)[0]), expected);
  }
  const std::vector<const ir::Tensor*> three = {&x, &b, &b};
  EXPECT_EQ(RunOp(testing::PlusInfo(), three, {}).status().code(), absl::StatusCode::kInternal);
}

TEST(RunOp, SeveralResults) {
  const ir::Tensor x = Floats({4, 1}, {1, 2, 3, 4});
  const std::vector<const ir::Tensor*> inputs = {&x};
  const absl::StatusOr<std::vector<ir::Tensor>> outputs = RunOp(testing::HalvesInfo(), inputs, {});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ(outputs->size(), 2u);
  EXPECT_EQ((*outputs)[1].shape(), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(ValuesOf((*outputs)[1]), (std::vector<float>{3, 4}));
}

TEST(RunOp, AConstraintThatDoesNotHoldIsNamed) {
  const ir::Tensor x = Floats({testing::kTall, 0}, {});
  const std::vector<const ir::Tensor*> inputs = {&x};
  const absl::Status status = RunOp(testing::HalvesInfo(), inputs, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "`Halves`: constraint `tall`: axis 0 is too tall");
}

TEST(RunOp, ElementsTakePartInShapes) {
  const int64_t dims[] = {2, 3};
  const ir::Tensor shape = ir::Tensor::Of<int64_t>(ir::DType::kI64, {2}, dims);
  const std::vector<const ir::Tensor*> inputs = {&shape};
  const absl::StatusOr<std::vector<ir::Tensor>> outputs =
      RunOp(testing::ZerosInfo(), inputs, kNoDims);
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_EQ((*outputs)[0].shape(), (std::vector<int64_t>{2, 3}));
}

TEST(RunOp, NothingLargerThanAllowedIsAllocated) {
  for (const auto& [dim, max_bytes] :
       {std::pair(int64_t{5}, int64_t{16}), std::pair(int64_t{1} << 33, MaxLiveBytes()),
        std::pair(int64_t{1} << 62, MaxLiveBytes()), std::pair(int64_t{-1}, MaxLiveBytes())}) {
    const Attrs attrs = {std::vector<ir::Expr>{dim}, int64_t{0}};
    EXPECT_FALSE(RunOp(testing::ZerosInfo(), {}, attrs, max_bytes).ok());
  }
  const Attrs attrs = {std::vector<ir::Expr>{4}, int64_t{0}};
  EXPECT_TRUE(RunOp(testing::ZerosInfo(), {}, attrs, 16).ok());
  EXPECT_EQ(RunOp(testing::ZerosInfo(), {}, attrs, 15).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace tessera::reference
