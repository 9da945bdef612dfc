// Random networks through the targets, each compared with the reference.
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "fuzz/networks/calibrated.h"
#include "fuzz/networks/generator.h"
#include "fuzz/networks/judge.h"
#include "ir/text.h"
#include "support/file.h"
#include "targets/all/all.h"
#include "testing/sampling/all_checks.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/target_flags.h"
#include "tools/cli/tool.h"

namespace tessera::fuzz {
namespace {

struct Arguments {
  std::string target, count, seed, steps, symbols, output;
};

bool Number(const std::string& text, uint64_t otherwise, uint64_t& number) {
  number = otherwise;
  return text.empty() || absl::SimpleAtoi(text, &number);
}

std::string Text(const Recipe& recipe) {
  ir::Graph graph;
  std::vector<ir::Value*> values;
  const absl::Status built = Build(recipe, graph, values);
  return built.ok() ? ir::Print(graph) : absl::StrCat("// ", std::string(built.message()), "\n");
}

int Main(int argc, char** argv) {
  Arguments arguments;
  cli::CommandLine line("networks",
                        "Compiles random networks for a target and compares what the artifacts "
                        "compute with the reference.");
  line.Value("target", "TARGET", "what to compile for; default: the first there is",
             &arguments.target)
      .Value("count", "N", "so many networks; default: 200", &arguments.count)
      .Value("seed", "N", "of the first network, those behind it have the next ones; default: 1",
             &arguments.seed)
      .Value("steps", "N", "at most so many operations in each; default: 20", &arguments.steps)
      .Value("symbols", "N", "at most so many sizes that are not known, up to 4; default: 3",
             &arguments.symbols)
      .Value("output|o", "DIR", "where reduced networks with a finding go, as IR text",
             &arguments.output)
      .Example("--target=circle --count=1000 --seed=1 -o findings")
      .Example("--target=npu --npu-fallback=host --symbols=1")
      .Example("--seed=4711 --count=1");
  cli::TargetFlags target_flags;
  target_flags.Declare(line);
  if (const auto code = line.Parse(argc, argv)) return *code;
  uint64_t count, seed, steps, symbols;
  if (!Number(arguments.count, 200, count) || !Number(arguments.seed, 1, seed) ||
      !Number(arguments.steps, 20, steps) || !Number(arguments.symbols, 3, symbols) || symbols > 4)
    return line.WrongUsage(
        "`--count`, `--seed`, `--steps` and `--symbols` are numbers, the last one up to 4");
  const targets::Target* chosen =
      arguments.target.empty() ? targets::All()[0] : targets::Find(arguments.target);
  if (chosen == nullptr) {
    return line.WrongUsage(
        absl::StrCat("`--target ", arguments.target, "`: no such target; ", cli::TargetList()));
  }
  targets::FlagValues flags;
  if (const std::optional<int> code = target_flags.Resolve(line, chosen, flags)) return *code;
  cli::EnterInvokingFolder();
  const std::vector<testing::Subject> subjects = testing::CoreSubjects();

  std::map<std::string, int> refusals, without;
  int held = 0, findings = 0, refused = 0;
  size_t operations = 0;
  Generator generator(subjects, static_cast<int>(symbols));
  for (uint64_t i = 0; i < count; ++i) {
    const absl::StatusOr<std::unique_ptr<const verification::Target>> target =
        MakeCalibrated(*chosen, flags, seed + i);
    if (!target.ok()) return cli::Report("networks", target.status());
    Recipe recipe = Tempered(generator.Make(seed + i, static_cast<int>(steps)), seed + i);
    std::set<std::string> reasons;
    const Verdict verdict = JudgeWhatIsTaken(recipe, **target, seed + i, reasons);
    for (const std::string& reason : reasons) ++refusals[reason];
    if (verdict.kind == Verdict::kHolds) {
      ++held;
      operations += recipe.steps.size();
    } else if (verdict.kind == Verdict::kRefused) {
      ++refused;
    } else if (verdict.kind == Verdict::kNoValues) {
      ++without[verdict.reason];
    } else {
      ++findings;
      const Recipe reduced = Reduced(recipe, **target, seed + i, verdict.reason);
      const Verdict last = Judge(reduced, **target, seed + i);
      const std::string text = absl::StrCat("// seed ", seed + i, ": ", last.reason, "\n// ",
                                            last.detail, "\n", Text(reduced));
      std::cout << text << std::flush;
      if (!arguments.output.empty()) {
        std::error_code error;
        std::filesystem::create_directories(arguments.output, error);
        const absl::Status written =
            support::WriteFile(absl::StrCat(arguments.output, "/network-", seed + i, ".ir"), text);
        if (!written.ok()) return cli::Report("networks", written);
      }
    }
    if ((i + 1) % 100 == 0) {
      std::cerr << i + 1 << " networks: " << held << " hold, " << refused << " refused, "
                << findings << " findings\n";
    }
  }
  for (const auto& [reason, times] : refusals)
    std::cout << "refused " << times << ": " << reason << "\n";
  for (const auto& [reason, times] : without)
    std::cout << "no values " << times << ": " << reason << "\n";
  std::cout << held << " hold (" << operations << " operations), " << refused << " refused, "
            << count - static_cast<uint64_t>(held + refused + findings) << " without values, "
            << findings << " findings\n";
  return findings == 0 ? cli::kDone : cli::kBadInput;
}

}  // namespace
}  // namespace tessera::fuzz

int main(int argc, char** argv) {
  return tessera::cli::RunTool("networks", tessera::fuzz::Main, argc, argv);
}
