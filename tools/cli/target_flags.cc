#include "tools/cli/target_flags.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/all/all.h"
#include "tools/cli/choice.h"

namespace tessera::cli {

void TargetFlags::Declare(CommandLine& line) {
  for (const targets::Target* target : targets::All()) {
    for (const targets::Flag& flag : target->flags()) {
      const auto [place, fresh] = given_.try_emplace(flag.name);
      if (!fresh) continue;
      Given& given = place->second;
      given.reads = flag.reads;
      if (flag.placeholder.empty()) {
        line.Switch(flag.name, flag.doc, &given.present);
      } else if (flag.repeated) {
        line.Values(flag.name, flag.placeholder, flag.doc, &given.values);
      } else {
        line.Value(flag.name, flag.placeholder, flag.doc, &given.value);
      }
    }
  }
}

std::optional<int> TargetFlags::Resolve(const CommandLine& line, const targets::Target* target,
                                        targets::FlagValues& values) const {
  const std::vector<targets::Flag> own =
      target == nullptr ? std::vector<targets::Flag>() : target->flags();
  for (const auto& [name, given] : given_) {
    std::vector<std::string> texts = given.values;
    if (!given.value.empty()) texts.push_back(given.value);
    if (given.present) texts.push_back("true");
    if (texts.empty()) continue;
    const auto known =
        std::find_if(own.begin(), own.end(),
                     [&name = name](const targets::Flag& flag) { return flag.name == name; });
    if (known != own.end()) {
      for (const std::string& text : texts) {
        if (known->choices.empty()) break;
        const std::string wrong = NotOneOf(absl::StrCat("--", name), text, known->choices);
        if (!wrong.empty()) return line.WrongUsage(wrong);
      }
      values[name] = std::move(texts);
      continue;
    }
    if (shared_.contains(name)) continue;
    std::vector<std::string> whose;
    for (const targets::Target* other : targets::All()) {
      for (const targets::Flag& flag : other->flags()) {
        if (flag.name == name)
          whose.push_back(absl::StrCat("`--target=", std::string(other->name()), "`"));
      }
    }
    return line.WrongUsage(absl::StrCat("`--", name, "` goes with ", absl::StrJoin(whose, " or ")));
  }
  if (target == nullptr) return std::nullopt;
  const absl::Status configured = target->Configure(values).status();
  return absl::IsInvalidArgument(configured)
             ? std::optional<int>(line.WrongUsage(std::string(configured.message())))
             : std::nullopt;
}

std::string TargetFlags::Share(std::string_view name) {
  shared_.emplace(name);
  const auto found = given_.find(name);
  return found == given_.end() ? "" : found->second.value;
}

absl::Status TargetFlags::AddTo(FileRoles& roles) const {
  using Reads = targets::Flag::Reads;
  for (const auto& [name, given] : given_) {
    if (given.value.empty() || given.reads == Reads::kNothing) continue;
    const std::string role = given.reads == Reads::kFile
                                 ? absl::StrCat("what `--", name, "` names")
                                 : absl::StrCat("a sample of `--", name, "`");
    // What is no file may be a name that the target knows.
    std::error_code error;
    absl::Status status;
    if (given.reads == Reads::kSamples)
      status = roles.ReadsSamples(role, given.value);
    else if (std::filesystem::exists(given.value, error))
      status = roles.Reads(role, given.value);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::string TargetList() {
  const std::vector<std::string> names = targets::Names();
  return absl::StrCat(names.size() == 1 ? "there is `" : "there are `",
                      absl::StrJoin(names, "`, `"), "`");
}

}  // namespace tessera::cli
