#include "targets/circle/emission/versions.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "targets/circle/schema/operator_versions_text.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

struct Rules {
  int plain = 1;
  std::vector<std::pair<std::string, int>> conditions;
};

// Lines that do not parse are left out; the test counts them.
const absl::flat_hash_map<std::string, Rules>& Table() {
  static const auto* const table = [] {
    auto* const rules = new absl::flat_hash_map<std::string, Rules>();
    const std::string_view text = OperatorVersionsText();
    for (absl::string_view line :
         absl::StrSplit(absl::string_view(text.data(), text.size()), '\n', absl::SkipEmpty())) {
      if (line[0] == '#') continue;
      const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
      Rules rule;
      bool parses = words.size() > 1 && absl::SimpleAtoi(words[1], &rule.plain);
      for (size_t i = 2; i < words.size() && parses; ++i) {
        const std::vector<std::string> sides = absl::StrSplit(words[i], '=');
        int version = 0;
        parses = sides.size() == 2 && absl::SimpleAtoi(sides[1], &version);
        if (parses) rule.conditions.emplace_back(sides[0], version);
      }
      if (parses) rules->emplace(std::string(words[0]), std::move(rule));
    }
    return rules;
  }();
  return *table;
}

bool IsType(const ir::Value* value, absl::string_view type) {
  const std::string_view name = value == nullptr ? "" : ir::NameOf(value->type().dtype);
  return absl::string_view(name.data(), name.size()) == type;
}

// The value of an option; nullopt where `op` has none of this name.
std::optional<int64_t> OptionOf(const ir::Operation& op, absl::string_view name) {
  const int index = ir::FindAttr(op.info(), {name.data(), name.size()});
  if (index < 0) return std::nullopt;
  const auto* const value = std::get_if<int64_t>(&op.attr(static_cast<size_t>(index)));
  return value == nullptr ? std::nullopt : std::optional<int64_t>(*value);
}

bool Holds(absl::string_view condition, const ir::Operation& op) {
  const auto has = [&](int64_t k) {
    return k < static_cast<int64_t>(op.operands().size()) &&
           op.operand(static_cast<size_t>(k)) != nullptr;
  };
  int64_t n = 0;
  if (absl::ConsumePrefix(&condition, "any.")) {
    const auto is = [&](const ir::Value* value) { return IsType(value, condition); };
    return std::any_of(op.operands().begin(), op.operands().end(), is) ||
           std::any_of(op.results().begin(), op.results().end(), is);
  }
  if (absl::ConsumePrefix(&condition, "result."))
    return !op.results().empty() && IsType(op.results()[0], condition);
  if (absl::ConsumePrefix(&condition, "rank>"))
    return absl::SimpleAtoi(condition, &n) && has(0) && op.operand(0)->type().rank() > n;
  if (absl::ConsumePrefix(&condition, "broadcast>"))
    return absl::SimpleAtoi(condition, &n) && has(0) && has(1) &&
           op.operand(0)->type().dims != op.operand(1)->type().dims &&
           std::max(op.operand(0)->type().rank(), op.operand(1)->type().rank()) > n;
  if (absl::ConsumePrefix(&condition, "has.")) return absl::SimpleAtoi(condition, &n) && has(n);
  if (absl::ConsumePrefix(&condition, "without."))
    return absl::SimpleAtoi(condition, &n) && !has(n);
  const std::vector<absl::string_view> parts = absl::StrSplit(condition, '.');
  if (parts.size() == 2)
    return absl::SimpleAtoi(parts[0], &n) && has(n) &&
           IsType(op.operand(static_cast<size_t>(n)), parts[1]);
  const std::vector<absl::string_view> option = absl::StrSplit(condition, '!');
  if (option.size() == 2 && !absl::SimpleAtoi(option[1], &n)) return false;
  if (const std::optional<int64_t> value = OptionOf(op, option[0])) return *value != n;
  return option.size() == 1 && has(0) && IsType(op.operand(0), condition);
}

}  // namespace

std::optional<int> PlainVersion(absl::string_view name) {
  const auto found = Table().find(std::string(name));
  return found == Table().end() ? std::nullopt : std::optional<int>(found->second.plain);
}

int VersionOf(const ir::Operation& op) {
  // Operators over integers have other names.
  const auto found = Table().find(std::string(OperatorName(op.info().code->code)));
  if (found != Table().end()) {
    for (const auto& [condition, version] : found->second.conditions) {
      if (Holds(condition, op)) return version;
    }
  }
  return op.info().code->version;
}

}  // namespace tessera::circle
