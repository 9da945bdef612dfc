// A test of many cases of which each is right, or has a word in a golden that says what it came to:
// why it does not run, or on which devices it does.
#ifndef TESSERA_TESTING_GOLDEN_CASES_H_
#define TESSERA_TESTING_GOLDEN_CASES_H_

#include <functional>
#include <string>
#include <vector>

namespace tessera::testing {

struct Outcome {
  std::string recorded;  // what the golden says of the case; empty: it has no line there
  std::string failure;   // empty: none
};

struct GoldenCase {
  std::string name;         // in the golden; of one case only
  std::string suite, test;  // GoogleTest's; cases of one suite and test are numbered
  std::string file;         // where it is defined
  int line = 0;
  std::function<Outcome()> run;
};

// The program of such a test: `check GOLDEN [--gtest_...]` runs each case and compares what it came
// to; `update GOLDEN`, under `bazel run`, writes the golden. Returns the exit code.
int RunGoldenCases(int argc, char** argv, const std::vector<GoldenCase>& cases);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_GOLDEN_CASES_H_
