#include "recheck/terms.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tessera::recheck {
namespace {

using certificate::Arity;
using certificate::Term;

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// The value of an operation on numbers, where it has one of 64 bits.
std::optional<int64_t> Fold(Operator op, int64_t a, int64_t b) {
  int64_t r = 0;
  switch (op) {
    case Operator::kAdd:
      return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case Operator::kSubtract:
      return __builtin_sub_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case Operator::kMultiply:
      return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
    case Operator::kNegate:
      return __builtin_sub_overflow(0, a, &r) ? std::nullopt : std::optional(r);
    case Operator::kAbs:
      return a < 0 ? Fold(Operator::kNegate, a, 0) : a;
    case Operator::kFloorDiv:
      return b < 1 ? std::nullopt : std::optional(FloorDiv(a, b));
    case Operator::kCeilDiv:
      return b < 1 ? std::nullopt : std::optional(-FloorDiv(-a, b));
    case Operator::kMod:
      return b < 1 ? std::nullopt : std::optional(a - b * FloorDiv(a, b));
    case Operator::kTruncDiv:
      return b < 1 ? std::nullopt : std::optional(a / b);
    case Operator::kMin:
      return std::min(a, b);
    case Operator::kMax:
      return std::max(a, b);
    case Operator::kNot:
      return a == 0;
    case Operator::kEq:
      return a == b;
    case Operator::kNe:
      return a != b;
    case Operator::kLt:
      return a < b;
    case Operator::kLe:
      return a <= b;
    case Operator::kGt:
      return a > b;
    case Operator::kGe:
      return a >= b;
    case Operator::kAnd:
      return a != 0 && b != 0;
    case Operator::kOr:
      return a != 0 || b != 0;
    default:
      return std::nullopt;
  }
}

const char* Infix(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return " + ";
    case Operator::kSubtract:
      return " - ";
    case Operator::kMultiply:
      return "*";
    case Operator::kEq:
      return " == ";
    case Operator::kNe:
      return " != ";
    case Operator::kLt:
      return " < ";
    case Operator::kLe:
      return " <= ";
    case Operator::kGt:
      return " > ";
    case Operator::kGe:
      return " >= ";
    case Operator::kAnd:
      return " && ";
    case Operator::kOr:
      return " || ";
    default:
      return nullptr;
  }
}

const char* Function(Operator op) {
  switch (op) {
    case Operator::kNegate:
      return "-";
    case Operator::kNot:
      return "!";
    case Operator::kFloorDiv:
      return "floordiv";
    case Operator::kCeilDiv:
      return "ceildiv";
    case Operator::kMod:
      return "mod";
    case Operator::kTruncDiv:
      return "truncdiv";
    case Operator::kMin:
      return "min";
    case Operator::kMax:
      return "max";
    case Operator::kAbs:
      return "abs";
    default:
      return "ite";
  }
}

bool IsPlain(const std::string& name) {
  const auto starts = [](char c) {
    return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  return starts(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
           return starts(c) || absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '.' ||
                  c == '\'';
         });
}

}  // namespace

size_t Terms::Hash::operator()(const Term& term) const {
  uint64_t h =
      static_cast<uint64_t>(term.op) + static_cast<uint64_t>(term.value) * 0x9E3779B97F4A7C15;
  for (const uint32_t operand : term.operands) h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9 + operand;
  return h ^ (h >> 31);
}

Dim Terms::Intern(const Term& term) {
  const auto [it, fresh] = index_.emplace(term, static_cast<Dim>(terms_.size()));
  if (fresh) terms_.push_back(term);
  return it->second;
}

Dim Terms::Integer(int64_t value) { return Intern({Operator::kInteger, {}, value}); }

Dim Terms::Symbol(const std::string& name) {
  const auto [it, fresh] = of_symbols_.try_emplace(name, 0);
  if (fresh) {
    it->second = Intern({Operator::kSymbol, {}, static_cast<int64_t>(symbols_.size())});
    symbols_.push_back(name);
  }
  return it->second;
}

std::optional<int64_t> Terms::Number(Dim dim) const {
  const Term& term = terms_[dim];
  return term.op == Operator::kInteger ? std::optional(term.value) : std::nullopt;
}

