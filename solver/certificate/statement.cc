#include "solver/certificate/statement.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tessera::certificate {
namespace {

struct Infix {
  std::string_view token;
  Operator op;
  int precedence;
};
constexpr int kComparison = 3;
// A token that begins another comes after it.
constexpr Infix kInfixes[] = {
    {"||", Operator::kOr, 1},      {"&&", Operator::kAnd, 2},     {"==", Operator::kEq, 3},
    {"!=", Operator::kNe, 3},      {"<=", Operator::kLe, 3},      {">=", Operator::kGe, 3},
    {"<", Operator::kLt, 3},       {">", Operator::kGt, 3},       {"+", Operator::kAdd, 4},
    {"-", Operator::kSubtract, 4}, {"*", Operator::kMultiply, 5},
};

struct Call {
  std::string_view name;
  Operator op;
  bool folds;  // takes two or more operands
};
constexpr Call kCalls[] = {
    {"floordiv", Operator::kFloorDiv, false},
    {"ceildiv", Operator::kCeilDiv, false},
    {"mod", Operator::kMod, false},
    {"truncdiv", Operator::kTruncDiv, false},
    {"min", Operator::kMin, true},
    {"max", Operator::kMax, true},
    {"abs", Operator::kAbs, false},
    {"ite", Operator::kIte, false},
};

struct TermHash {
  size_t operator()(const Term& t) const {
    uint64_t h = static_cast<uint64_t>(t.op) + static_cast<uint64_t>(t.value) * 0x9E3779B97F4A7C15;
    for (uint32_t operand : t.operands) h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9 + operand;
    return h ^ (h >> 31);
  }
};

absl::Status TooLong(size_t bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat(bytes, " bytes, a statement has at most ", kMaxStatementBytes));
}

