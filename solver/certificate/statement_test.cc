#include "solver/certificate/statement.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::certificate {
namespace {

// Fully parenthesised.
std::string Show(const Statement& s, uint32_t i) {
  static const char* const kNames[] = {
      "",    "",    "+",   "-",  "*",  "neg", "!",  "floordiv", "ceildiv", "mod", "truncdiv", "min",
      "max", "abs", "ite", "==", "!=", "<",   "<=", ">",        ">=",      "&&",  "||"};
  const Term& t = s.terms[i];
  if (t.op == Operator::kInteger) return std::to_string(t.value);
  if (t.op == Operator::kSymbol) return s.symbols[static_cast<size_t>(t.value)];
  std::string text = std::string("(") + kNames[static_cast<int>(t.op)];
  for (int k = 0; k < Arity(t.op); ++k) text += " " + Show(s, t.operands[k]);
  return text + ")";
}

std::string Parse(const std::string& text) {
  const auto statement = ParseStatement(text);
  return statement.ok() ? Show(*statement, statement->root)
                        : std::string(statement.status().message());
}

TEST(Statement, Precedence) {
  EXPECT_EQ(Parse("a || b && c == d + e * -f"), "(|| a (&& b (== c (+ d (* e (neg f))))))");
  EXPECT_EQ(Parse("a*b + c <= d && e || f"), "(|| (&& (<= (+ (* a b) c) d) e) f)");
  EXPECT_EQ(Parse("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(Parse("a - (b - c)"), "(- a (- b c))");
  EXPECT_EQ(Parse("!a == b"), "(== (! a) b)");
  EXPECT_EQ(Parse("!(a==b)!=- -1"), "(!= (! (== a b)) (neg -1))");
  EXPECT_EQ(Parse("(a < b) == (c >= d)"), "(== (< a b) (>= c d))");
  EXPECT_EQ(Parse("a>b"), "(> a b)");
}

TEST(Statement, Calls) {
  EXPECT_EQ(Parse("floordiv(ceildiv(a, 2), mod(b, 3))"), "(floordiv (ceildiv a 2) (mod b 3))");
  EXPECT_EQ(Parse("truncdiv(abs(-a), 4)"), "(truncdiv (abs (neg a)) 4)");
  EXPECT_EQ(Parse("min(a, b, c) + max(1, 2)"), "(+ (min (min a b) c) (max 1 2))");
  EXPECT_EQ(Parse("ite(a < 1, b, c)"), "(ite (< a 1) b c)");
}

TEST(Statement, Names) {
  EXPECT_EQ(Parse("x.1' + _y"), "(+ x.1' _y)");
  EXPECT_EQ(Parse("`dim 2 of <x>` + mod"), "(+ dim 2 of <x> mod)");
  EXPECT_EQ(Parse("`mod` == 1"), "(== mod 1)");
}

TEST(Statement, NamedTerms) {
  EXPECT_EQ(Parse("t1 = floordiv(H - 2, 2) + 1; t1*2 == H"),
            "(== (* (+ (floordiv (- H 2) 2) 1) 2) H)");
  EXPECT_EQ(Parse("a = x; b = a*a; b + a"), "(+ (* x x) x)");
  const auto statement = ParseStatement("unused = 1; t = x; t == x");
  ASSERT_TRUE(statement.ok());
  EXPECT_EQ(statement->names, (std::vector<std::string>{"unused", "t"}));
  EXPECT_EQ(statement->symbols, std::vector<std::string>{"x"});
}

TEST(Statement, EqualTermsAreOne) {
  const auto statement = ParseStatement("(x + 1)*(x + 1) == (x + 1)");
  ASSERT_TRUE(statement.ok());
  EXPECT_EQ(statement->terms.size(), 5u);
}

TEST(Statement, Integers) {
  EXPECT_EQ(Parse("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(Parse("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(Parse("9223372036854775808"), "column 1: the integer does not fit 64 bits");
  EXPECT_EQ(Parse("1 + -9223372036854775809"), "column 6: the integer does not fit 64 bits");
}

TEST(Statement, ErrorsNameTheColumn) {
  const char* const cases[][2] = {
      {"", "column 1: wanted is an integer, a name or `(`"},
      {"a +", "column 4: wanted is an integer, a name or `(`"},
      {"a b", "column 3: wanted is an operator or the end"},
      {"(a", "column 3: wanted is `)`"},
      {"a < b <= c", "column 7: comparisons do not chain: write `a <= b && b <= c`"},
      {"a == b == c", "column 8: comparisons do not chain: write `a <= b && b <= c`"},
      {"foo(1)", "column 1: no function is called `foo`"},
      {"1 + min(a)", "column 5: `min` takes 2 or more operands, not 1"},
      {"abs(a, b)", "column 1: `abs` takes 1 operands, not 2"},
      {"ite(a, b, c, d)", "column 1: `ite` takes 3 operands, not 4"},
      {"`a` = 1; a = 2; a", "column 10: `a` has a meaning already"},
      {"a + 1 == 2; a", "column 11: wanted is an operator or the end"},
      {"b = a; a = 1; b", "column 8: `a` has a meaning already"},
      {"a = a + 1; a", "column 1: `a` occurs in its own definition"},
      {"a = 1", "column 6: wanted is `;`"},
      {"a = 1;", "column 7: wanted is an integer, a name or `(`"},
      {"12x", "column 1: an integer runs into a name"},
      {"a / b", "column 3: wanted is an operator or the end"},
      {"a = 1; a & 1", "column 10: wanted is an operator or the end"},
      {"``", "column 1: wanted is a name between backticks"},
      {"`a", "column 1: wanted is a name between backticks"},
      {"\xff", "column 1: wanted is an integer, a name or `(`"},
  };
  for (const auto& [text, error] : cases) EXPECT_EQ(Parse(text), error) << text;
}

TEST(Statement, Degrees) {
  const auto degree = [](const char* text) { return Degree(*ParseStatement(text)); };
  EXPECT_EQ(degree("1 + 2 == 3*4"), 0);
  EXPECT_EQ(degree("x*3 + floordiv(x, 2)"), 1);
  EXPECT_EQ(degree("t = x*y + 1; t*t*z == 1 && x > 0"), 5);
}

TEST(Statement, MessagesShowTheStartOfLongOnes) {
  EXPECT_EQ(Shown("a == b"), "a == b");
  EXPECT_EQ(Shown(std::string(1000, 'a')), std::string(400, 'a') + " ...");
}

TEST(Statement, TermsOfALibrary) {
  const auto library = Library::Read({"half = floordiv(H, 2)", "whole = half + half"});
  ASSERT_TRUE(library.ok()) << library.status();
  const auto used = ParseStatement("whole*W == half", *library);
  const auto spelled = ParseStatement("h = floordiv(H, 2); (h + h)*W == h");
  ASSERT_TRUE(used.ok() && spelled.ok());
  EXPECT_EQ(used->terms, spelled->terms);
  EXPECT_EQ(used->symbols, spelled->symbols);
  EXPECT_THAT(std::string(ParseStatement("half = 1; half == H", *library).status().message()),
              testing::HasSubstr("`half` has a meaning already"));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"H"}, {"a = 1", "a = 2"}, {"a = b = 2"}, {"a = a"}, {"a = 1;"}})
    EXPECT_FALSE(Library::Read(wrong).ok()) << wrong.back();
}

TEST(Statement, SameWhateverTheNamesOfTheirTerms) {
  const auto library = Library::Read(std::vector<std::string>{"t = mod(H, 8)"});
  ASSERT_TRUE(library.ok()) << library.status();
  const auto same = [&](const char* a, const char* b) {
    const auto x = ParseStatement(a, *library);
    const auto y = ParseStatement(b);
    EXPECT_TRUE(x.ok() && y.ok()) << a << b;
    return Same(*x, *y);
  };
  EXPECT_TRUE(same("W + t*t == 0", "W + mod(H, 8)*mod(H, 8) == 0"));
  EXPECT_TRUE(same("W + t*t == 0", "u = mod(H, 8); W + u*u == 0"));
  EXPECT_TRUE(same("min(H, W, 3) >= 1", "(min(H, W, 3)) >= 1"));
  EXPECT_FALSE(same("W + t*t == 0", "W + mod(H, 8)*mod(W, 8) == 0"));
  EXPECT_FALSE(same("W + t*t == 0", "W + mod(H, 9)*mod(H, 9) == 0"));
  EXPECT_FALSE(same("H + W == 0", "W + H == 0"));
  EXPECT_FALSE(same("H*H == 0", "H*W == 0"));
  EXPECT_FALSE(same("H*W == 0", "H*H == 0"));
  EXPECT_FALSE(same("H >= 1", "H > 1"));
}

TEST(Statement, BoundsOfSize) {
  const std::string deep(kMaxNesting - 1, '(');
  EXPECT_EQ(Parse(deep + "a" + std::string(deep.size(), ')')), "a");
  EXPECT_THAT(Parse("(" + deep + "a" + std::string(deep.size() + 1, ')')),
              testing::HasSubstr("nested deeper than 1000"));
  std::string calls;
  for (int64_t i = 0; i + 1 < kMaxNesting; ++i) calls += "abs(";
  EXPECT_THAT(Parse(calls + "a" + std::string(deep.size(), ')')),
              testing::StartsWith("(abs (abs "));
  EXPECT_THAT(Parse(std::string(1 << 19, '(')), testing::HasSubstr("nested deeper than 1000"));
  EXPECT_THAT(Parse(std::string(1 << 19, '-')), testing::HasSubstr("nested deeper than 1000"));
  // Depth without nesting is not bounded: a concat of thousands of symbolic sizes is such a sum.
  std::string sum = "a0";
  for (int i = 1; i <= 20000; ++i) sum += " + a" + std::to_string(i);
  EXPECT_TRUE(ParseStatement(sum).ok());
  EXPECT_THAT(Parse(std::string(kMaxStatementBytes + 1, ' ')),
              testing::HasSubstr("a statement has at most 1048576"));
}

}  // namespace
}  // namespace tessera::certificate
