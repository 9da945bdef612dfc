#include "targets/circle/schema/operator_rules.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "targets/circle/schema/operators_text.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

using Rules = absl::flat_hash_map<int32_t, OperatorRule>;

// `3`, `2..3` or `1..`.
bool ParseCount(absl::string_view text, OperatorRule& rule) {
  const size_t dots = text.find("..");
  if (!absl::SimpleAtoi(text.substr(0, dots), &rule.min_inputs)) return false;
  rule.max_inputs = rule.min_inputs;
  if (dots == absl::string_view::npos) return true;
  const absl::string_view last = text.substr(dots + 2);
  rule.max_inputs = OperatorRule::kAnyNumber;
  return last.empty() || absl::SimpleAtoi(last, &rule.max_inputs);
}

// Lines that do not parse are left out; the test counts them.
Rules* ParseRules(absl::string_view text) {
  auto* rules = new Rules;
  const ::reflection::Enum* const codes = FindEnum("BuiltinOperator");
  for (absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    if (line.front() == '#') continue;
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
    if (words.size() != 3) continue;
    const auto code = MemberValue(*codes, words[0]);
    OperatorRule rule;
    if (!code || !ParseCount(words[2], rule)) continue;
    if (words[1] != "-") rule.options_table = words[1];
    rules->emplace(static_cast<int32_t>(*code), rule);
  }
  return rules;
}

}  // namespace

const OperatorRule* FindOperatorRule(int32_t code) {
  static const Rules* const rules = ParseRules({OperatorsText().data(), OperatorsText().size()});
  const auto found = rules->find(code);
  return found == rules->end() ? nullptr : &found->second;
}

}  // namespace tessera::circle
