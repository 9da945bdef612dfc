#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "support/file.h"
#include "testing/sampling/all_checks.h"
#include "testing/sampling/sampled_tests.h"

namespace tessera::testing {
namespace {

// Lines of ops and checks that are gone say nothing.
void CheckNames(const std::vector<Sampled>& all, const std::vector<std::string>& golden) {
  std::set<std::string> known;
  for (const Sampled& sampled : all) {
    for (const Subject& subject : sampled.subjects) {
      for (const Check& check : sampled.checks)
        known.insert(
            absl::StrCat(check.name, " ", subject.signature->dialect, ".", subject.signature->op));
    }
  }
  for (const std::string& line : golden)
    EXPECT_EQ(known.count(line.substr(0, line.find(": "))), 1u) << line;
}

class Golden : public ::testing::Test {
 public:
  static std::vector<Sampled>* all;
  static std::vector<std::string>* lines;
};
std::vector<Sampled>* Golden::all = nullptr;
std::vector<std::string>* Golden::lines = nullptr;

TEST_F(Golden, names_what_there_is) { CheckNames(*all, *lines); }

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const absl::StatusOr<std::string> golden =
      argc == 2 ? support::ReadFile(argv[1]) : absl::InvalidArgumentError("GOLDEN is missing");
  if (!golden.ok()) {
    std::cerr << golden.status() << "\n";
    return 2;
  }
  static std::vector<Sampled> all = AllSampled();
  static std::vector<std::string> lines = absl::StrSplit(*golden, '\n', absl::SkipEmpty());
  Golden::all = &all;
  Golden::lines = &lines;
  for (const Sampled& sampled : all) RegisterSampledTests(sampled.subjects, sampled.checks, lines);
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main(argc, argv); }
