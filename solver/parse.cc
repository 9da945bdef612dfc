// A small recursive descent parser of the expressions' text.
#include <cctype>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "solver/expr.h"

namespace tessera::solver {
namespace {

constexpr int kMaxDepth = 400;

class Parser {
 public:
  Parser(Context& context, absl::string_view text) : context_(context), text_(text) {}

  absl::StatusOr<Expr> Run() {
    Expr e = Or();
    Skip();
    if (error_.empty() && at_ != text_.size()) Fail("unexpected text");
    if (!error_.empty()) return absl::InvalidArgumentError(absl::StrCat(error_, " at ", at_, " of `", text_, "`"));
    return e;
  }

 private:
  void Fail(const char* message) {
    if (error_.empty()) error_ = message;
  }
  void Skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool Accept(absl::string_view token) {
    Skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  Expr Or() {
    Expr e = And();
    while (error_.empty() && Accept("||")) e = solver::Or(e, And());
    return e;
  }
  Expr And() {
    Expr e = Comparison();
    while (error_.empty() && Accept("&&")) e = solver::And(e, Comparison());
    return e;
  }
  Expr Comparison() {
    const Expr a = Sum();
    if (Accept("==")) return Eq(a, Sum());
    if (Accept("!=")) return Ne(a, Sum());
    if (Accept("<=")) return Le(a, Sum());
    if (Accept(">=")) return Ge(a, Sum());
    if (Accept("<")) return Lt(a, Sum());
    if (Accept(">")) return Gt(a, Sum());
    return a;
  }
  Expr Sum() {
    Expr e = Product();
    while (error_.empty()) {
      if (Accept("+")) {
        e += Product();
      } else if (Accept("-")) {
        e -= Product();
      } else {
        break;
      }
    }
    return e;
  }
  Expr Product() {
    Expr e = Unary();
    while (error_.empty() && Accept("*")) e *= Unary();
    return e;
  }
  Expr Unary() {
    if (++depth_ > kMaxDepth) Fail("nested too deeply");
    Expr e;
    if (!error_.empty()) {
      e = Expr(0);
    } else if (Accept("-")) {
      e = -Unary();
    } else if (text_.substr(at_, 2) != "!=" && Accept("!")) {
      e = Not(Unary());
    } else {
      e = Atom();
    }
    --depth_;
    return e;
  }
  Expr Atom() {
    Skip();
    if (Accept("(")) {
      Expr e = Or();
      if (!Accept(")")) Fail("expected `)`");
      return e;
    }
    const size_t start = at_;
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      int64_t value = 0;
      if (!absl::SimpleAtoi(text_.substr(start, at_ - start), &value)) Fail("integer out of range");
      return Expr(value);
    }
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' || text_[at_] == '.' || text_[at_] == '/' || text_[at_] == ':')) ++at_;
    const absl::string_view name = text_.substr(start, at_ - start);
    if (name.empty()) {
      Fail("expected an expression");
      return Expr(0);
    }
    if (!Accept("(")) return context_.Symbol(name);
    std::vector<Expr> arguments;
    do {
      arguments.push_back(Or());
    } while (error_.empty() && Accept(","));
    if (!Accept(")")) Fail("expected `)`");
    if (!error_.empty()) return Expr(0);
    const size_t count = arguments.size();
    if (name == "ite" && count == 3) return Ite(arguments[0], arguments[1], arguments[2]);
    if (count == 2) {
      if (name == "floordiv") return FloorDiv(arguments[0], arguments[1]);
      if (name == "mod") return Mod(arguments[0], arguments[1]);
      if (name == "min") return Min(arguments[0], arguments[1]);
      if (name == "max") return Max(arguments[0], arguments[1]);
    }
    Fail("unknown function");
    return Expr(0);
  }

  Context& context_;
  absl::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

absl::StatusOr<Expr> Parse(Context& context, absl::string_view text) { return Parser(context, text).Run(); }

}  // namespace tessera::solver
