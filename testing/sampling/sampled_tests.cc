#include "testing/sampling/sampled_tests.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "testing/body_tests.h"

namespace tessera::testing {
namespace {

void RunCheck(const Subject& subject, const Check& check, const std::vector<std::string>& golden) {
  const Findings findings = Run(check, subject, kSuiteSeed, check.count);
  EXPECT_EQ(findings.failure, "");
  const std::string prefix =
      absl::StrCat(check.name, " ", subject.signature->dialect, ".", subject.signature->op, ": ");
  std::vector<std::string> expected;
  bool known = false;
  for (const std::string& line : golden) {
    if (!absl::StartsWith(line, prefix)) continue;
    if (!absl::StartsWith(line, prefix + "samples: ")) {
      expected.push_back(line);
      continue;
    }
    known = true;
    EXPECT_EQ(findings.pin, line)
        << "what `" << subject.signature->op
        << "` means on its samples changed; if that is meant, bazel run //testing:update";
  }
  // A new definition needs no golden.
  if (!known) return;
  EXPECT_EQ(absl::StrJoin(findings.notes, "\n"), absl::StrJoin(expected, "\n"))
      << "bazel run //testing:update writes what samples do not reach";
}

}  // namespace

void RegisterSampledTests(const std::vector<Subject>& subjects, const std::vector<Check>& checks,
                          const std::vector<std::string>& golden) {
  BodyTests tests;
  for (const Subject& subject : subjects) {
    for (const Check& check : checks) {
      tests.Add(subject.signature->op, absl::StrCat("sampled_", check.name),
                subject.signature->file, 1, [&] { RunCheck(subject, check, golden); });
    }
  }
}

}  // namespace tessera::testing
