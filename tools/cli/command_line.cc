#include "tools/cli/command_line.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "support/heap_pages.h"
#include "support/memory_limit.h"
#include "tools/cli/exit_code.h"

namespace tessera::cli {
namespace {

std::vector<std::string> Spellings(const std::string& name) {
  std::vector<std::string> spellings;
  for (absl::string_view alias : absl::StrSplit(name, '|')) {
    spellings.push_back(absl::StrCat(alias.size() == 1 ? "-" : "--", alias));
  }
  return spellings;
}

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// `  LEFT   text`, the text in its own column, broken between words.
void AppendEntry(std::string& help, const std::string& left, const std::string& text) {
  constexpr size_t kColumn = 30, kWidth = 100;
  std::string line = absl::StrCat("  ", left);
  if (line.size() + 2 > kColumn) {
    absl::StrAppend(&help, line, "\n");
    line.clear();
  }
  line.resize(kColumn, ' ');
  bool fresh = true;
  for (absl::string_view word : absl::StrSplit(text, ' ')) {
    if (!fresh && line.size() + 1 + word.size() > kWidth) {
      absl::StrAppend(&help, line, "\n");
      line.assign(kColumn, ' ');
      fresh = true;
    }
    absl::StrAppend(&line, fresh ? "" : " ", word);
    fresh = false;
  }
  absl::StrAppend(&help, line, "\n");
}

}  // namespace

std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  const std::string* nearest = nullptr;
  size_t best = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = EditDistance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? std::nullopt : std::optional<std::string>(*nearest);
}

namespace {

// Below it, not even this program has room.
constexpr int64_t kLeastMemory = int64_t{64} << 20;

// `512M`, `8GiB`, `65536`; null: no such size.
std::optional<int64_t> BytesOf(std::string_view text) {
  int shift = 0;
  for (const std::string_view unit : {"iB", "B"}) {
    if (text.ends_with(unit)) {
      text.remove_suffix(unit.size());
      break;
    }
  }
  constexpr std::string_view kUnits = "KMGT";
  if (!text.empty()) {
    const size_t unit = kUnits.find(absl::ascii_toupper(static_cast<unsigned char>(text.back())));
    if (unit != std::string_view::npos) {
      shift = 10 * static_cast<int>(unit + 1);
      text.remove_suffix(1);
    }
  }
  double number = 0;
  if (!absl::SimpleAtod(std::string(text), &number)) return std::nullopt;
  const double bytes = std::ldexp(number, shift);
  if (!(bytes >= static_cast<double>(kLeastMemory)) || bytes > 0x1p60) return std::nullopt;
  return static_cast<int64_t>(bytes);
}

std::string& Launcher() {
  static auto* const launcher = new std::string();
  return *launcher;
}

}  // namespace

void StartedBy(std::string launcher) { Launcher() = std::move(launcher); }

CommandLine::CommandLine(std::string program, std::string doc)
    : program_(Launcher().empty() ? std::move(program) : absl::StrCat(Launcher(), " ", program)),
      doc_(std::move(doc)),
      max_memory_(std::make_shared<std::string>()),
      given_(std::make_shared<std::vector<std::string>>()) {
  common_.push_back({"max-memory", "SIZE",
                     "the most memory that this program may take (`512M`, `8G`, bytes); what would "
                     "need more is an error; default: 4G and four times the files that are read",
                     max_memory_.get()});
}

CommandLine& CommandLine::Positional(std::string name, std::string doc, std::string* target) {
  positional_.push_back({std::move(name), "", std::move(doc), target});
  return *this;
}

CommandLine& CommandLine::Unless(std::string flag) {
  positional_.back().unless.push_back(std::move(flag));
  return *this;
}

CommandLine& CommandLine::Value(std::string name, std::string placeholder, std::string doc,
                                std::string* target) {
  flags_.push_back({std::move(name), std::move(placeholder), std::move(doc), target});
  return *this;
}

CommandLine& CommandLine::Values(std::string name, std::string placeholder, std::string doc,
                                 std::vector<std::string>* target) {
  flags_.push_back({std::move(name), std::move(placeholder), std::move(doc), nullptr, target});
  return *this;
}

CommandLine& CommandLine::Switch(std::string name, std::string doc, bool* target) {
  flags_.push_back({std::move(name), "", std::move(doc), nullptr, nullptr, target});
  return *this;
}

CommandLine& CommandLine::Exits(int code, std::string meaning) {
  exit_codes_.push_back({absl::StrCat(code), std::move(meaning)});
  return *this;
}

