// Files whose checksum fits and that say what no compiled file says.
#include "targets/vulkan/runtime/artifact.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace tessera::vulkan {
namespace {

template <typename T>
using List = std::vector<flatbuffers::Offset<T>>;

// A model that gives back its input, `x` of N elements.
struct Given {
  int64_t scale = 1, offset = 0;  // of N
  uint32_t output = 0;            // tensor 1 lies with the weights
};

// What reading says of such a file; empty: it is taken.
std::string Read(const Given& given) {
  flatbuffers::FlatBufferBuilder builder;
  const List<file::Expression> expressions = {
      file::CreateExpressionDirect(builder, file::Operation_CONSTANT, 0),
      file::CreateExpressionDirect(builder, file::Operation_SYMBOL, 0)};
  const List<file::Symbol> symbols = {file::CreateSymbolDirect(
      builder, "N", 0, 0, given.scale, given.offset, std::numeric_limits<int64_t>::min(),
      std::numeric_limits<int64_t>::max())};
  const List<file::Guard> guards;
  const std::vector<uint32_t> dims = {1}, none = {}, inputs = {0}, outputs = {given.output};
  const List<file::Tensor> tensors = {
      file::CreateTensorDirect(builder, "x", file::DType_F32, &dims, file::Storage_ARENA, 0),
      file::CreateTensorDirect(builder, "w", file::DType_F32, &dims, file::Storage_WEIGHTS, 0)};
  const List<file::Kernel> kernels;
  const List<file::Dispatch> dispatches;
  const std::vector<uint8_t> weights;
  const List<file::Setting> settings;
  const List<file::Tiling> tilings;
  builder.Finish(
      file::CreateModelDirect(builder, kFileVersion, nullptr, &expressions, &symbols, &guards,
                              &tensors, &inputs, &outputs, &kernels, &dispatches, 1,
                              file::Feature(), &weights, &settings, &none, &tilings),
      file::ModelIdentifier());
  const size_t body = (builder.GetSize() + 7) / 8 * 8;
  std::vector<uint64_t> words((body + kTrailerBytes) / 8);
  uint8_t* const bytes = reinterpret_cast<uint8_t*>(words.data());
  std::memcpy(bytes, builder.GetBufferPointer(), builder.GetSize());
  const uint64_t crc = Crc64({bytes, body});
  std::memcpy(bytes + body, kTrailerTag, 8);
  std::memcpy(bytes + body + 8, &crc, sizeof crc);
  const file::Model* model = nullptr;
  return ReadArtifact({bytes, body + kTrailerBytes}, model).message();
}

TEST(ArtifactTest, IsTakenAsItIs) {
  EXPECT_EQ(Read({}), "");
  EXPECT_EQ(Read({.scale = -2, .offset = -7}), "");
}

// A run copies outputs from the arena, wherever their tensors say that they lie.
TEST(ArtifactTest, OutputsLieInTheArena) {
  EXPECT_EQ(Read({.output = 1}), "output `w` does not lie in the arena");
}

// A session divides by the one what is left of a size without the other: INT64_MIN by -1 ends the
// process on some.
TEST(ArtifactTest, SizesAreComputedWithNumbersOf32Bits) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = int64_t{1} << 31;
  const std::string text = "symbol `N` follows from no size";
  EXPECT_EQ(Read({.scale = 0}), text);
  EXPECT_EQ(Read({.scale = -1, .offset = kLeast}), text);
  EXPECT_EQ(Read({.offset = kMost}), text);
  EXPECT_EQ(Read({.offset = -kMost}), text);
  EXPECT_EQ(Read({.scale = kMost}), text);
  EXPECT_EQ(Read({.scale = kLeast}), text);
  EXPECT_EQ(Read({.scale = 1 - kMost, .offset = kMost - 1}), "");
}

}  // namespace
}  // namespace tessera::vulkan
