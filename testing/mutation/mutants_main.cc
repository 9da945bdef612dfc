// Writes small wrong edits of definition files: as many of each kind, places by seed.
//
//   mutants COUNT SEED FOLDER FILE.op...
//
// FOLDER/N/STEM.op is the file of edit N, FOLDER/N/about says its kind, its file and what it is.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "testing/mutation/mutants.h"
#include "testing/sampling/random.h"

namespace tessera::testing {
namespace {

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

int Main(const std::vector<std::string>& args) {
  int count = 0;
  uint64_t seed = 0;
  if (args.size() < 4 || !absl::SimpleAtoi(args[0], &count) || !absl::SimpleAtoi(args[1], &seed)) {
    std::cerr << "usage: mutants COUNT SEED FOLDER FILE.op...\n";
    return 2;
  }
  std::map<std::string, std::string> texts;
  std::map<std::string, std::vector<Mutant>> kinds;
  // Of those that say so, and of the language's.
  std::set<std::string> commuting = {"min", "max"};
  for (size_t i = 3; i < args.size(); ++i) commuting.merge(CommutingIn(Read(args[i])));
  for (size_t i = 3; i < args.size(); ++i) {
    // What all definitions share is edited in none of them alone.
    if (absl::EndsWith(args[i], "/prelude.op")) continue;
    texts[args[i]] = Read(args[i]);
    for (Mutant& mutant : MutantsOf(args[i], texts[args[i]], commuting))
      kinds[mutant.kind].push_back(std::move(mutant));
  }
  Random random(seed);
  int number = 0;
  for (size_t k = 0; number < count; ++k) {
    bool any = false;
    for (const std::string& kind : MutantKinds()) any = any || !kinds[kind].empty();
    if (!any) break;
    std::vector<Mutant>& left = kinds[MutantKinds()[k % MutantKinds().size()]];
    if (left.empty()) continue;
    std::swap(left[static_cast<size_t>(random.Below(static_cast<int64_t>(left.size())))],
              left.back());
    const Mutant mutant = left.back();
    left.pop_back();
    const std::filesystem::path folder = std::filesystem::path(args[2]) / std::to_string(++number);
    std::filesystem::create_directories(folder);
    const std::string& text = texts[mutant.path];
    std::ofstream(folder / std::filesystem::path(mutant.path).filename(), std::ios::binary)
        << Applied(mutant, text);
    std::ofstream(folder / "about", std::ios::binary) << mutant.kind << "\n"
                                                      << mutant.path << "\n"
                                                      << Description(mutant, text) << "\n";
  }
  std::cout << number << " edits\n";
  return 0;
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main({argv + 1, argv + argc}); }
