// Command lines of the tools: flags, positional arguments, `--help`.
//
//   cli::CommandLine line("run", "Runs a network on the reference executor.");
//   line.Positional("MODEL", "an ONNX file", &model).Values("input", "NAME=VALUE", "...",
//   &inputs).Switch("json", "...", &json); line.Example("net.onnx --input x=random:1"); if (const
//   std::optional<int> code = line.Parse(argc, argv)) return *code;
#ifndef TESSERA_TOOLS_CLI_COMMAND_LINE_H_
#define TESSERA_TOOLS_CLI_COMMAND_LINE_H_

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/manual_page.h"

namespace tessera::cli {

class CommandLine {
 public:
  CommandLine(std::string program, std::string doc);

  // Required, in the order of declaration.
  CommandLine& Positional(std::string name, std::string doc, std::string* target);
  // The positional argument before this call may be left out, and then must be, where the flag is
  // given; may be called for several flags.
  CommandLine& Unless(std::string flag);
  // `--name VALUE` or `--name=VALUE`, once at most; `name` may be `output|o`, where a single letter
  // takes one dash. `doc` ends with the default, if there is one to tell.
  CommandLine& Value(std::string name, std::string placeholder, std::string doc,
                     std::string* target);
  // The same any number of times.
  CommandLine& Values(std::string name, std::string placeholder, std::string doc,
                      std::vector<std::string>* target);
  // `--name`; `--name=false` takes it back.
  CommandLine& Switch(std::string name, std::string doc, bool* target);
  // Arguments of an example line for the help text.
  CommandLine& Example(std::string arguments);

  // Null: go on. Otherwise the exit code: 0 after `--help` (text on `out`), kWrongUsage after a
  // complaint on `err` that names the argument, and the flag that was probably meant.
  std::optional<int> Parse(int argc, const char* const* argv, std::ostream& out,
                           std::ostream& err) const;
  // To stdout and stderr; puts `--max-memory`, which every tool has, into force.
  std::optional<int> Parse(int argc, const char* const* argv) const;

  // After parsing: the flags that were given, as `--name`, but for switches that were taken back
  // and flags that every tool has.
  const std::vector<std::string>& given() const { return *given_; }
  // One more code that the program ends with, for the help text.
  CommandLine& Exits(int code, std::string meaning);

  const std::string& program() const { return program_; }
  std::string Help() const;
  ManualText Manual() const;
  // For what is wrong with the arguments beyond their form: prints `PROGRAM: TEXT` and the way to
  // `--help`; returns kWrongUsage.
  int WrongUsage(std::string_view text, std::ostream& err) const;
  int WrongUsage(std::string_view text) const;  // to stderr

 private:
  struct Argument {
    std::string name, placeholder, doc;
    std::string* value = nullptr;
    std::vector<std::string>* values = nullptr;
    bool* present = nullptr;
    std::vector<std::string> unless = {};  // of a positional: flags that stand in its place
  };
  std::vector<const Argument*> Flags() const;  // its own, then those of every tool
  const Argument* Find(std::string_view spelled) const;
  // `text`, `man`, or `flags`: one a line, with `=` behind those that take a value. Null: another.
  std::optional<std::string> HelpAs(std::string_view form) const;
  std::string Unknown(std::string_view spelled) const;
  void Note(const Argument& flag) const;  // that it was given

  std::string program_, doc_;
  std::vector<Argument> positional_, flags_, common_;
  std::vector<std::string> examples_;
  std::vector<ManualEntry> exit_codes_;      // beyond those of every tool
  std::shared_ptr<std::string> max_memory_;  // where it stays when this moves
  std::shared_ptr<std::vector<std::string>> given_;
};

// The tools are commands of a program of this name, before any command line is declared: usage and
// examples begin with it.
void StartedBy(std::string launcher);

// The candidate nearest to `word` in edit distance, if it is near enough to be a slip.
std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_COMMAND_LINE_H_
