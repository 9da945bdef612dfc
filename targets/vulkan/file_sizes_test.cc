// Statements about accesses of a file that differ in the names of axes alone.
#include "targets/vulkan/file_sizes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tessera::vulkan {
namespace {

template <typename T>
using List = std::vector<flatbuffers::Offset<T>>;

// Of one symbol, H.
const file::Model& ModelOf(flatbuffers::FlatBufferBuilder& builder) {
  const List<file::Expression> expressions;
  const List<file::Symbol> symbols = {file::CreateSymbolDirect(builder, "H", 0, 2, 1, 0, 1, 4096)};
  const List<file::Guard> guards;
  const List<file::Tensor> tensors;
  const List<file::Kernel> kernels;
  const List<file::Dispatch> dispatches;
  const List<file::Tiling> tilings;
  const std::vector<uint32_t> numbers;
  const std::vector<uint8_t> weights;
  builder.Finish(file::CreateModelDirect(builder, 0, nullptr, &expressions, &symbols, &guards,
                                         &tensors, &numbers, &numbers, &kernels, &dispatches, 0,
                                         file::Feature(), &weights, nullptr, &numbers, &tilings));
  return *flatbuffers::GetRoot<file::Model>(builder.GetBufferPointer());
}

// Whether a position along `axis`, which is below `extent`, is below `limit`.
bool LiesInside(const file::Model& model, Decided& decided, uint32_t axis, int64_t extent,
                int64_t limit) {
  Sizes sizes(model, decided);
  EXPECT_TRUE(sizes.Assume(solver::Lt(sizes.Axis(axis), extent)));
  return sizes.Holds(solver::Lt(sizes.Axis(axis), limit));
}

TEST(Sizes, EqualStatementsAreDecidedOnce) {
  flatbuffers::FlatBufferBuilder builder;
  const file::Model& model = ModelOf(builder);
  Decided decided;
  EXPECT_TRUE(LiesInside(model, decided, 3, 8, 9));
  EXPECT_TRUE(LiesInside(model, decided, 5, 8, 9));
  EXPECT_EQ(decided.size(), 1u);
  // Whatever is assumed, or said, is part of a statement.
  EXPECT_FALSE(LiesInside(model, decided, 5, 10, 9));
  EXPECT_FALSE(LiesInside(model, decided, 3, 8, 7));
  EXPECT_EQ(decided.size(), 3u);
}

}  // namespace
}  // namespace tessera::vulkan
