// pass_golden check|update FILE.ir...: runs the passes that each file names. `check` compares what
// comes out, and for passes that canonicalize also that the order of their worklists does not
// matter; `update` rewrites the files in the workspace.
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "ir/text.h"
#include "support/file.h"
#include "testing/pass_golden.h"

namespace tessera::testing {
namespace {

// Orders of the worklist that are tried beside the ordinary one.
constexpr uint64_t kSeeds = 40;

bool Canonicalizes(const PassGolden& golden) {
  for (const std::string& pass : golden.passes) {
    if (pass.rfind("canonicalize", 0) == 0) return true;
  }
  return false;
}

bool OrdersAgree(const std::string& path, const PassGolden& golden) {
  const auto ordinary = RunGolden(golden, 0);
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto shuffled = RunGolden(golden, seed);
    if (ordinary.ok() == shuffled.ok() &&
        (!ordinary.ok() || StructureOf(**ordinary) == StructureOf(**shuffled))) {
      continue;
    }
    std::cerr << path << ": worklist shuffled by seed " << seed << " gives\n"
              << (shuffled.ok() ? ir::Print(**shuffled) : shuffled.status().ToString()) << "\n";
    return false;
  }
  return true;
}

int Main(const std::vector<std::string>& args) {
  if (args.size() < 2 || (args[0] != "check" && args[0] != "update")) {
    std::cerr << "usage: pass_golden check|update FILE.ir...\n";
    return 2;
  }
  const bool update = args[0] == "update";
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  int shuffled = 0, bad = 0;
  for (size_t i = 1; i < args.size(); ++i) {
    const std::string path = update ? std::string(workspace) + "/" + args[i] : args[i];
    const auto contents = support::ReadFile(path);
    const auto golden = contents.ok() ? ParseGolden(*contents) : contents.status();
    if (!golden.ok()) {
      std::cerr << path << ": " << golden.status().message() << "\n";
      ++bad;
      continue;
    }
    const std::string outcome = Outcome(*golden);
    if (update) {
      const absl::Status status = support::WriteFile(path, golden->head + "// becomes\n" + outcome);
      if (!status.ok()) {
        std::cerr << path << ": " << status.message() << "\n";
        ++bad;
      }
      continue;
    }
    if (outcome != golden->expected) {
      std::cerr << path << ": expected\n" << golden->expected << "\ngot\n" << outcome << "\n";
      ++bad;
    }
    if (Canonicalizes(*golden)) {
      ++shuffled;
      if (!OrdersAgree(path, *golden)) ++bad;
    }
  }
  std::cerr << args.size() - 1 << " files, " << shuffled << " of them with shuffled worklists, "
            << bad << " wrong\n";
  if (bad > 0 && !update) std::cerr << "this rewrites goldens: bazel run //testing:update\n";
  // A run that looked at no worklist has lost its files.
  return bad > 0 || (!update && shuffled == 0) ? 1 : 0;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main({argv + 1, argv + argc}); }
