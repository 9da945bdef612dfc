#include "frontends/data/npz_file.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/file.h"

namespace tessera::data {
namespace {

using ::testing::HasSubstr;

// numpy.savez("two.npz", x=numpy.array([[1, 2, 3]], "f4"), length=numpy.array([7], "i8")), and
// numpy.savez_compressed("packed.npz", numpy.zeros(20, "f4")), by NumPy 2.4.
constexpr char kTwo[] = "frontends/data/testdata/two.npz";
constexpr char kPacked[] = "frontends/data/testdata/packed.npz";

TEST(Npz, HasArraysByTheirNames) {
  const auto arrays = ReadNpz(kTwo);
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  ASSERT_EQ(arrays->size(), 2u);
  EXPECT_EQ((*arrays)[0].name, "x");
  EXPECT_TRUE(ir::Identical((*arrays)[0].tensor,
                            ir::Tensor::Of<float>(ir::DType::kF32, {1, 3}, {1, 2, 3})));
  EXPECT_EQ((*arrays)[1].name, "length");
  EXPECT_TRUE(
      ir::Identical((*arrays)[1].tensor, ir::Tensor::Of<int64_t>(ir::DType::kI64, {1}, {7})));
}

TEST(Npz, CompressedOnesAreRefused) {
  EXPECT_THAT(std::string(ReadNpz(kPacked).status().message()),
              HasSubstr("`arr_0.npy` is compressed: write it by `numpy.savez`"));
}

// Whatever is cut off or changed is refused or, where it says nothing, has no effect.
TEST(Npz, DamagedOnesAreRefused) {
  const auto bytes = support::ReadFile(kTwo);
  ASSERT_TRUE(bytes.ok());
  for (size_t size = 0; size < bytes->size(); ++size)
    EXPECT_FALSE(ParseNpz(bytes->substr(0, size)).ok()) << size;
  const auto whole = ParseNpz(*bytes);
  size_t refused = 0;
  for (size_t i = 0; i < bytes->size(); ++i) {
    std::string changed = *bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    const auto arrays = ParseNpz(changed);
    refused += arrays.ok() ? 0 : 1;
    for (size_t a = 0; arrays.ok() && a < arrays->size(); ++a)
      EXPECT_TRUE(ir::Identical((*arrays)[a].tensor, (*whole)[a].tensor)) << i;
  }
  EXPECT_GT(refused, bytes->size() / 2);
}

}  // namespace
}  // namespace tessera::data
