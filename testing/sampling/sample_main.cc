// Samples definitions at length: every op, or one.
//
//   bazel run //testing:sample -- [--op=NAME] [--check=agreement|rewrites|lowered|circle]
//   [--count=N]
//       [--seed=N]
//
// Prints one line per op and check, and for a failure the smallest instance found, as an example to
// paste into the definition. `sample update GOLDEN` writes what the test suite's samples do not
// reach. Exit code 1 if something fails, 2 for wrong usage.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "support/file.h"
#include "testing/sampling/all_checks.h"

namespace tessera::testing {
namespace {

struct Options {
  std::string op, check;
  int count = 0;  // what the test suite takes
  uint64_t seed = kSuiteSeed;
};

int Usage() {
  std::cerr << "usage: sample [--op=NAME] [--check=agreement|rewrites|lowered|circle] [--count=N] "
               "[--seed=N]\n"
               "       sample update GOLDEN\n";
  return 2;
}

bool Parse(const std::vector<std::string>& args, Options& options) {
  for (const std::string& arg : args) {
    const size_t equals = arg.find('=');
    if (equals == std::string::npos) return false;
    const std::string name = arg.substr(0, equals), value = arg.substr(equals + 1);
    if (name == "--op") {
      options.op = value;
    } else if (name == "--check" && (value == "agreement" || value == "rewrites" ||
                                     value == "lowered" || value == "circle")) {
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
    if (!findings.summary.empty() || !findings.failure.empty()) {
      std::cout << check.name << " " << subject.signature->dialect << "." << subject.signature->op
                << ": " << findings.summary << "\n"
                << std::flush;
    }
    std::cerr << findings.failure;
    holds = holds && findings.failure.empty();
  }
  return holds;
}

// The golden of the test suite, as it is now.
int Update(const std::string& golden) {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (workspace == nullptr) return Usage();
  const std::string path = std::string(workspace) + "/" + golden;
  std::string text;
  bool holds = true;
  for (const Sampled& sampled : AllSampled()) {
    for (const Check& check : sampled.checks) {
      for (const Subject& subject : sampled.subjects) {
        const Findings findings = Run(check, subject, kSuiteSeed, check.count);
        if (!findings.pin.empty()) text += findings.pin + "\n";
        for (const std::string& note : findings.notes) text += note + "\n";
        std::cerr << findings.failure;
        holds = holds && findings.failure.empty();
      }
    }
  }
  const absl::Status written = support::WriteFile(path, text);
  if (!written.ok()) std::cerr << written << "\n";
  return written.ok() && holds ? 0 : 1;
}

int Main(const std::vector<std::string>& args) {
  Options options;
  if (args.size() == 2 && args[0] == "update") return Update(args[1]);
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
