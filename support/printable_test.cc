#include "support/printable.h"

#include <ostream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace tessera::support {
namespace {

using std::string_literals::operator""s;

TEST(Printable, LeavesTextAlone) {
  for (const char* text : {"", "conv_1/weight:0", "größe", "層", "😀", "a\\b `c`"})
    EXPECT_EQ(Printable(text), text);
}

TEST(Printable, EscapesWhatSteersATerminal) {
  EXPECT_EQ(Printable("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(Printable("a\0b\r\x7f"s), "a\\x00b\\x0d\\x7f");
  EXPECT_EQ(Printable("two\nlines\tand"), "two\\nlines\\tand");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI as one character
  EXPECT_EQ(Printable("\xe2\x80\xae"
                      "txt.exe"),
            "\\xe2\\x80\\xaetxt.exe");                      // right to left
  EXPECT_EQ(Printable("\xe2\x80\xa8"), "\\xe2\\x80\\xa8");  // line separator
}

TEST(Printable, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(Printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(Printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(Printable("\xc3"), "\\xc3");                    // ends within a sequence
  EXPECT_EQ(Printable("\xc3("), "\\xc3(");                  // goes on as something else
  EXPECT_EQ(Printable("\xc0\x9b"), "\\xc0\\x9b");           // overlong, by its first byte
  EXPECT_EQ(Printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");  // overlong, by its value
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

// However it is cut into pieces.
TEST(PrintableBuffer, FiltersAStream) {
  const std::string text = "größe\t層\x1b[0m\n\xc2\x9b\xff!\n";
  const std::string expected = "größe\t層\\x1b[0m\n\\xc2\\x9b\\xff!\n";
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    std::ostringstream sink;
    PrintableBuffer buffer(sink.rdbuf());
    std::ostream out(&buffer);
    for (size_t i = 0; i < text.size(); i += piece) out << text.substr(i, piece);
    out.flush();
    EXPECT_EQ(sink.str(), expected) << piece;
  }
  std::ostringstream sink;
  PrintableBuffer buffer(sink.rdbuf());
  std::ostream out(&buffer);
  for (char c : text) out.put(c);
  out << '\xe5' << std::flush << '\xb1';
  out.flush();
  EXPECT_EQ(sink.str(), expected + "\\xe5\\xb1");
}

}  // namespace
}  // namespace tessera::support
