#include "solver/syntax.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tessera::solver {
namespace {

// Of parentheses, calls and signs. With sanitizers, each takes 5 KiB of stack.
constexpr int kMaxNesting = 600;

struct NodeHash {
  size_t operator()(const SyntaxNode& n) const {
    uint64_t h = static_cast<uint64_t>(n.op) + static_cast<uint64_t>(n.value) * 0x9E3779B97F4A7C15;
    for (uint32_t operand : n.operands) h = (h ^ (h >> 31)) * 0xD6E8FEB86659FD93 + operand;
    return h ^ (h >> 32);
  }
};

struct Binary {
  std::string_view token;
  Op op;
  int precedence;
};
constexpr int kComparePrecedence = 3;
constexpr Binary kBinaries[] = {
    {"||", Op::kOr, 1},  {"&&", Op::kAnd, 2},     {"==", Op::kEq, 3},      {"!=", Op::kNe, 3},
    {"<=", Op::kLe, 3},  {">=", Op::kGe, 3},      {"<", Op::kLt, 3},       {">", Op::kGt, 3},
    {"+", Op::kAdd, 4},  {"-", Op::kSubtract, 4}, {"*", Op::kMultiply, 5}, {"or", Op::kOr, 1},
    {"and", Op::kAnd, 2}};

struct Function {
  std::string_view name;
  Op op;
  size_t least;
  size_t most;
};
constexpr Function kFunctions[] = {
    {"floordiv", Op::kFloorDiv, 2, 2}, {"ceildiv", Op::kCeilDiv, 2, 2}, {"mod", Op::kMod, 2, 2},
    {"truncdiv", Op::kTruncDiv, 2, 2}, {"min", Op::kMin, 2, 64},        {"max", Op::kMax, 2, 64},
    {"abs", Op::kAbs, 1, 1},           {"ite", Op::kIte, 3, 3}};

bool StartsName(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool ContinuesName(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '\'';
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Syntax> Run() {
    while (ok() && NextIsDefinition()) Definition();
    const uint32_t root = ok() ? Operand(1) : 0;
    Skip();
    if (ok() && at_ < text_.size()) Fail(Unexpected());
    if (!ok())
      return absl::InvalidArgumentError(absl::StrCat("column ", error_at_ + 1, ": ", error_));
    // The statement is the last node, also where its subterm came later.
    if (root + 1 != syntax_.nodes.size()) syntax_.nodes.push_back(syntax_.nodes[root]);
    return std::move(syntax_);
  }

 private:
  bool ok() const { return error_.empty(); }
  uint32_t Fail(std::string message) {
    if (ok()) {
      error_ = std::move(message);
      error_at_ = at_;
    }
    return 0;
  }
  void Skip() {
    while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Accept(std::string_view token) {
    Skip();
    if (at_ == text_.size() || text_[at_] != token[0] || text_.substr(at_, token.size()) != token)
      return false;
    if (StartsName(token[0]) && at_ + token.size() < text_.size() &&
        ContinuesName(text_[at_ + token.size()]))
      return false;
    at_ += token.size();
    return true;
  }
  uint32_t Node(Op op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, int64_t value = 0) {
    const SyntaxNode node{op, {a, b, c}, value};
    const auto [it, added] = index_.emplace(node, static_cast<uint32_t>(syntax_.nodes.size()));
    if (added) syntax_.nodes.push_back(node);
    return it->second;
  }

  std::string_view Name() {
    const size_t start = at_;
    if (at_ < text_.size() && StartsName(text_[at_])) {
      while (at_ < text_.size() && ContinuesName(text_[at_])) ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  bool NextIsDefinition() {
    Skip();
    const size_t start = at_;
    const bool named = !Name().empty();
    Skip();
    const bool result = named && text_.substr(at_, 1) == "=" && text_.substr(at_, 2) != "==";
    at_ = start;
    return result;
  }

  void Definition() {
    const std::string name(Name());
    if (symbols_.contains(name) || definitions_.contains(name)) {
      at_ -= name.size();
      Fail(absl::StrCat("redefinition of `", name, "`"));
      return;
    }
    Accept("=");
    const uint32_t value = Operand(1);
    if (!ok()) return;
    if (!Accept(";")) {
      Fail("expected `;` after a definition");
      return;
    }
    if (symbols_.contains(name)) {
      Fail(absl::StrCat("`", name, "` is defined by itself"));
      return;
    }
    definitions_.emplace(name, value);
  }

  const Binary* NextBinary() {
    Skip();
    if (at_ == text_.size() || text_[at_] == ')' || text_[at_] == ',') return nullptr;
    for (const Binary& binary : kBinaries) {
      if (binary.token[0] != text_[at_]) continue;
      const size_t start = at_;
      if (Accept(binary.token)) {
        at_ = start;
        return &binary;
      }
    }
    return nullptr;
  }

  uint32_t Operand(int precedence) {
    if (++nesting_ > kMaxNesting) return Fail("nested too deeply");
    uint32_t left = Unary();
    while (ok()) {
      const Binary* binary = NextBinary();
      if (binary == nullptr || binary->precedence < precedence) break;
      at_ += binary->token.size();
      left = Node(binary->op, left, Operand(binary->precedence + 1));
      if (binary->precedence == kComparePrecedence && ok()) {
        const Binary* next = NextBinary();
        if (next != nullptr && next->precedence == kComparePrecedence)
          Fail("comparisons do not chain: write `a <= b && b <= c`");
      }
    }
    --nesting_;
    return left;
  }

  uint32_t Unary() {
    bool negative = false;
    Skip();
    if (at_ < text_.size() && text_[at_] == '-') {
      ++at_;
      Skip();
      if (at_ < text_.size() && absl::ascii_isdigit(static_cast<unsigned char>(text_[at_]))) {
        negative = true;
        return Integer(negative);
      }
      return Node(Op::kNegate, Nested());
    }
    if (text_.substr(at_, 2) != "!=" && Accept("!")) return Node(Op::kNot, Nested());
    if (Accept("not")) return Node(Op::kNot, Nested());
    return Primary();
  }

  uint32_t Nested() {
    if (++nesting_ > kMaxNesting) return Fail("nested too deeply");
    const uint32_t result = Unary();
    --nesting_;
    return result;
  }

  uint32_t Integer(bool negative) {
    uint64_t magnitude = 0;
    bool fits = true;
    for (; at_ < text_.size() && absl::ascii_isdigit(static_cast<unsigned char>(text_[at_]));
         ++at_) {
      fits =
          !__builtin_mul_overflow(magnitude, uint64_t{10}, &magnitude) &&
          !__builtin_add_overflow(magnitude, static_cast<uint64_t>(text_[at_] - '0'), &magnitude) &&
          fits;
    }
    constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
    if (!fits || magnitude > kMax + (negative ? 1 : 0)) return Fail("integer leaves 64 bits");
    return Node(Op::kInteger, 0, 0, 0, static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  }

  const char* Unexpected() const {
    if (text_[at_] == '/')
      return "divisions are `floordiv(a, b)`, `ceildiv(a, b)`, `truncdiv(a, b)`";
    if (text_[at_] == '%') return "remainders are `mod(a, b)`";
    return "unexpected text";
  }

  uint32_t Symbol(std::string name) {
    if (const auto it = definitions_.find(name); it != definitions_.end()) return it->second;
    const auto [it, added] = symbols_.emplace(name, static_cast<int64_t>(syntax_.symbols.size()));
    if (added) syntax_.symbols.push_back(std::move(name));
    return Node(Op::kSymbol, 0, 0, 0, it->second);
  }

  uint32_t Primary() {
    Skip();
    if (!ok()) return 0;
    if (at_ == text_.size()) return Fail("expected an expression");
    if (absl::ascii_isdigit(static_cast<unsigned char>(text_[at_]))) return Integer(false);
    if (Accept("(")) {
      const uint32_t e = Operand(1);
      if (ok() && !Accept(")")) Fail("expected `)`");
      return e;
    }
    if (text_[at_] == '`') {
      const size_t end = text_.find('`', at_ + 1);
      if (end == std::string_view::npos || end == at_ + 1)
        return Fail("expected a name between backticks");
      std::string name(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return Symbol(std::move(name));
    }
    if (!StartsName(text_[at_])) return Fail("expected an expression");
    const size_t start = at_;
    while (at_ < text_.size() && ContinuesName(text_[at_])) ++at_;
    const std::string_view name = text_.substr(start, at_ - start);
    if (!Accept("(")) {
      if (name == "and" || name == "or" || name == "not") {
        at_ = start;
        return Fail("expected an expression");
      }
      return Symbol(std::string(name));
    }
    return Call(name, start);
  }

  uint32_t Call(std::string_view name, size_t start) {
    const bool floor = name == "floor";
    if (floor || name == "ceil") {
      const uint32_t a = Operand(1);
      if (ok() && !Accept("/")) return Fail("expected `/`");
      const uint32_t b = ok() ? Primary() : 0;
      if (ok() && !Accept(")")) return Fail("expected `)` after the divisor");
      return Node(floor ? Op::kFloorDiv : Op::kCeilDiv, a, b);
    }
    const Function* function = nullptr;
    for (const Function& f : kFunctions) {
      if (f.name == name) function = &f;
    }
    if (function == nullptr) {
      at_ = start;
      return Fail(absl::StrCat(
          "unknown function `", absl::string_view(name.data(), name.size()),
          "`; there are floordiv, ceildiv, mod, truncdiv, min, max, abs, ite, floor, ceil"));
    }
    std::vector<uint32_t> operands;
    do {
      operands.push_back(Operand(1));
    } while (ok() && operands.size() < function->most && Accept(","));
    if (ok() && !Accept(")")) return Fail("expected `)`");
    if (!ok()) return 0;
    if (operands.size() < function->least) {
      at_ = start;
      return Fail(absl::StrCat("`", absl::string_view(name.data(), name.size()), "` takes ",
                               function->least, " operands, here are ", operands.size()));
    }
    if (function->most == 3) return Node(function->op, operands[0], operands[1], operands[2]);
    if (function->most == 1) return Node(function->op, operands[0]);
    uint32_t result = Node(function->op, operands[0], operands[1]);
    for (size_t i = 2; i < operands.size(); ++i) result = Node(function->op, result, operands[i]);
    return result;
  }

  std::string_view text_;
  size_t at_ = 0;
  int nesting_ = 0;
  std::string error_;
  size_t error_at_ = 0;
  Syntax syntax_;
  absl::flat_hash_map<SyntaxNode, uint32_t, NodeHash> index_;
  absl::flat_hash_map<std::string, int64_t> symbols_;
  absl::flat_hash_map<std::string, uint32_t> definitions_;
};

enum class Fault : uint8_t { kNone, kUnbound, kOverflow, kDivisor };

struct Value {
  int64_t v = 0;
  Fault fault = Fault::kNone;
};

Value FloorOf(int64_t a, int64_t b, int64_t* remainder) {
  if (b <= 0) return {0, Fault::kDivisor};
  int64_t q = a / b;
  int64_t r = a % b;
  if (r < 0) {
    r += b;
    --q;
  }
  *remainder = r;
  return {q};
}

Value Apply(Op op, const Value& x, const Value& y, const Value& z) {
  const int64_t a = x.v;
  const int64_t b = y.v;
  // What decides without the other operand comes first.
  if (op == Op::kIte) return x.fault != Fault::kNone ? x : a != 0 ? y : z;
  if (x.fault != Fault::kNone) return x;
  if (op == Op::kAnd && a == 0) return {0};
  if (op == Op::kOr && a != 0) return {1};
  if (y.fault != Fault::kNone) return y;
  int64_t r = 0;
  const auto checked = [&](bool overflow) {
    return Value{r, overflow ? Fault::kOverflow : Fault::kNone};
  };
  switch (op) {
    case Op::kNegate:
      return checked(__builtin_sub_overflow(int64_t{0}, a, &r));
    case Op::kNot:
      return {a == 0};
    case Op::kAbs:
      return a >= 0 ? x : checked(__builtin_sub_overflow(int64_t{0}, a, &r));
    case Op::kAdd:
      return checked(__builtin_add_overflow(a, b, &r));
    case Op::kSubtract:
      return checked(__builtin_sub_overflow(a, b, &r));
    case Op::kMultiply:
      return checked(__builtin_mul_overflow(a, b, &r));
    case Op::kFloorDiv:
      return FloorOf(a, b, &r);
    case Op::kCeilDiv: {
      Value q = FloorOf(a, b, &r);
      if (q.fault == Fault::kNone && r != 0) ++q.v;
      return q;
    }
    case Op::kMod: {
      const Value q = FloorOf(a, b, &r);
      return q.fault != Fault::kNone ? q : Value{r};
    }
    case Op::kTruncDiv:
      return b <= 0 ? Value{0, Fault::kDivisor} : Value{a / b};
    case Op::kMin:
      return {a < b ? a : b};
    case Op::kMax:
      return {a < b ? b : a};
    case Op::kEq:
      return {a == b};
    case Op::kNe:
      return {a != b};
    case Op::kLt:
      return {a < b};
    case Op::kLe:
      return {a <= b};
    case Op::kGt:
      return {a > b};
    case Op::kGe:
      return {a >= b};
    case Op::kAnd:
    case Op::kOr:
      return {b != 0};
    case Op::kIte:
    case Op::kInteger:
    case Op::kSymbol:
      break;
  }
  return {};
}

}  // namespace

int OperandCount(Op op) {
  switch (op) {
    case Op::kInteger:
    case Op::kSymbol:
      return 0;
    case Op::kNegate:
    case Op::kNot:
    case Op::kAbs:
      return 1;
    case Op::kIte:
      return 3;
    default:
      return 2;
  }
}

absl::StatusOr<Syntax> ParseSyntax(std::string_view text) { return Parser(text).Run(); }

std::optional<std::pair<Syntax, Syntax>> SidesOf(const Syntax& syntax) {
  if (syntax.nodes.empty()) return std::nullopt;
  const SyntaxNode& root = syntax.nodes.back();
  if (root.op < Op::kEq || root.op > Op::kGe) return std::nullopt;
  std::pair<Syntax, Syntax> sides(syntax, syntax);
  sides.first.nodes.resize(root.operands[0] + 1);
  sides.second.nodes.resize(root.operands[1] + 1);
  return sides;
}

Expr Build(Op op, const Expr& a, const Expr& b, const Expr& c) {
  switch (op) {
    case Op::kNegate:
      return -a;
    case Op::kNot:
      return Not(a);
    case Op::kAbs:
      return Abs(a);
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kFloorDiv:
      return FloorDiv(a, b);
    case Op::kCeilDiv:
      return CeilDiv(a, b);
    case Op::kMod:
      return Mod(a, b);
    case Op::kTruncDiv:
      return TruncDiv(a, b);
    case Op::kMin:
      return Min(a, b);
    case Op::kMax:
      return Max(a, b);
    case Op::kEq:
      return Eq(a, b);
    case Op::kNe:
      return Ne(a, b);
    case Op::kLt:
      return Lt(a, b);
    case Op::kLe:
      return Le(a, b);
    case Op::kGt:
      return Gt(a, b);
    case Op::kGe:
      return Ge(a, b);
    case Op::kAnd:
      return And(a, b);
    case Op::kOr:
      return Or(a, b);
    case Op::kIte:
      return Ite(a, b, c);
    case Op::kInteger:
    case Op::kSymbol:
      break;
  }
  return Expr::Invalid();
}

Expr Build(Context& context, const Syntax& syntax) {
  std::vector<Expr> symbols;
  symbols.reserve(syntax.symbols.size());
  for (const std::string& name : syntax.symbols) symbols.push_back(context.Symbol(name));
  std::vector<Expr> values;
  values.reserve(syntax.nodes.size());
  for (const SyntaxNode& node : syntax.nodes) {
    if (node.op == Op::kInteger) {
      values.push_back(node.value);
    } else if (node.op == Op::kSymbol) {
      values.push_back(symbols[static_cast<size_t>(node.value)]);
    } else {
      values.push_back(Build(node.op, values[node.operands[0]], values[node.operands[1]],
                             values[node.operands[2]]));
    }
  }
  return values.empty() ? Expr::Invalid() : values.back();
}

absl::StatusOr<int64_t> EvaluateSyntax(const Syntax& syntax, const Assignment& assignment) {
  if (syntax.nodes.empty()) return absl::InvalidArgumentError("an empty statement");
  std::vector<Value> values;
  values.reserve(syntax.nodes.size());
  for (const SyntaxNode& node : syntax.nodes) {
    if (node.op == Op::kInteger) {
      values.push_back({node.value});
    } else if (node.op == Op::kSymbol) {
      const auto it = assignment.find(syntax.symbols[static_cast<size_t>(node.value)]);
      values.push_back(it == assignment.end() ? Value{node.value, Fault::kUnbound}
                                              : Value{it->second});
    } else {
      values.push_back(Apply(node.op, values[node.operands[0]], values[node.operands[1]],
                             values[node.operands[2]]));
    }
  }
  const Value& last = values.back();
  switch (last.fault) {
    case Fault::kNone:
      return last.v;
    case Fault::kUnbound:
      return absl::NotFoundError(
          absl::StrCat("no value for `", syntax.symbols[static_cast<size_t>(last.v)], "`"));
    case Fault::kOverflow:
      return absl::OutOfRangeError("a value leaves 64 bits");
    case Fault::kDivisor:
      break;
  }
  return absl::InvalidArgumentError("a divisor is not positive");
}

absl::StatusOr<Expr> Parse(Context& context, std::string_view text) {
  absl::StatusOr<Syntax> syntax = ParseSyntax(text);
  if (!syntax.ok()) return syntax.status();
  return Build(context, *syntax);
}

}  // namespace tessera::solver
