// Samples definitions at length: every op, or one.
//
//   bazel run //testing:sample -- [--op=NAME] [--check=agreement|rewrites|circle] [--count=N]
//       [--seed=N] [--golden]
//
// Prints one line per op and check, and for a failure the smallest instance found, as an example to
// paste into the definition. `--golden`: what the test suite's samples do not reach instead, as
// testing/goldens/sampled.txt has it. Exit code 1 if something fails, 2 for wrong usage.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "testing/sampling/all_checks.h"

namespace tessera::testing {
namespace {

struct Options {
  std::string op, check;
  int count = 0;  // what the test suite takes
  uint64_t seed = kSuiteSeed;
  bool golden = false;
};

int Usage() {
  std::cerr << "usage: sample [--op=NAME] [--check=agreement|rewrites|circle] [--count=N] "
               "[--seed=N] [--golden]\n";
  return 2;
}

bool Parse(const std::vector<std::string>& args, Options& options) {
  for (const std::string& arg : args) {
    if (arg == "--golden") {
      options.golden = true;
      continue;
    }
    const size_t equals = arg.find('=');
    if (equals == std::string::npos) return false;
    const std::string name = arg.substr(0, equals), value = arg.substr(equals + 1);
    if (name == "--op") {
      options.op = value;
    } else if (name == "--check" &&
               (value == "agreement" || value == "rewrites" || value == "circle")) {
      options.check = value;
    } else if (name == "--count") {
      if (!absl::SimpleAtoi(value, &options.count) || options.count < 1) return false;
    } else if (name == "--seed") {
      if (!absl::SimpleAtoi(value, &options.seed)) return false;
    } else {
      return false;
    }
  }
  return true;
}

// True: nothing failed.
bool SampleAll(const std::vector<Subject>& subjects, const Check& check, const Options& options,
               int& found) {
  bool holds = true;
  for (const Subject& subject : subjects) {
    if (!options.op.empty() && options.op != subject.signature->op) continue;
    if (!options.check.empty() && options.check != check.name) continue;
    ++found;
    const Findings findings = check.run(subject, check.name, options.seed,
                                        options.count > 0 ? options.count : check.count);
    if (options.golden) {
      for (const std::string& note : findings.notes) std::cout << note << "\n";
    } else if (!findings.summary.empty() || !findings.failure.empty()) {
      std::cout << check.name << " " << subject.signature->dialect << "." << subject.signature->op
                << ": " << findings.summary << "\n"
                << std::flush;
    }
    std::cerr << findings.failure;
    holds = holds && findings.failure.empty();
  }
  return holds;
}

int Main(const std::vector<std::string>& args) {
  Options options;
  if (!Parse(args, options)) return Usage();
  int found = 0;
  bool holds = true;
  for (const Sampled& sampled : AllSampled()) {
    for (const Check& check : sampled.checks)
      holds = SampleAll(sampled.subjects, check, options, found) && holds;
  }
  if (found == 0) {
    std::cerr << "error: no op `" << options.op << "`\n";
    return 2;
  }
  return holds ? 0 : 1;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main({argv + 1, argv + argc}); }
