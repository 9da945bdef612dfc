#include "testing/pattern_overlap.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera::testing {
namespace {

using ops::Literal;
using ops::Pattern;
using ops::RewriteExample;

constexpr int kMostDepth = 64;

// Whose shapes and whose values a leaf has that both examples name.
struct Choice {
  bool inner_shape = false;
  bool inner_values = false;
};

// The example with a prefix before all names.
RewriteExample Renamed(const RewriteExample& example, const std::string& prefix) {
  RewriteExample renamed = example;
  const std::function<void(Pattern&)> rename = [&](Pattern& pattern) {
    if (pattern.kind == Pattern::kName || pattern.kind == Pattern::kPack)
      pattern.text = prefix + pattern.text;
    if (!pattern.bound.empty()) pattern.bound = prefix + pattern.bound;
    for (auto& [index, name] : pattern.attr_names) name = prefix + name;
    for (Pattern& operand : pattern.operands) rename(operand);
  };
  rename(renamed.pattern);
  for (auto& [name, literals] : renamed.operands) name = prefix + name;
  for (auto& [name, value] : renamed.attrs) name = prefix + name;
  return renamed;
}

int64_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

// The shape of one literal and the values of another, if these do for it.
Literal Mixed(const Literal& shape, const Literal& values) {
  Literal mixed = values;
  const auto count = static_cast<size_t>(CountOf(shape.shape));
  if (values.random || values.values.size() == count) {
    mixed.shape = shape.shape;
  } else if (!values.values.empty() &&
             std::all_of(values.values.begin(), values.values.end(),
                         [&](double value) { return value == values.values[0]; })) {
    mixed.shape = shape.shape;
    mixed.values.assign(count, values.values[0]);
  }
  return mixed;
}

class Unifier {
 public:
  Unifier(const RewriteExample& outer, const RewriteExample& inner, Choice choice)
      : example_(outer), choice_(choice) {
    example_.operands.insert(example_.operands.end(), inner.operands.begin(), inner.operands.end());
    example_.attrs.insert(example_.attrs.end(), inner.attrs.begin(), inner.attrs.end());
  }

  // At the `n`th operation of the example's pattern in order of appearance.
  std::optional<RewriteExample> RunAt(int n, const Pattern& inner) {
    Pattern whole = example_.pattern;
    Pattern* const at = OperationAt(whole, n);
    if (at == nullptr || at->text != inner.text || at->dialect != inner.dialect)
      return std::nullopt;
    std::optional<Pattern> both = Unify(*at, inner);
    if (!both.has_value()) return std::nullopt;
    *at = *std::move(both);
    example_.pattern = Resolved(whole, 0);
    if (too_deep_) return std::nullopt;
    return example_;
  }

 private:
  static Pattern* OperationAt(Pattern& pattern, int& n) {
    if (pattern.kind != Pattern::kOp) return nullptr;
    if (n-- == 0) return &pattern;
    for (Pattern& operand : pattern.operands) {
      if (Pattern* const found = OperationAt(operand, n)) return found;
    }
    return nullptr;
  }

  // What is left out at the end is absent.
  static bool CanBeAbsent(const Pattern& pattern) {
    return pattern.kind == Pattern::kBlank || (pattern.kind == Pattern::kName && pattern.optional);
  }

  std::optional<Pattern> Unify(const Pattern& a, const Pattern& b) {
    if (++depth_ > kMostDepth) return std::nullopt;
    std::optional<Pattern> both = UnifyHere(a, b);
    --depth_;
    return both;
  }