Dim Terms::Make(Operator op, Dim a, Dim b, Dim c) {
  const std::optional<int64_t> x = Number(a), y = Number(b);
  const int arity = Arity(op);
  // Toward zero, a divisor's sign is the quotient's.
  if (op == Operator::kTruncDiv && y && *y < 0 && *y > INT64_MIN)
    return Make(Operator::kSubtract, Integer(0), Make(op, a, Integer(-*y)));
  if (op == Operator::kIte && x) return *x != 0 ? b : c;
  if (op == Operator::kAnd && x) return *x == 0 ? a : Make(Operator::kNe, b, Integer(0));
  if (op == Operator::kOr && x) return *x != 0 ? Integer(1) : Make(Operator::kNe, b, Integer(0));
  // What is a proposition already need not be compared with 0.
  if (op == Operator::kNe && y == 0 && terms_[a].op >= Operator::kEq) return a;
  if (op == Operator::kAnd && y) return *y == 0 ? b : Make(Operator::kNe, a, Integer(0));
  if (op == Operator::kOr && y) return *y != 0 ? Integer(1) : Make(Operator::kNe, a, Integer(0));
  if (arity < 3 && x && (arity < 2 || y)) {
    if (const std::optional<int64_t> value = Fold(op, *x, arity < 2 ? 0 : *y))
      return Integer(*value);
  }
  if ((op == Operator::kAdd || op == Operator::kSubtract) && y == 0) return a;
  if (op == Operator::kAdd && x == 0) return b;
  if (op == Operator::kMultiply && x == 1) return b;
  if ((op == Operator::kMultiply || op == Operator::kFloorDiv || op == Operator::kCeilDiv ||
       op == Operator::kTruncDiv) &&
      y == 1)
    return a;
  return Intern({op, {a, arity > 1 ? b : 0, arity > 2 ? c : 0}, 0});
}

Dim Terms::Import(const certificate::Statement& statement) {
  std::vector<Dim> symbols;
  for (const std::string& symbol : statement.symbols) symbols.push_back(Symbol(symbol));
  return Import(statement, symbols);
}

Dim Terms::Import(const certificate::Statement& statement, const std::vector<Dim>& symbols) {
  std::vector<Dim> places;
  for (const Term& term : statement.terms) {
    if (term.op == Operator::kInteger) {
      places.push_back(Integer(term.value));
    } else if (term.op == Operator::kSymbol) {
      places.push_back(symbols[static_cast<size_t>(term.value)]);
    } else {
      places.push_back(Make(term.op, places[term.operands[0]], places[term.operands[1]],
                            places[term.operands[2]]));
    }
  }
  return places[statement.root];
}

std::string Terms::Text(Dim root) const {
  // Of what it is made of alone, from the root on: operands have lower numbers.
  std::map<Dim, int, std::greater<>> uses = {{root, 1}};
  for (const auto& [i, count] : uses) {
    for (int k = 0; k < Arity(terms_[i].op); ++k) ++uses[terms_[i].operands[k]];
  }
  // No symbol may look like the name of a term.
  std::string prefix = "t";
  while (std::any_of(symbols_.begin(), symbols_.end(), [&](const std::string& s) {
    return s.compare(0, prefix.size(), prefix) == 0;
  }))
    prefix += "_";
  constexpr size_t kLong = 200;
  std::string definitions;
  std::map<Dim, std::string> texts;
  int count = 0;
  for (auto use = uses.rbegin(); use != uses.rend(); ++use) {
    const Dim i = use->first;
    const Term& term = terms_[i];
    const auto operand = [&](int k) -> const std::string& { return texts[term.operands[k]]; };
    const auto in_parentheses = [&](int k) {
      const Operator op = terms_[term.operands[k]].op;
      const bool bare = op == Operator::kSymbol || op == Operator::kInteger ||
                        Infix(op) == nullptr || operand(k).find(' ') == std::string::npos;
      return bare ? operand(k) : absl::StrCat("(", operand(k), ")");
    };
    std::string& text = texts[i];
    if (term.op == Operator::kInteger) {
      text = term.value < 0 ? absl::StrCat("(", term.value, ")") : absl::StrCat(term.value);
      continue;
    }
    if (term.op == Operator::kSymbol) {
      const std::string& name = symbols_[static_cast<size_t>(term.value)];
      text = IsPlain(name) ? name : absl::StrCat("`", name, "`");
      continue;
    }
    if (const char* infix = Infix(term.op)) {
      text = absl::StrCat(in_parentheses(0), infix, in_parentheses(1));
    } else {
      text = absl::StrCat(Function(term.op), "(", operand(0));
      for (int k = 1; k < Arity(term.op); ++k) absl::StrAppend(&text, ", ", operand(k));
      text += ")";
    }
    if (i != root && (use->second > 1 || text.size() > kLong)) {
      std::string name = absl::StrCat(prefix, ++count);
      absl::StrAppend(&definitions, name, " = ", text, "; ");
      text = std::move(name);
    }
  }
  return definitions + texts[root];
}

}  // namespace tessera::recheck