CommandLine& CommandLine::Example(std::string arguments) {
  examples_.push_back(std::move(arguments));
  return *this;
}

std::vector<const CommandLine::Argument*> CommandLine::Flags() const {
  std::vector<const Argument*> flags;
  for (const Argument& flag : flags_) flags.push_back(&flag);
  for (const Argument& flag : common_) flags.push_back(&flag);
  return flags;
}

const CommandLine::Argument* CommandLine::Find(std::string_view spelled) const {
  for (const Argument* flag : Flags()) {
    const std::vector<std::string> spellings = Spellings(flag->name);
    if (std::find(spellings.begin(), spellings.end(), spelled) != spellings.end()) return flag;
  }
  return nullptr;
}

std::string CommandLine::Unknown(std::string_view spelled) const {
  std::vector<std::string> known = {"--help"};
  for (const Argument* flag : Flags()) {
    for (std::string& spelling : Spellings(flag->name)) known.push_back(std::move(spelling));
  }
  const std::optional<std::string> nearest = Nearest(spelled, known);
  return absl::StrCat("unknown flag `", std::string(spelled), "`",
                      nearest.has_value() ? absl::StrCat("; did you mean `", *nearest, "`?") : "");
}

void CommandLine::Note(const Argument& flag) const {
  const std::string name = absl::StrCat("--", flag.name.substr(0, flag.name.find('|')));
  const bool common = std::any_of(common_.begin(), common_.end(),
                                  [&](const Argument& one) { return &one == &flag; });
  if (!common && std::find(given_->begin(), given_->end(), name) == given_->end())
    given_->push_back(name);
}

std::optional<int> CommandLine::Parse(int argc, const char* const* argv, std::ostream& out,
                                      std::ostream& err) const {
  size_t positional = 0;
  bool only_positional = false;
  std::set<const Argument*> seen;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!only_positional && argument == "--") {
      only_positional = true;
      continue;
    }
    if (only_positional || argument.size() < 2 || argument[0] != '-') {
      if (argument.empty()) return WrongUsage("an empty argument", err);
      if (positional == positional_.size()) {
        return WrongUsage(absl::StrCat("unexpected argument `", std::string(argument), "`"), err);
      }
      *positional_[positional++].value = argument;
      continue;
    }
    const size_t equals = argument.find('=');
    const std::string_view spelled = argument.substr(0, equals);
    if (spelled == "--help" || spelled == "-h") {
      const std::optional<std::string> help =
          HelpAs(equals == std::string_view::npos ? "text" : argument.substr(equals + 1));
      if (!help.has_value()) {
        return WrongUsage(
            absl::StrCat("`", std::string(argument), "`: the forms are text, man and flags"), err);
      }
      out << *help;
      return 0;
    }
    const Argument* const flag = Find(spelled);
    if (flag == nullptr) return WrongUsage(Unknown(spelled), err);
    std::string value;
    if (equals != std::string_view::npos) {
      value = argument.substr(equals + 1);
    } else if (flag->present == nullptr) {
      if (i + 1 == argc) {
        return WrongUsage(absl::StrCat("`", std::string(spelled), "` takes ", flag->placeholder),
                          err);
      }
      value = argv[++i];
    } else {
      value = "true";
    }
    if (value.empty()) {
      return WrongUsage(absl::StrCat("`", std::string(spelled), "` takes ",
                                     flag->present == nullptr ? flag->placeholder : "true or false",
                                     ", which is empty"),
                        err);
    }
    if (value != "false" || flag->present == nullptr) Note(*flag);
    if (flag->values != nullptr) {
      flag->values->push_back(std::move(value));
      continue;
    }
    if (!seen.insert(flag).second)
      return WrongUsage(absl::StrCat("`", std::string(spelled), "` given twice"), err);
    if (flag->present != nullptr) {
      if (value != "true" && value != "false") {
        return WrongUsage(
            absl::StrCat("`", std::string(argument), "`: the value is `true` or `false`"), err);
      }
      *flag->present = value == "true";
    } else {
      *flag->value = std::move(value);
    }
  }
  for (size_t i = 0; i < positional_.size(); ++i) {
    std::string first;
    for (const std::string& unless : positional_[i].unless) {
      if (seen.count(Find("--" + unless)) == 0) continue;
      if (!first.empty()) {
        return WrongUsage(absl::StrCat("`--", first, "` and `--", unless,
                                       "` both stand in the place of ", positional_[i].name),
                          err);
      }
      first = unless;
      if (positional <= i) continue;
      return WrongUsage(
          absl::StrCat("`--", unless, "` stands in the place of ", positional_[i].name,
                       ", which is `", *positional_[i].value, "`"),
          err);
    }
    if (!first.empty()) return std::nullopt;
  }
  if (positional < positional_.size()) {
    return WrongUsage(
        absl::StrCat(positional_[positional].name, " is missing: ", positional_[positional].doc),
        err);
  }
  return std::nullopt;
}

