#include "targets/vulkan/statement_text.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::vulkan {
namespace {

bool IsName(const std::string& text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

// A sum of expressions, each times a number.
struct Linear {
  std::map<uint32_t, int64_t> factors;
  int64_t constant = 0;

  // `times` the expression is added; false where 64 bits do not hold a factor.
  bool Add(const file::Model& model, uint32_t e, int64_t times) {
    const file::Expression& expression = *model.expressions()->Get(e);
    const auto add = [&](int64_t& to, int64_t number) {
      int64_t product = 0;
      return !__builtin_mul_overflow(number, times, &product) &&
             !__builtin_add_overflow(to, product, &to);
    };
    if (expression.operation() == file::Operation_CONSTANT)
      return add(constant, expression.constant());
    if (expression.operation() != file::Operation_SUM) return add(factors[e], 1);
    for (uint32_t i = 0; expression.arguments() != nullptr && i < expression.arguments()->size();
         ++i) {
      if (!add(factors[expression.arguments()->Get(i)], expression.coefficients()->Get(i)))
        return false;
    }
    return add(constant, expression.constant());
  }
};

}  // namespace

StatementText::StatementText(const file::Model& model) : model_(model), axis_prefix_("at") {
  // No name of a size begins so.
  const auto taken = [&] {
    return std::any_of(
        model.symbols()->begin(), model.symbols()->end(), [&](const file::Symbol* symbol) {
          return absl::StartsWith(symbol->name()->str(), absl::StrCat(axis_prefix_, "."));
        });
  };
  while (taken()) axis_prefix_ += "_";
}

std::string StatementText::Name(uint32_t e) {
  const file::Expression& expression = At(e);
  switch (expression.operation()) {
    case file::Operation_CONSTANT:
      return absl::StrCat(expression.constant());
    case file::Operation_AXIS:
      return Axis(static_cast<uint32_t>(expression.constant()));
    case file::Operation_SYMBOL: {
      const std::string name =
          model_.symbols()->Get(static_cast<uint32_t>(expression.constant()))->name()->str();
      return IsName(name) ? name : absl::StrCat("`", name, "`");
    }
    default: {
      if (const auto known = names_.find(e); known != names_.end()) return known->second;
      // Counted in the order of need, so that equal statements have equal texts. Two expressions
      // may have one text where axes are set.
      std::string text = TextOf(e);
      const auto [defined, fresh] =
          defined_.try_emplace(text, absl::StrCat("e", definitions_.size() + 1, "'"));
      if (fresh) definitions_.push_back(absl::StrCat(defined->second, " = ", text, "; "));
      return names_[e] = defined->second;
    }
  }
}

void StatementText::SetAxis(uint32_t axis, std::string text) {
  const auto [set, fresh] = set_.try_emplace(axis, text);
  if (!fresh && set->second == text) return;
  set->second = std::move(text);
  names_.clear();
}

// By their order in the statement, so that equal statements have equal texts.
std::string StatementText::Axis(uint32_t axis) {
  if (const auto set = set_.find(axis); set != set_.end()) return set->second;
  return Position(axes_.try_emplace(axis, axes_.size()).first->second);
}

std::string StatementText::TextOf(uint32_t e) {
  const file::Expression& expression = At(e);
  std::vector<std::string> args;
  for (uint32_t i = 0; expression.arguments() != nullptr && i < expression.arguments()->size(); ++i)
    args.push_back(Name(expression.arguments()->Get(i)));
  switch (expression.operation()) {
    case file::Operation_SUM:
      for (uint32_t i = 0; i < args.size(); ++i)
        args[i] = absl::StrCat(expression.coefficients()->Get(i), " * ", args[i]);
      args.push_back(absl::StrCat(expression.constant()));
      return absl::StrJoin(args, " + ");
    case file::Operation_PRODUCT:
      return args.empty() ? "1" : absl::StrJoin(args, " * ");
    case file::Operation_FLOOR_DIV:
      return absl::StrCat("floordiv(", args[0], ", ", args[1], ")");
    case file::Operation_LEAST:
      return absl::StrCat("min(", absl::StrJoin(args, ", "), ")");
    case file::Operation_IF:
      return absl::StrCat("ite(", absl::StrJoin(args, ", "), ")");
    case file::Operation_EQ_ZERO:
      return absl::StrCat(args[0], " == 0");
    case file::Operation_GE_ZERO:
      return absl::StrCat(args[0], " >= 0");
    case file::Operation_AND:
      return args.empty() ? "1" : absl::StrJoin(args, " && ");
    default:
      return Name(e);
  }
}

std::string StatementText::Difference(uint32_t a, uint32_t b) {
  Linear difference;
  if (!difference.Add(model_, a, 1) || !difference.Add(model_, b, -1)) {
    std::string text = Name(a);
    absl::StrAppend(&text, " - ", Name(b));
    return text;
  }
  std::string text;
  for (const auto& [e, factor] : difference.factors) {
    if (factor != 0) absl::StrAppend(&text, factor, " * ", Name(e), " + ");
  }
  return absl::StrCat(text, difference.constant);
}

void StatementText::Add(const std::string& proposition) {
  if (std::find(propositions_.begin(), propositions_.end(), proposition) == propositions_.end())
    propositions_.push_back(proposition);
}

std::string StatementText::Text() {
  return absl::StrCat(absl::StrJoin(definitions_, ""), absl::StrJoin(propositions_, " && "));
}

}  // namespace tessera::vulkan
