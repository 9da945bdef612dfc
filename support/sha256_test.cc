#include "support/sha256.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "support/sha256_beside.h"

namespace tessera::support {
namespace {

// The vectors of FIPS 180-2, appendix B, and of NIST's example values.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(Sha256(std::string_view()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                   "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(Sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesAreOneText) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += static_cast<char>(i * 7);
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const std::vector<ByteRun> pieces = {std::string_view(text).substr(0, cut),
                                         std::string_view(text).substr(cut)};
    ASSERT_EQ(Sha256(pieces), Sha256(text)) << cut;
  }
  const std::vector<uint8_t> bytes(text.begin(), text.end());
  EXPECT_EQ(Sha256(bytes), Sha256(text));
}

TEST(Sha256, BesideItIsTheSame) {
  std::string text;
  for (int i = 0; i < 3000000; ++i) text += static_cast<char>(i * 7 + i / 251);
  Sha256Beside beside;
  size_t begin = 0;
  for (size_t part = 0; begin < text.size(); part = part * 3 + 1) {
    beside.Add(std::string_view(text).substr(begin, part));
    begin += part;
  }
  EXPECT_EQ(beside.Finish(), Sha256(text));
  EXPECT_EQ(Sha256Beside().Finish(), Sha256(""));
  Sha256Beside().Add(text);  // nobody asks
}

}  // namespace
}  // namespace tessera::support
