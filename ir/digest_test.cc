#include "ir/digest.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::ir {
namespace {

Digest Of(absl::Span<const uint8_t> bytes) {
  Hasher hasher;
  hasher.AddBytes(bytes);
  return hasher.digest();
}

std::vector<uint8_t> Pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(i * 131 + i / 256);
  return bytes;
}

// Where constants are found by their digest, in files of earlier runs too.
TEST(Digest, IsTheSameInEveryRun) {
  EXPECT_EQ(Of({}).ToString(), "a8464987266a2eb0e89bacaa88a43054");
  EXPECT_EQ(Of(Pattern(100)).ToString(), "7ba3e63cbfd8aa04625fdefd6d136a46");
  EXPECT_EQ(Of(Pattern(1000)).ToString(), "dce08459d0a620c7354dc873ca2f856b");
  EXPECT_EQ(DigestOf(Tensor()).ToString(), "1c80c23365f7f0782e89e3d989dfb6bf");
}

TEST(Digest, EveryBitAndTheLengthMatter) {
  for (size_t size : {1, 8, 255, 256, 257, 319, 320, 640, 1027}) {
    std::vector<uint8_t> bytes = Pattern(size);
    std::set<Digest> seen = {Of(bytes)};
    for (size_t bit = 0; bit < 8 * size; ++bit) {
      bytes[bit / 8] ^= 1 << bit % 8;
      EXPECT_TRUE(seen.insert(Of(bytes)).second) << size << " bytes, bit " << bit;
      bytes[bit / 8] ^= 1 << bit % 8;
    }
    bytes.push_back(0);
    EXPECT_TRUE(seen.insert(Of(bytes)).second) << size;
  }
}

TEST(Digest, SwappedPartsMatter) {
  const std::vector<uint8_t> bytes = Pattern(1024);
  std::set<Digest> seen = {Of(bytes)};
  for (size_t part : {8, 16, 64}) {
    for (size_t i = 0; i + part <= bytes.size(); i += part) {
      for (size_t j = i + part; j + part <= bytes.size(); j += part) {
        std::vector<uint8_t> swapped = bytes;
        std::swap_ranges(swapped.begin() + i, swapped.begin() + i + part, swapped.begin() + j);
        if (swapped == bytes) continue;
        EXPECT_TRUE(seen.insert(Of(swapped)).second) << part << " bytes at " << i << " and " << j;
      }
    }
  }
}

TEST(Digest, ZerosOfAnyLengthDiffer) {
  std::set<Digest> seen;
  for (size_t size = 0; size < 2000; ++size) {
    EXPECT_TRUE(seen.insert(Of(std::vector<uint8_t>(size))).second) << size;
  }
}

TEST(Digest, TextRoundTrip) {
  const Digest digest = Of(Pattern(300));
  EXPECT_EQ(Digest::FromString(digest.ToString()), digest);
  EXPECT_EQ(Digest::FromString("0123"), std::nullopt);
  EXPECT_EQ(Digest::FromString(std::string(32, 'G')), std::nullopt);
}

}  // namespace
}  // namespace tessera::ir
