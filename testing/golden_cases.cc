#include "testing/golden_cases.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "support/file.h"
#include "testing/body_tests.h"

namespace tessera::testing {
namespace {

using Golden = std::map<std::string, std::string>;  // what is recorded, by case

Golden ReadGolden(const std::string& text) {
  Golden golden;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    golden.insert(parts);
  }
  return golden;
}

void Check(const GoldenCase& each, const Golden& golden) {
  const Outcome outcome = each.run();
  EXPECT_EQ(outcome.failure, "");
  const auto expected = golden.find(each.name);
  EXPECT_EQ(outcome.recorded, expected == golden.end() ? "" : expected->second)
      << "bazel run //testing:update writes what each case comes to";
}

void CheckNames(const std::vector<GoldenCase>& cases, const Golden& golden) {
  std::map<std::string, int> times;
  for (const GoldenCase& each : cases) EXPECT_EQ(++times[each.name], 1) << each.name;
  for (const auto& [name, recorded] : golden) EXPECT_EQ(times[name], 1) << name;
}

absl::Status Update(const std::vector<GoldenCase>& cases, const std::string& path) {
  std::string text;
  for (const GoldenCase& each : cases) {
    const Outcome outcome = each.run();
    if (!outcome.recorded.empty()) absl::StrAppend(&text, each.name, ": ", outcome.recorded, "\n");
  }
  return support::WriteFile(path, text);
}

int Checked(const std::vector<GoldenCase>& cases, const std::string& path) {
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (!text.ok()) {
    std::cerr << text.status() << "\n";
    return 2;
  }
  const Golden golden = ReadGolden(*text);
  BodyTests tests;
  // Operations of one family have their examples in the same lines.
  for (const GoldenCase& each : cases)
    tests.Add(each.suite, each.test, each.file, each.line,
              [&each, &golden] { Check(each, golden); });
  tests.Add("Golden", "names_what_there_is", __FILE__, __LINE__,
            [&] { CheckNames(cases, golden); });
  return RUN_ALL_TESTS();
}

}  // namespace

int RunGoldenCases(int argc, char** argv, const std::vector<GoldenCase>& cases) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::string mode = argc == 3 ? argv[1] : "";
  if (mode == "check") return Checked(cases, argv[2]);
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (mode != "update" || workspace == nullptr) {
    std::cerr << "usage: " << argv[0] << " check GOLDEN; bazel run ... -- update GOLDEN\n";
    return 2;
  }
  const absl::Status written = Update(cases, absl::StrCat(workspace, "/", argv[2]));
  if (!written.ok()) std::cerr << written << "\n";
  return written.ok() ? 0 : 1;
}

}  // namespace tessera::testing
