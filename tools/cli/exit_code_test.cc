#include "tools/cli/exit_code.h"

#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tessera::cli {
namespace {

std::string Reported(const std::string& message) {
  std::ostringstream err;
  EXPECT_EQ(Report("tool", absl::InvalidArgumentError(message), err), kBadInput);
  return err.str();
}

TEST(Report, IndentsTheLinesBehindTheFirst) {
  EXPECT_EQ(Reported("a.onnx: one\ntwo\n\n"), "tool: a.onnx: one\n  two\n");
  EXPECT_EQ(Reported(""), "tool: \n");
}

TEST(Report, ShowsOfALongLineBothEnds) {
  const std::string sizes(100'000, '9');
  const std::string text = Reported(absl::StrCat("short\nY = [", sizes, "] is too large"));
  EXPECT_LT(text.size(), 4000U);
  EXPECT_EQ(text.rfind("tool: short\n  Y = [999", 0), 0U);
  EXPECT_NE(text.find("999 ... (96419 characters) ... 999"), std::string::npos) << text;
  EXPECT_NE(text.find("999] is too large\n"), std::string::npos);
}

TEST(Report, CutsBetweenCharacters) {
  std::string text = "x";
  for (int i = 0; i < 5000; ++i) text += "\u00e9";
  const std::string shown = Reported(text);
  const size_t cut = shown.find(" ... (");
  ASSERT_NE(cut, std::string::npos);
  EXPECT_EQ(shown.substr(cut - 2, 2), "\u00e9");
  const size_t on = shown.find(") ... ");
  EXPECT_EQ(shown.substr(on + 6, 2), "\u00e9");
  EXPECT_LT(Reported(std::string(100'000, '\xA9')).size(), 100'100U);
}

}  // namespace
}  // namespace tessera::cli
