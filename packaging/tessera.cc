// All tools as commands of one program.
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "packaging/commands.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/manual_page.h"
#include "tools/cli/tool.h"

namespace tessera::packaging {
namespace {

constexpr char kProgram[] = "tessera";

// What the command says of itself, in the form that `--help` takes.
std::string HelpOf(const Command& command, const std::string& help) {
  std::ostringstream text;
  std::streambuf* const before = std::cout.rdbuf(text.rdbuf());
  std::string name = command.name, flag = help;
  char* arguments[] = {name.data(), flag.data(), nullptr};
  command.main(2, arguments);
  std::cout.rdbuf(before);
  return text.str();
}

cli::ManualText Manual() {
  cli::ManualText manual{
      .program = kProgram,
      .doc = "Compiles neural networks for phones, NPUs and GPUs, with proofs of their shapes.",
      .usages = {"tessera COMMAND ..."}};
  for (const Command& command : Commands()) {
    const std::string help = HelpOf(command, "--help");
    manual.arguments.push_back({command.name, help.substr(0, help.find('\n'))});
  }
  manual.arguments.push_back({"--version", "which one this is"});
  manual.arguments.push_back({"--help, -h", "this text; of a command after its name"});
  manual.exit_codes = {
      {"0", "done"}, {"1", "bad input"}, {"2", "wrong usage"}, {"70", "a bug in this program"}};
  return manual;
}

std::string Overview() {
  const cli::ManualText manual = Manual();
  std::string text = absl::StrCat(manual.doc, "\n\nUsage: ", manual.usages.front(), "\n\n");
  for (const cli::ManualEntry& entry : manual.arguments) {
    std::string term = entry.term;
    term.resize(12, ' ');
    absl::StrAppend(&text, "  ", term, entry.text, "\n");
  }
  return text;
}

int WrongUsage(const std::string& text) {
  std::cerr << kProgram << ": " << text << "\nsee `tessera --help`\n";
  return cli::kWrongUsage;
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << Overview();
    return cli::kWrongUsage;
  }
  const std::string_view first = argv[1];
  if (first == "--help" || first == "-h") {
    std::cout << Overview();
    return cli::kDone;
  }
  if (first == "--help=man") {
    std::cout << cli::ManualPage(Manual());
    return cli::kDone;
  }
  // For who packs it: the names alone.
  if (first == "--commands") {
    for (const Command& command : Commands()) std::cout << command.name << "\n";
    return cli::kDone;
  }
  if (first == "--version") {
    std::cout << "tessera " << TESSERA_VERSION << "\n";
    return cli::kDone;
  }
  std::vector<std::string> names;
  for (const Command& command : Commands()) names.push_back(command.name);
  const auto nearest = cli::Nearest(first, names);
  return WrongUsage(absl::StrCat("no command `", std::string(first), "`",
                                 nearest ? absl::StrCat("; did you mean `", *nearest, "`?") : ""));
}

}  // namespace
}  // namespace tessera::packaging

int main(int argc, char** argv) {
  tessera::cli::StartedBy(tessera::packaging::kProgram);
  for (const tessera::packaging::Command& command : tessera::packaging::Commands()) {
    if (argc >= 2 && argv[1] == std::string_view(command.name))
      return command.main(argc - 1, argv + 1);
  }
  return tessera::cli::RunTool(tessera::packaging::kProgram, tessera::packaging::Main, argc, argv);
}