bool StartsName(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool ContinuesName(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '\'';
}

class Parser {
 public:
  Parser(std::string_view text, const Library& library) : text_(text), library_(library) {}

  // Reads one more text, which is `name = expr`.
  absl::Status Define(std::string_view text) {
    text_ = text;
    at_ = 0;
    if (ok() && !Assignment()) Fail("wanted is `name = expr`");
    Blanks();
    if (ok() && at_ < text_.size()) Fail("wanted is an operator or the end");
    return status();
  }
  Statement TakeStatement() { return std::move(statement_); }
  absl::flat_hash_map<std::string, uint32_t> TakeNames() {
    absl::flat_hash_map<std::string, uint32_t> names;
    for (const std::string& name : statement_.names) names.emplace(name, terms_of_names_[name]);
    return names;
  }

  absl::StatusOr<Statement> Run() {
    while (ok() && Definition()) {
    }
    statement_.root = Expression(1);
    Blanks();
    if (ok() && at_ < text_.size()) Fail("wanted is an operator or the end");
    if (!ok()) return status();
    return std::move(statement_);
  }

 private:
  absl::Status status() const {
    if (ok()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("column ", error_at_ + 1, ": ", error_));
  }
  bool ok() const { return error_.empty(); }
  // After the first error the rest of the text is not looked at.
  uint32_t Fail(std::string message) { return FailAt(at_, std::move(message)); }
  uint32_t FailAt(size_t at, std::string message) {
    if (ok()) {
      error_ = std::move(message);
      error_at_ = at;
    }
    at_ = text_.size();
    return 0;
  }

  void Blanks() {
    while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Accept(std::string_view token) {
    Blanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  void Want(std::string_view token) {
    if (!Accept(token)) Fail(absl::StrCat("wanted is `", std::string(token), "`"));
  }
  bool AtDigit() {
    Blanks();
    return at_ < text_.size() && absl::ascii_isdigit(static_cast<unsigned char>(text_[at_]));
  }

  // A name, or nothing and no step forward.
  std::optional<std::string> Name() {
    Blanks();
    const size_t start = at_;
    if (at_ < text_.size() && text_[at_] == '`') {
      const size_t end = text_.find('`', at_ + 1);
      if (end == std::string_view::npos || end == at_ + 1) {
        Fail("wanted is a name between backticks");
        return std::nullopt;
      }
      at_ = end + 1;
      return std::string(text_.substr(start + 1, end - start - 1));
    }
    if (at_ >= text_.size() || !StartsName(text_[at_])) return std::nullopt;
    while (at_ < text_.size() && ContinuesName(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  bool Definition() {
    if (!Assignment()) return false;
    Want(";");
    return ok();
  }

  // Reads `name = expr`, or takes no step.
  bool Assignment() {
    Blanks();
    const size_t start = at_;
    const std::optional<std::string> name = Name();
    Blanks();
    if (!name || text_.substr(at_, 1) != "=" || text_.substr(at_, 2) == "==") {
      if (ok()) at_ = start;
      return false;
    }
    ++at_;
    if (terms_of_names_.contains(*name) || library_.Find(*name) != nullptr)
      FailAt(start, absl::StrCat("`", *name, "` has a meaning already"));
    const uint32_t term = Expression(1);
    if (terms_of_names_.contains(*name))
      FailAt(start, absl::StrCat("`", *name, "` occurs in its own definition"));
    terms_of_names_.emplace(*name, term);
    statement_.names.push_back(*name);
    return ok();
  }

  uint32_t Make(Operator op, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0, int64_t value = 0) {
    if (!ok()) return 0;
    const Term term{op, {a, b, c}, value};
    const auto [it, added] = index_.emplace(term, static_cast<uint32_t>(statement_.terms.size()));
    if (!added) return it->second;
    statement_.terms.push_back(term);
    return it->second;
  }

  const Infix* NextInfix() {
    Blanks();
    const auto* infix = std::find_if(std::begin(kInfixes), std::end(kInfixes), [&](const Infix& i) {
      return text_.substr(at_, i.token.size()) == i.token;
    });
    return infix == std::end(kInfixes) ? nullptr : infix;
  }

  uint32_t Expression(int precedence) {
    uint32_t left = Unary();
    while (ok()) {
      const Infix* infix = NextInfix();
      if (infix == nullptr || infix->precedence < precedence) break;
      at_ += infix->token.size();
      const uint32_t right = Expression(infix->precedence + 1);
      left = Make(infix->op, left, right);
      if (infix->precedence != kComparison || !ok()) continue;
      const Infix* next = NextInfix();
      if (next != nullptr && next->precedence == kComparison)
        Fail("comparisons do not chain: write `a <= b && b <= c`");
    }
    return left;
  }

  uint32_t Unary() {
    if (++nesting_ > kMaxNesting) return TooDeep();
    uint32_t result;
    if (Accept("-")) {
      result = AtDigit() ? Integer(true) : Make(Operator::kNegate, Unary());
    } else if (Accept("!")) {
      result = Make(Operator::kNot, Unary());
    } else {
      result = Primary();
    }
    --nesting_;
    return result;
  }

  uint32_t Primary() {
    if (Accept("(")) {
      const uint32_t inner = Expression(1);
      Want(")");
      return inner;
    }
    const size_t start = at_;
    uint32_t atom = 0;
    const Call* const call = AtomOrCall(atom);
    return call == nullptr ? atom : Operands(start, *call);
  }

  // Large frames are not on the stack while what is nested is read.
  ABSL_ATTRIBUTE_NOINLINE uint32_t TooDeep() {
    return Fail(absl::StrCat("nested deeper than ", kMaxNesting));
  }

  // A call whose operands follow, or else the term.
  ABSL_ATTRIBUTE_NOINLINE const Call* AtomOrCall(uint32_t& atom) {
    const size_t start = at_;
    const std::optional<std::string> name = AtDigit() ? std::nullopt : Name();
    if (AtDigit()) {
      atom = Integer(false);
    } else if (!name) {
      atom = Fail("wanted is an integer, a name or `(`");
    } else if (text_[start] != '`' && Accept("(")) {
      const Call* const call = std::find_if(std::begin(kCalls), std::end(kCalls),
                                            [&](const Call& c) { return c.name == *name; });
      if (call != std::end(kCalls)) return call;
      atom = FailAt(start, absl::StrCat("no function is called `", *name, "`"));
    } else if (const uint32_t* term = library_.Find(*name)) {
      atom = Import(*term);
    } else {
      atom = Named(*name);
    }
    return nullptr;
  }

  uint32_t Named(const std::string& name) {
    const auto [it, added] = terms_of_names_.emplace(name, 0);
    if (added) {
      it->second =
          Make(Operator::kSymbol, 0, 0, 0, static_cast<int64_t>(statement_.symbols.size()));
      statement_.symbols.push_back(name);
    }
    return it->second;
  }

  // A term of the library, and what it is made of.
  uint32_t Import(uint32_t root) {
    const Statement& from = library_.statement();
    std::vector<uint32_t> pending = {root};
    while (!pending.empty()) {
      const uint32_t at = pending.back();
      const Term& term = from.terms[at];
      bool ready = !imported_.contains(at);
      const bool known = !ready;
      for (int i = Arity(term.op); !known && i-- > 0;) {
        if (imported_.contains(term.operands[i])) continue;
        pending.push_back(term.operands[i]);
        ready = false;
      }
      if (!known && !ready) continue;
      pending.pop_back();
      if (known) continue;
      std::array<uint32_t, 3> operands = {};
      for (int i = 0; i < Arity(term.op); ++i) operands[i] = imported_[term.operands[i]];
      imported_[at] = term.op == Operator::kSymbol
                          ? Named(from.symbols[static_cast<size_t>(term.value)])
                          : Make(term.op, operands[0], operands[1], operands[2], term.value);
    }
    return imported_[root];
  }

  uint32_t Operands(size_t start, const Call& call) {
    std::array<uint32_t, 3> operands = {};
    int count = 0;
    do {
      const uint32_t operand = Expression(1);
      if (call.folds && count >= 2) {
        operands[0] = Make(call.op, operands[0], operands[1]);
        operands[1] = operand;
      } else if (count < 3) {
        operands[count] = operand;
      }
      ++count;
    } while (ok() && Accept(","));
    Want(")");
    if (call.folds ? count < 2 : count != Arity(call.op)) return WrongCount(start, call, count);
    return Make(call.op, operands[0], operands[1], operands[2]);
  }

  ABSL_ATTRIBUTE_NOINLINE uint32_t WrongCount(size_t start, const Call& call, int count) {
    return FailAt(start, absl::StrCat("`", std::string(call.name), "` takes ", Arity(call.op),
                                      call.folds ? " or more" : "", " operands, not ", count));
  }

  uint32_t Integer(bool negative) {
    const size_t start = at_;
    const uint64_t most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + negative;
    uint64_t magnitude = 0;
    for (; at_ < text_.size() && absl::ascii_isdigit(static_cast<unsigned char>(text_[at_]));
         ++at_) {
      const uint64_t digit = static_cast<uint64_t>(text_[at_] - '0');
      if (magnitude > (most - digit) / 10) return FailAt(start, "the integer does not fit 64 bits");
      magnitude = magnitude * 10 + digit;
    }
    if (at_ < text_.size() && StartsName(text_[at_]))
      return FailAt(start, "an integer runs into a name");
    return Make(Operator::kInteger, 0, 0, 0,
                static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  }

  std::string_view text_;
  const Library& library_;
  absl::flat_hash_map<uint32_t, uint32_t> imported_;  // of the library's terms: those here
  size_t at_ = 0;
  int nesting_ = 0;
  std::string error_;
  size_t error_at_ = 0;
  Statement statement_;
  absl::flat_hash_map<Term, uint32_t, TermHash> index_;
  absl::flat_hash_map<std::string, uint32_t> terms_of_names_;
};

}  // namespace

absl::StatusOr<Library> Library::Read(absl::Span<const std::string> definitions) {
  const Library none;
  Parser parser("", none);
  for (const std::string& definition : definitions) {
    absl::Status status = definition.size() > kMaxStatementBytes ? TooLong(definition.size())
                                                                 : parser.Define(definition);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("term `", Shown(definition), "`: ", status.message()));
    }
  }
  Library library;
  library.terms_ = parser.TakeNames();
  library.statement_ = parser.TakeStatement();
  return library;
}

const uint32_t* Library::Find(std::string_view name) const {
  const auto it = terms_.find(std::string(name));
  return it == terms_.end() ? nullptr : &it->second;
}

bool Same(const Statement& a, const Statement& b) {
  // In both, equal terms are one: each of a's has at most one that is the same in b.
  absl::flat_hash_map<uint32_t, uint32_t> same;
  std::vector<std::pair<uint32_t, uint32_t>> pending = {{a.root, b.root}};
  while (!pending.empty()) {
    const auto [i, k] = pending.back();
    pending.pop_back();
    const auto [it, fresh] = same.try_emplace(i, k);
    if (it->second != k) return false;
    if (!fresh) continue;
    const Term& x = a.terms[i];
    const Term& y = b.terms[k];
    if (x.op != y.op) return false;
    if (x.op == Operator::kInteger && x.value != y.value) return false;
    if (x.op == Operator::kSymbol &&
        a.symbols[static_cast<size_t>(x.value)] != b.symbols[static_cast<size_t>(y.value)])
      return false;
    for (int n = 0; n < Arity(x.op); ++n) {
      const auto at = static_cast<size_t>(n);
      pending.emplace_back(x.operands[at], y.operands[at]);
    }
  }
  return true;
}

absl::StatusOr<Statement> ParseStatement(std::string_view text, const Library& library) {
  if (text.size() > kMaxStatementBytes) return TooLong(text.size());
  return Parser(text, library).Run();
}

}  // namespace tessera::certificate
