// Runs one fuzz target on its seeds and on what changes of them make, the same for the same seed.
// The flags are those of libFuzzer, in whose place it stands where there is no clang.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "fuzz/targets/target.h"

namespace tessera::fuzz {
namespace {

struct Arguments {
  int64_t runs = 2000, seed = 1, seconds = 0;
  std::string dictionary;
  std::vector<std::string> corpus;  // files and folders
};

constexpr std::string_view kUsage =
    "usage: TARGET [-runs=N] [-seed=N] [-max_total_time=SECONDS] [-dict=FILE] CORPUS...\n";

// Where an input that ends the program comes from; written by a signal's handler.
char place[64];

void SayPlace(int signal_number) {
  [[maybe_unused]] const ssize_t written = write(2, place, std::string_view(place).size());
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Parse(const std::vector<std::string>& args, Arguments& arguments) {
  for (absl::string_view arg : args) {
    if (absl::ConsumePrefix(&arg, "-runs=")) {
      if (!absl::SimpleAtoi(arg, &arguments.runs)) return false;
    } else if (absl::ConsumePrefix(&arg, "-seed=")) {
      if (!absl::SimpleAtoi(arg, &arguments.seed)) return false;
    } else if (absl::ConsumePrefix(&arg, "-max_total_time=")) {
      if (!absl::SimpleAtoi(arg, &arguments.seconds)) return false;
    } else if (absl::ConsumePrefix(&arg, "-dict=")) {
      arguments.dictionary = std::string(arg);
    } else if (absl::StartsWith(arg, "-")) {
      return false;
    } else {
      arguments.corpus.emplace_back(arg);
    }
  }
  return true;
}

std::vector<std::string> ReadCorpus(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path)) files.push_back(entry);
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const std::filesystem::path& file : files) corpus.push_back(Read(file));
  return corpus;
}

// False: there is a finding, which is told, with a file that has the input.
bool Holds(const std::string& bytes, const std::string& where) {
  where.copy(place, sizeof place - 1);
  place[std::min(where.size(), sizeof place - 1)] = 0;
  const std::string wrong = Try(bytes);
  if (wrong.empty()) return true;
  const char* const folder = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  const std::filesystem::path file =
      std::filesystem::path(folder == nullptr ? "." : folder) / "finding";
  std::ofstream(file, std::ios::binary) << bytes;
  std::cerr << where << wrong << "\nthe input is in " << file << "\n";
  return false;
}

int Main(const std::vector<std::string>& args) {
  Arguments arguments;
  if (!Parse(args, arguments)) {
    std::cerr << kUsage;
    return 2;
  }
  for (const int fatal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM})
    signal(fatal, SayPlace);
  const std::vector<std::string> words = ParseDictionary(Read(arguments.dictionary));
  std::vector<std::string> seeds = ReadCorpus(arguments.corpus);
  for (std::string& made : Seeds(seeds)) seeds.push_back(std::move(made));
  if (seeds.empty()) {
    std::cerr << "no seeds\n" << kUsage;
    return 2;
  }
  for (size_t i = 0; i < seeds.size(); ++i) {
    if (!Holds(seeds[i], "seed " + std::to_string(i) + ": ")) return 1;
  }
  const auto begin = std::chrono::steady_clock::now();
  const auto over = [&] {
    return arguments.seconds > 0 &&
           std::chrono::steady_clock::now() - begin > std::chrono::seconds(arguments.seconds);
  };
  int64_t run = 0;
  for (; (arguments.seconds > 0 || run < arguments.runs) && !over(); ++run) {
    testing::Random random(static_cast<uint64_t>(arguments.seed), std::to_string(run));
    std::string bytes = random.Of(seeds);
    for (int64_t rounds = 1 + random.Below(3); rounds > 0; --rounds)
      bytes = random.OneIn(4) ? WithOtherBytes(bytes, random) : Mutated(bytes, words, random);
    if (!Holds(bytes, "run " + std::to_string(run) + ": ")) return 1;
  }
  std::cerr << seeds.size() << " seeds, " << run << " runs, no finding\n";
  return 0;
}

}  // namespace
}  // namespace tessera::fuzz

int main(int argc, char** argv) { return tessera::fuzz::Main({argv + 1, argv + argc}); }