  std::optional<Pattern> UnifyHere(const Pattern& a, const Pattern& b) {
    if (a.kind == Pattern::kName && values_.count(a.text) != 0) return Rebind(a.text, b);
    if (b.kind == Pattern::kName && values_.count(b.text) != 0) return Rebind(b.text, a);
    if (a.kind == Pattern::kName && b.kind == Pattern::kName) {
      if (a.text == b.text) return a;
      Pattern one = a;
      one.optional = a.optional && b.optional;
      Share(a.text, b.text);
      values_[b.text] = one;
      return one;
    }
    if (a.kind == Pattern::kName || b.kind == Pattern::kName) {
      const Pattern& name = a.kind == Pattern::kName ? a : b;
      const Pattern& other = a.kind == Pattern::kName ? b : a;
      if (other.kind == Pattern::kPack || (other.kind == Pattern::kBlank && !name.optional))
        return std::nullopt;
      values_[name.text] = other;
      return other;
    }
    if (a.kind != b.kind) return std::nullopt;
    if (a.kind == Pattern::kNumber)
      return a.number == b.number ? std::optional<Pattern>(a) : std::nullopt;
    if (a.kind != Pattern::kOp) return a;
    return UnifyOps(a, b);
  }

  std::optional<Pattern> Rebind(const std::string& name, const Pattern& other) {
    std::optional<Pattern> both = Unify(values_.at(name), other);
    if (both.has_value() && !(both->kind == Pattern::kName && both->text == name))
      values_[name] = *both;
    return both;
  }

  std::optional<Pattern> UnifyOps(const Pattern& a, const Pattern& b) {
    if (a.text != b.text || a.dialect != b.dialect) return std::nullopt;
    Pattern both = a;
    if (both.bound.empty()) both.bound = b.bound;
    if (!UnifyAttributes(b, both)) return std::nullopt;
    const auto is_pack = [](const Pattern& pattern) { return pattern.kind == Pattern::kPack; };
    const auto packs_of = [&](const Pattern& pattern) {
      return std::count_if(pattern.operands.begin(), pattern.operands.end(), is_pack);
    };
    const auto packs_a = packs_of(a), packs_b = packs_of(b);
    if (packs_a > 0 && packs_b > 0) {
      // A pack alone is whatever the other has.
      if (packs_a == 1 && a.operands.size() == 1) {
        both.operands = b.operands;
        packs_[a.operands[0].text] = b.operands;
        return both;
      }
      if (packs_b != 1 || b.operands.size() != 1) return std::nullopt;
      packs_[b.operands[0].text] = a.operands;
      return both;
    }
    std::vector<Pattern> left = a.operands, right = b.operands;
    if (packs_a > 0 && !Spread(left, right)) return std::nullopt;
    if (packs_b > 0 && !Spread(right, left)) return std::nullopt;
    both.operands.clear();
    for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      if (i >= left.size() || i >= right.size()) {
        const Pattern& only = i < left.size() ? left[i] : right[i];
        if (!CanBeAbsent(only)) return std::nullopt;
        if (only.kind == Pattern::kName) values_[only.text] = Pattern{};
        both.operands.push_back(Pattern{});
        continue;
      }
      std::optional<Pattern> operand = Unify(left[i], right[i]);
      if (!operand.has_value()) return std::nullopt;
      both.operands.push_back(*std::move(operand));
    }
    return both;
  }

  // Replaces the packs in `operands` by what they are if there are as many as `others`: the first
  // has what is left.
  bool Spread(std::vector<Pattern>& operands, const std::vector<Pattern>& others) {
    std::vector<Pattern> spread;
    size_t single = 0;
    for (const Pattern& operand : operands) single += operand.kind == Pattern::kPack ? 0 : 1;
    if (single > others.size()) return false;
    size_t left = others.size() - single;
    for (const Pattern& operand : operands) {
      if (operand.kind != Pattern::kPack) {
        spread.push_back(operand);
        continue;
      }
      const auto from = others.begin() + static_cast<std::ptrdiff_t>(spread.size());
      packs_[operand.text].assign(from, from + static_cast<std::ptrdiff_t>(left));
      spread.insert(spread.end(), from, from + static_cast<std::ptrdiff_t>(left));
      left = 0;
    }
    operands = std::move(spread);
    return true;
  }

