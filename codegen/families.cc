#include "codegen/families.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "codegen/lexer.h"

namespace tessera::codegen {
namespace {

// A name in a family's text that its members put something in place of.
struct Mention {
  TextRange range;
  std::string name;
};

// All names, and `{name}` in texts.
std::vector<Mention> MentionsIn(const Source& source, TextRange range, Diagnostics& diagnostics) {
  std::vector<Mention> mentions;
  for (const Token& token : Lex(source, range.begin, range.end, diagnostics)) {
    const size_t begin = token.place.offset;
    if (token.kind == Token::kName)
      mentions.push_back({{begin, begin + token.text.size()}, token.text});
    if (token.kind != Token::kString) continue;
    size_t open = token.text.find('{');
    while (open != std::string::npos) {
      const size_t close = token.text.find('}', open);
      if (close == std::string::npos) break;
      // With its braces, behind the quote.
      mentions.push_back({{begin + 1 + open, begin + 1 + close + 1},
                          token.text.substr(open + 1, close - open - 1)});
      open = token.text.find('{', close);
    }
  }
  return mentions;
}

class Composer {
 public:
  Composer(const Op& op, const Member& member, const Family& family, Diagnostics& diagnostics)
      : op_(op), member_(member), family_(family), diagnostics_(diagnostics) {}

  Source Run() {
    made_.path = op_.place.source->path;
    made_.reader = absl::StrCat("in `", op_.name, "` of the family `", family_.name, "`");
    Add(absl::StrCat("dialect ", op_.dialect, op_.builder ? " builder " : " op "), op_.place);
    Add(op_.name, op_.place);
    Add(" {", op_.place);
    Add(*op_.place.source, member_.own);
    Add("\n", member_.place);
    AddShared(family_.text, true);
    Add("}", {family_.place.source, family_.text.end});
    return std::move(made_);
  }

 private:
  void Add(const Source& source, TextRange range) {
    if (range.begin == range.end) return;
    made_.parts.push_back({made_.text.size(), {&source, range.begin}});
    made_.text.append(source.text, range.begin, range.end - range.begin);
  }
  void Add(absl::string_view text, Place place) {
    made_.parts.push_back({made_.text.size(), place});
    absl::StrAppend(&made_.text, text);
  }

  // A part of the family's file; the default of a parameter mentions none.
  void AddShared(TextRange range, bool parameters) {
    const Source& source = *family_.place.source;
    size_t at = range.begin;
    for (const Mention& mention : MentionsIn(source, range, diagnostics_)) {
      const Family::Parameter* parameter = nullptr;
      for (const Family::Parameter& candidate : family_.parameters) {
        if (parameters && candidate.name == mention.name) parameter = &candidate;
      }
      const bool self = mention.name == family_.name;
      if (!self && parameter == nullptr) continue;
      Add(source, {at, mention.range.begin});
      at = mention.range.end;
      if (self) {
        Add(op_.name, {&source, mention.range.begin});
      } else {
        AddArgument(*parameter);
      }
    }
    Add(source, {at, range.end});
  }

  void AddArgument(const Family::Parameter& parameter) {
    for (const Member::Argument& argument : member_.arguments) {
      if (argument.parameter == parameter.name) return Add(*op_.place.source, argument.text);
    }
    if (parameter.default_text.has_value()) AddShared(*parameter.default_text, false);
  }

  const Op& op_;
  const Member& member_;
  const Family& family_;
  Diagnostics& diagnostics_;
  Source made_;
};

}  // namespace

bool CheckArguments(const Op& op, const Member& member, const Family& family,
                    Diagnostics& diagnostics) {
  bool right = true;
  std::set<std::string> given;
  std::vector<std::string> names;
  for (const Family::Parameter& parameter : family.parameters) names.push_back(parameter.name);
  for (const Member::Argument& argument : member.arguments) {
    const bool known = std::find(names.begin(), names.end(), argument.parameter) != names.end();
    if (!known)
      diagnostics.Error(argument.place,
                        absl::StrCat("`", family.name, "` has no parameter `", argument.parameter,
                                     "`", Suggestion(argument.parameter, names)));
    const bool first = given.insert(argument.parameter).second;
    if (!first)
      diagnostics.Error(argument.place, absl::StrCat("`", argument.parameter, "` given twice"));
    right = right && known && first;
  }
  for (const Family::Parameter& parameter : family.parameters) {
    if (given.count(parameter.name) != 0 || parameter.default_text.has_value()) continue;
    diagnostics.Error(member.place, absl::StrCat("`", op.name, "` says no `", parameter.name,
                                                 "` of the family `", family.name, "`"));
    right = false;
  }
  return right;
}

Source MemberText(const Op& op, const Member& member, const Family& family,
                  Diagnostics& diagnostics) {
  return Composer(op, member, family, diagnostics).Run();
}

void CheckFamily(const Family& family, Diagnostics& diagnostics) {
  const std::vector<Mention> mentions = MentionsIn(*family.place.source, family.text, diagnostics);
  std::set<std::string> names = {family.name};
  for (const Family::Parameter& parameter : family.parameters) {
    if (!names.insert(parameter.name).second)
      diagnostics.Error(parameter.place, absl::StrCat("redeclaration of `", parameter.name, "`"));
    if (std::none_of(mentions.begin(), mentions.end(),
                     [&](const Mention& mention) { return mention.name == parameter.name; }))
      diagnostics.Error(parameter.place,
                        absl::StrCat("`", family.name, "` does not mention its parameter `",
                                     parameter.name, "`"));
  }
}

}  // namespace tessera::codegen
