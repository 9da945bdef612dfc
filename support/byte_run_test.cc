#include "support/byte_run.h"

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::support {
namespace {

// The byte at each place, whichever are asked for.
class Counting : public ByteSource {
 public:
  explicit Counting(uint8_t odd = 0) : odd_(odd) {}
  void Read(size_t begin, absl::Span<uint8_t> into) const override {
    for (size_t i = 0; i < into.size(); ++i)
      into[i] = static_cast<uint8_t>((begin + i) * 7 + (begin + i == 900000 ? odd_ : 0));
  }

 private:
  const uint8_t odd_;
};

std::string Counted(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7);
  return bytes;
}

TEST(ByteRun, PartsAreAllBytesInTheirOrder) {
  const Counting source;
  for (const size_t size : {0, 1, 262145, 1048575, 1048576, 1048577, 3000000}) {
    const std::string there = Counted(size);
    EXPECT_TRUE(Join({ByteRun(source, size)}) == there) << size;
    EXPECT_TRUE(Join({ByteRun(there), ByteRun(source, size)}) == there + there) << size;
    EXPECT_EQ(ByteRun(source, size).size(), ByteRun(there).size());
    EXPECT_TRUE(ByteRun(source, size) == ByteRun(there)) << size;
    EXPECT_TRUE(ByteRun(there) == ByteRun(source, size)) << size;
    EXPECT_TRUE(ByteRun(source, size) == ByteRun(source, size)) << size;
    EXPECT_FALSE(ByteRun(source, size) == ByteRun(source, size + 1)) << size;
  }
}

TEST(ByteRun, OneOtherByteIsSeen) {
  const Counting source, other(1);
  EXPECT_TRUE(ByteRun(source, 900000) == ByteRun(other, 900000));
  EXPECT_FALSE(ByteRun(source, 1000000) == ByteRun(other, 1000000));
  EXPECT_FALSE(ByteRun(other, 1000000) == ByteRun(Counted(1000000)));
}

TEST(ByteRun, ReadsFromTheMiddle) {
  const Counting source;
  const std::string there = Counted(5000);
  std::vector<uint8_t> made(64), copied(64);
  ByteRun(source, 5000).Read(4321, absl::MakeSpan(made));
  ByteRun(there).Read(4321, absl::MakeSpan(copied));
  EXPECT_EQ(made, copied);
  EXPECT_EQ(made[1], static_cast<uint8_t>(4322 * 7));
}

TEST(ByteRun, EndsWhereItIsToldTo) {
  const Counting source;
  int parts = 0;
  EXPECT_FALSE(ByteRun(source, 4000000).ForEachPart([&](std::string_view) { return ++parts < 2; }));
  EXPECT_EQ(parts, 2);
}

}  // namespace
}  // namespace tessera::support