  bool UnifyAttributes(const Pattern& from, Pattern& into) {
    for (const auto& [index, value] : from.attr_literals) {
      const int at = index;
      const auto literal = std::find_if(into.attr_literals.begin(), into.attr_literals.end(),
                                        [&](const auto& entry) { return entry.first == at; });
      if (literal != into.attr_literals.end()) {
        if (!(literal->second == value)) return false;
        continue;
      }
      for (const auto& [other, name] : into.attr_names) {
        if (other == index) SetAttribute(name, value);
      }
      into.attr_literals.emplace_back(index, value);
    }
    for (const auto& [index, name] : from.attr_names) {
      bool known = false;
      for (const auto& [other, value] : into.attr_literals) {
        if (other != index) continue;
        SetAttribute(name, value);
        known = true;
      }
      for (const auto& [other, same] : into.attr_names) {
        if (other != index) continue;
        const std::string& winner = choice_.inner_values ? name : same;
        const std::string& loser = choice_.inner_values ? same : name;
        for (const auto& [attr, value] : example_.attrs) {
          if (attr != winner) continue;
          SetAttribute(loser, ir::Attribute(value));
          break;
        }
        known = true;
      }
      if (!known) into.attr_names.emplace_back(index, name);
    }
    return true;
  }

  void SetAttribute(const std::string& name, const ir::Attribute& value) {
    for (auto& [attr, old] : example_.attrs) {
      if (attr == name) old = value;
    }
  }

  // One leaf for two names, under the first.
  void Share(const std::string& outer, const std::string& inner) {
    const auto find = [&](const std::string& name) {
      return std::find_if(example_.operands.begin(), example_.operands.end(),
                          [&](const auto& entry) { return entry.first == name; });
    };
    const auto a = find(outer), b = find(inner);
    if (b == example_.operands.end() || b->second.size() != 1) return;
    if (a == example_.operands.end()) {
      example_.operands.emplace_back(outer, std::vector<Literal>(b->second));
      return;
    }
    if (a->second.size() != 1) return;
    a->second[0] = Mixed(choice_.inner_shape ? b->second[0] : a->second[0],
                         choice_.inner_values ? b->second[0] : a->second[0]);
  }

  Pattern Resolved(const Pattern& pattern, int depth) {
    if (depth > kMostDepth) too_deep_ = true;
    if (too_deep_) return pattern;
    if (pattern.kind == Pattern::kName) {
      const auto value = values_.find(pattern.text);
      return value == values_.end() ? pattern : Resolved(value->second, depth + 1);
    }
    Pattern resolved = pattern;
    resolved.operands.clear();
    for (const Pattern& operand : pattern.operands) {
      const auto pack = operand.kind == Pattern::kPack ? packs_.find(operand.text) : packs_.end();
      if (pack == packs_.end()) {
        resolved.operands.push_back(Resolved(operand, depth + 1));
        continue;
      }
      for (const Pattern& item : pack->second)
        resolved.operands.push_back(Resolved(item, depth + 1));
    }
    return resolved;
  }

  RewriteExample example_;
  const Choice choice_;
  std::map<std::string, Pattern> values_;
  std::map<std::string, std::vector<Pattern>> packs_;
  int depth_ = 0;
  bool too_deep_ = false;
};

int OperationsIn(const Pattern& pattern) {
  int count = pattern.kind == Pattern::kOp ? 1 : 0;
  for (const Pattern& operand : pattern.operands) count += OperationsIn(operand);
  return count;
}

}  // namespace

std::vector<RewriteExample> Overlaps(const RewriteExample& outer, const RewriteExample& inner,
                                     bool at_root) {
  std::vector<RewriteExample> overlaps;
  const RewriteExample a = Renamed(outer, "o."), b = Renamed(inner, "i.");
  for (int n = at_root ? 0 : 1; n < OperationsIn(outer.pattern); ++n) {
    for (const Choice choice :
         {Choice{false, false}, Choice{false, true}, Choice{true, false}, Choice{true, true}}) {
      if (auto overlap = Unifier(a, b, choice).RunAt(n, b.pattern))
        overlaps.push_back(*std::move(overlap));
    }
  }
  return overlaps;
}

}  // namespace tessera::testing
