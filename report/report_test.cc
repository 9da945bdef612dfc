#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "report/bars.h"
#include "report/markup.h"
#include "report/memory_picture.h"
#include "report/page.h"
#include "report/xml_check.h"

namespace tessera::report {
namespace {

TEST(Markup, EscapesAndShortens) {
  EXPECT_EQ(Escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
  EXPECT_EQ(Escaped("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  // A control character, half a character, an overlong form, a surrogate.
  const std::string replaced = "\xef\xbf\xbd";
  EXPECT_EQ(Escaped("\x01"), replaced);
  EXPECT_EQ(Escaped("\xe2\x82"), replaced + replaced);
  EXPECT_EQ(Escaped("\xc0\xaf"), replaced + replaced);
  EXPECT_EQ(Escaped("\xed\xa0\x80"), replaced + replaced + replaced);
  EXPECT_EQ(Shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(Shortened("abcdef", 5), "abcd\xe2\x80\xa6");
  EXPECT_EQ(Shortened("\xc3\xa4\xc3\xa4\xc3\xa4", 2), "\xc3\xa4\xe2\x80\xa6");
  using Lines = std::vector<std::string>;
  EXPECT_EQ(Wrapped("", 5, 2), Lines{});
  EXPECT_EQ(Wrapped("ab,cd,ef", 6, 2), (Lines{"ab,cd,", "ef"}));
  EXPECT_EQ(Wrapped("f32[N,2*(H + 1),W]", 13, 2), (Lines{"f32[N,", "2*(H + 1),W]"}));
  EXPECT_EQ(Wrapped("a=[1,1] b=[2,2]", 12, 2), (Lines{"a=[1,1] ", "b=[2,2]"}));
  EXPECT_EQ(Wrapped("abcdefgh", 3, 2), (Lines{"abc", "de\xe2\x80\xa6"}));
  EXPECT_EQ(Columns("\xc3\xa4\xe2\x80\xa6"), 2u);
}

TEST(XmlCheck, FindsWhatIsWrong) {
  EXPECT_EQ(XmlProblem("<a b=\"c\"><d/>&amp;</a>"), "");
  for (const char* wrong : {"<a>", "</a>", "<a></b>", "<a b=c/>", "<a b=\"<\"/>", "<a>&</a>",
                            "<a b=\"1\" b=\"2\"/>", "<a", "<a>\x01</a>", "<a/><!-- -- -->"}) {
    EXPECT_NE(XmlProblem(wrong), "") << wrong;
  }
}

// What users' networks can hold in names.
constexpr char kOddName[] = "a<b>&\"c\" \x01 ]]> \xf0\x9f\x98\x80";

TEST(MemorySvg, DrawsEachBufferWithinThePicture) {
  MemoryPicture picture{"scratch", 4, 1024, {}};
  picture.buffers = {{"first", 0, 1, 0, 512},
                     {kOddName, 1, 3, 512, 512},
                     {"beyond", 2, 9, 1000, 512},
                     {"empty", 0, 1, 0, 0},
                     {"never", 5, 6, 0, 16}};
  const std::string svg = MemorySvg(picture);
  EXPECT_EQ(XmlProblem(svg), "");
  // Two of four steps, half of the height.
  EXPECT_NE(svg.find("<rect x=\"96.0\" y=\"206.0\" width=\"500.0\" height=\"180.0\""), svg.npos)
      << svg;
  EXPECT_NE(svg.find("first: 512 bytes at 0, steps 0 to 1"), svg.npos);
  EXPECT_NE(svg.find("beyond"), svg.npos);
  EXPECT_EQ(svg.find("empty"), svg.npos);
  EXPECT_EQ(svg.find("never"), svg.npos);
  EXPECT_EQ(XmlProblem(MemorySvg({})), "");
}

TEST(BarsSvg, TheGreatestIsTheLongest) {
  const std::string svg = BarsSvg({{kOddName, "1 ms", 1}, {"b", "2 ms", 2}, {"c", "?", -1}});
  EXPECT_EQ(XmlProblem(svg), "");
  EXPECT_NE(svg.find("width=\"260.0\""), svg.npos) << svg;
  EXPECT_NE(svg.find("width=\"520.0\""), svg.npos) << svg;
  EXPECT_EQ(XmlProblem(BarsSvg({})), "");
}

TEST(Page, NeedsNothingButItself) {
  Page page{kOddName, "of a < b", {{"12", "operations"}}, {}};
  page.sections = {
      {"Memory", {"said of it"}, {{MemorySvg({}), kOddName}}, {}, {}},
      {"Tables", {}, {}, {{{"name", "bytes"}, {kOddName, "64"}}, {}}, {{"text", "<&"}}}};
  const std::string html = ToHtml(page);
  EXPECT_EQ(XmlProblem(html), "");
  EXPECT_EQ(html, ToHtml(page));
  for (const char* part : {"<a href=\"#section-1\">Tables</a>", "<td class=\"num\">64</td>",
                           "<pre>&lt;&amp;</pre>", "said of it"})
    EXPECT_NE(html.find(part), html.npos) << part;
  for (const char* elsewhere : {"http", "url(", "@import", "src=", "<script"})
    EXPECT_EQ(html.find(elsewhere), html.npos) << elsewhere;
}

}  // namespace
}  // namespace tessera::report
