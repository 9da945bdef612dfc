// Prints the configuration of a compilation in full, as a file to start from.
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "support/file.h"
#include "targets/all/all.h"
#include "targets/target.h"
#include "tools/cli/choice.h"
#include "tools/cli/command_line.h"
#include "tools/cli/configuration.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/op_sets.h"
#include "tools/cli/target_flags.h"
#include "tools/cli/tool.h"
#include "tools/tools.h"

namespace tessera {
namespace {

constexpr char kProgram[] = "config";

struct Arguments {
  std::string target, config, tico, output;
  cli::TargetFlags target_flags;
};

int Print(const cli::CommandLine& line, const Arguments& arguments, const targets::Target& target,
          const targets::FlagValues& flags) {
  absl::StatusOr<std::unique_ptr<targets::Compilation>> compilation = target.Configure(flags);
  if (!compilation.ok()) return cli::Report(kProgram, compilation.status());
  cli::ConfigurationKeys keys{passes::CanonicalPipeline(), target.toggles()};
  for (const passes::Pass& pass : (*compilation)->pipeline()) keys.passes.push_back(pass);
  const std::string& path = arguments.tico.empty() ? arguments.config : arguments.tico;
  passes::RunOptions run;
  cli::Configured configured;
  if (!path.empty()) {
    keys.toggles_only = !arguments.tico.empty();
    absl::StatusOr<cli::Configured> read = cli::ReadConfiguration(path, keys, run);
    if (!read.ok()) return cli::Report(kProgram, read.status());
    configured = *std::move(read);
  }
  for (const std::string& note : configured.notes) std::cerr << "note: " << note << "\n";
  const std::string text = cli::ConfigurationText(keys, configured, run);
  if (arguments.output.empty()) {
    std::cout << text;
    return cli::kDone;
  }
  cli::FileRoles roles;
  absl::Status status = path.empty() ? absl::OkStatus() : roles.Reads("the configuration", path);
  if (status.ok()) status = arguments.target_flags.AddTo(roles);
  if (status.ok()) status = roles.Writes("the configuration", arguments.output);
  if (!status.ok()) return line.WrongUsage(std::string(status.message()));
  status = support::WriteFile(arguments.output, text);
  return status.ok() ? cli::kDone : cli::Report(kProgram, status);
}

int Main(int argc, char** argv) {
  Arguments arguments;
  cli::CommandLine line(kProgram,
                        "Prints the configuration of `compile` in full: every key, what holds, and "
                        "what it means.");
  arguments.target_flags.Declare(line);
  line.Value("target", "TARGET", absl::StrCat(cli::TargetList(), "; default: the first"),
             &arguments.target)
      .Value("config", "FILE", "what that file says is in it", &arguments.config)
      .Value("from-tico", "FILE", "what a configuration of TICO's says is in it: YAML or JSON",
             &arguments.tico)
      .Value("output|o", "FILE", "where it goes; default: standard output", &arguments.output)
      .Example("-o tessera.yaml")
      .Example("--from-tico tico.yaml -o tessera.yaml");
  if (const std::optional<int> code = line.Parse(argc, argv)) return *code;
  if (!arguments.config.empty() && !arguments.tico.empty())
    return line.WrongUsage("`--config` or `--from-tico`, not both");
  const targets::Target* target =
      arguments.target.empty() ? targets::All()[0] : targets::Find(arguments.target);
  if (target == nullptr)
    return line.WrongUsage(cli::NotOneOf("--target", arguments.target, targets::Names()));
  targets::FlagValues flags;
  if (const auto code = arguments.target_flags.Resolve(line, target, flags)) return *code;
  cli::EnterInvokingFolder();
  cli::LinkOps();
  target->Register();
  return Print(line, arguments, *target, flags);
}

}  // namespace

namespace tools {

int Config(int argc, char** argv) { return cli::RunTool(kProgram, Main, argc, argv); }

}  // namespace tools
}  // namespace tessera