std::optional<int> CommandLine::Parse(int argc, const char* const* argv) const {
  if (const auto code = Parse(argc, argv, std::cout, std::cerr)) return code;
  support::MemoryLimit limit;
  if (!max_memory_->empty()) {
    const std::optional<int64_t> bytes = BytesOf(*max_memory_);
    if (!bytes.has_value()) {
      return WrongUsage(absl::StrCat("`--max-memory ", *max_memory_, "`: a size is needed, from ",
                                     kLeastMemory >> 20, "M on: a number, then nothing, `K`, `M`, ",
                                     "`G` or `T`"));
    }
    limit = {*bytes, 0};
  }
  support::LimitMemory(program_, limit, kBadInput);
  // A small part of the limit: it counts as taken, and large tensors are mapped elsewhere.
  support::UseLargePages(std::min(int64_t{512} << 20, limit.bytes / 8));
  return std::nullopt;
}

ManualText CommandLine::Manual() const {
  ManualText manual{.program = program_, .doc = doc_};
  std::string usage = program_;
  for (const Argument& argument : positional_) absl::StrAppend(&usage, " ", argument.name);
  manual.usages.push_back(absl::StrCat(usage, " [FLAGS]"));
  for (const Argument& argument : positional_) {
    for (const std::string& unless : argument.unless) {
      const Argument* flag = Find("--" + unless);
      if (flag == nullptr) continue;
      manual.usages.push_back(
          absl::StrCat(program_, " --", flag->name, " ", flag->placeholder, " [FLAGS]"));
    }
  }
  for (const Argument& argument : positional_)
    manual.arguments.push_back({argument.name, argument.doc});
  for (const Argument* flag : Flags()) {
    std::string term = absl::StrJoin(Spellings(flag->name), ", ");
    if (!flag->placeholder.empty()) absl::StrAppend(&term, " ", flag->placeholder);
    manual.arguments.push_back(
        {std::move(term), flag->doc + (flag->values != nullptr ? " (repeatable)" : "")});
  }
  manual.arguments.push_back(
      {"--help, -h", "this text; `--help=man`: as a manual page, `--help=flags`: the flags alone"});
  for (const std::string& example : examples_)
    manual.examples.push_back(absl::StrCat(program_, " ", example));
  manual.exit_codes = {{"0", "done"}, {"1", "bad input"}, {"2", "wrong usage"}};
  for (const ManualEntry& code : exit_codes_) manual.exit_codes.push_back(code);
  manual.exit_codes.push_back({"70", "a bug in this program"});
  return manual;
}

std::string CommandLine::Help() const {
  const ManualText manual = Manual();
  std::string help = absl::StrCat(manual.doc, "\n");
  for (size_t i = 0; i < manual.usages.size(); ++i)
    absl::StrAppend(&help, i == 0 ? "\nUsage: " : "       ", manual.usages[i], "\n");
  help += "\n";
  for (const ManualEntry& entry : manual.arguments) AppendEntry(help, entry.term, entry.text);
  if (!manual.examples.empty()) absl::StrAppend(&help, "\nExamples:\n");
  for (const std::string& example : manual.examples) absl::StrAppend(&help, "  ", example, "\n");
  help += "\nExit codes:";
  for (const ManualEntry& code : manual.exit_codes)
    absl::StrAppend(&help, code.term == manual.exit_codes.front().term ? " " : ", ", code.term, " ",
                    code.text);
  return help + "\n";
}

std::optional<std::string> CommandLine::HelpAs(std::string_view form) const {
  if (form == "text") return Help();
  if (form == "man") return ManualPage(Manual());
  if (form != "flags") return std::nullopt;
  std::string flags;
  for (const Argument* flag : Flags()) {
    for (const std::string& spelling : Spellings(flag->name))
      absl::StrAppend(&flags, spelling, flag->present == nullptr ? "=" : "", "\n");
  }
  return flags + "--help\n-h\n";
}

int CommandLine::WrongUsage(std::string_view text, std::ostream& err) const {
  err << program_ << ": " << text << "\nsee `" << program_ << " --help`\n";
  return kWrongUsage;
}

int CommandLine::WrongUsage(std::string_view text) const { return WrongUsage(text, std::cerr); }

}  // namespace tessera::cli
