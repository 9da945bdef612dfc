#include "solver/certificate/simplify.h"

#include <functional>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/evaluate.h"
#include "solver/certificate/remainders.h"

namespace tessera::certificate {
namespace {

Problem Sizes() {
  Certificate certificate;
  certificate.symbols = {{"H", "", 1, 4096, 1, 0}, {"N", "", 2, {}, 1, 0}, {"x", "", {}, {}, 1, 0}};
  return Problem::Read(certificate).value();
}

// `true`, `false` or `open`; `-`: nothing.
std::string Simple(const std::string& text, const Problem& problem = Sizes()) {
  const Claim claim = problem.ReadClaim(text).value();
  const std::optional<Claim> simple = Simplified(problem, claim);
  if (!simple) return "-";
  const Term& root = simple->statement.terms[simple->statement.root];
  return root.op != Operator::kInteger ? "open" : root.value != 0 ? "true" : "false";
}

TEST(Simplify, PolynomialsAreDivided) {
  EXPECT_EQ(Simple("floordiv(N*H*192, N*H*3*4) == 16"), "true");
  EXPECT_EQ(Simple("floordiv(N*4*(floordiv(H - 2, 2) + 1), ite(N == -1, 1, max(N, 1))*4) == "
                   "floordiv(H, 2)"),
            "true");
  EXPECT_EQ(Simple("mod(H*N + N*3 + 1, N) == 1"), "true");
  EXPECT_EQ(Simple("ceildiv(N*H + 1, N) == H + 1"), "true");
  EXPECT_EQ(Simple("H + mod(-H, N) == N + N*floordiv(H - 1, N)"), "true");
  EXPECT_EQ(Simple("floordiv(-H, N) == -ceildiv(H, N)"), "true");
  EXPECT_EQ(Simple("floordiv(N*H, N) == H + 1"), "false");
  // What is multiplied out keeps the bounds of its factors.
  EXPECT_EQ(Simple("a = floordiv(1 + H, 2); b = a*N*10; "
                   "floordiv(b, ite(a == -1, 1, max(a, 1))*ite(N == -1, 1, max(N, 1)))*a*N == b"),
            "true");
  EXPECT_EQ(Simple("H - 1 >= floordiv(H, 2)"), "true");
  EXPECT_EQ(Simple("a = 4*floordiv(3 + H, 4); mod(-2, max(0, a)) == a - 2"), "true");
  EXPECT_EQ(Simple("mod(-3, N) == N - 3"), "open");
  EXPECT_EQ(Simple("H - 2 >= floordiv(H, 2)"), "open");
  // What is padded to a multiple, in several words.
  EXPECT_EQ(Simple("N*(H + max(0, mod(4 + (0 - mod(H, 4)), 4))) == 4*N*floordiv(H + 3, 4)"),
            "true");
  EXPECT_EQ(Simple("x + mod(5*x + 1, 6) == 6*floordiv(x + 4, 6) + 1"), "true");
  EXPECT_EQ(Simple("x + mod(-x, 6) == 6*floordiv(x + 4, 6)"), "open");
  EXPECT_EQ(Simple("N*(H - floordiv(H, 2)) == N*ceildiv(H, 2)"), "true");
  EXPECT_EQ(Simple("H*floordiv(x + 1, 2) == H*floordiv(x, 2)"), "open");
  EXPECT_EQ(Simple("floordiv(H*H + N, N) == H"), "open");
}

TEST(Simplify, ConstantsInExtremes) {
  EXPECT_EQ(Simple("N*(min(H - 8, 0) + 8) == N*min(H, 8)"), "true");
  EXPECT_EQ(Simple("N*max(x, H) == N*(max(H - 3, x - 3) + 3)"), "true");
  EXPECT_EQ(Simple("N*(min(H - 8, 0) + 7) == N*min(H, 8)"), "false");
  EXPECT_EQ(Simple("N*min(x, H) == N*max(x, H)"), "open");
  EXPECT_EQ(Simple("mod(x, N) >= 0"), "true");
}

TEST(Simplify, ProductsThatAreAtLeastANumber) {
  // What is divided by must be at least 1.
  EXPECT_EQ(
      Simple("floordiv(N*H*(2*H + 3 - 8*floordiv(H, 4)), H*(2*H + 3 - 8*floordiv(H, 4))) == N"),
      "true");
  EXPECT_EQ(Simple("N*(H - floordiv(H, 2)) >= 1"), "true");
  EXPECT_EQ(Simple("N*(H - floordiv(H, 2)) >= 2"), "open");
  EXPECT_EQ(Simple("x*N >= 1"), "open");
}

TEST(Simplify, RemaindersOfSymbols) {
  Certificate certificate;
  certificate.symbols = {{"H", "", 1, {}, 4, 0}, {"O", "", 1, {}, 2, 1}, {"L", "", 1, {}, 1, 0}};
  const Problem problem = Problem::Read(certificate).value();
  EXPECT_EQ(Simple("4*floordiv(H, 4) == H && 2*floordiv(H, 2) == H", problem), "true");
  EXPECT_EQ(Simple("2*floordiv(O, 2) + 1 == O", problem), "true");
  EXPECT_EQ(Simple("8*floordiv(H, 8) == H", problem), "open");
  const auto holds = [&](const std::string& text) {
    return HoldsByRemainders(problem, problem.ReadClaim(text).value());
  };
  EXPECT_TRUE(
      holds("t = mod(L + L, 3); t + ceildiv(6 - t, 2)*2 == "
            "6 - L + 2*floordiv(1 + L, 3) + floordiv(2 + L, 3)"));
  EXPECT_FALSE(
      holds("t = mod(L + L, 3); t + ceildiv(6 - t, 2)*2 == "
            "7 - L + 2*floordiv(1 + L, 3) + floordiv(2 + L, 3)"));
  EXPECT_TRUE(holds("mod(H, 8) == 0 || mod(H, 8) == 4"));
  EXPECT_FALSE(holds("mod(H, 8) == 0"));
}

TEST(Simplify, RangesDecide) {
  EXPECT_EQ(Simple("H > 0 && (x == 3 || N >= 2)"), "true");
  EXPECT_EQ(Simple("ite(H >= 1, max(H, 1), x) == H"), "true");
  EXPECT_EQ(Simple("abs(-H) == H && !(H == 0)"), "true");
  EXPECT_EQ(Simple("min(H, x) == H"), "open");
  // A product makes up for a part of it.
  EXPECT_EQ(Simple("ite(N*H - N == -1, 1, N*H - N) == N*(H - 1)"), "true");
  EXPECT_EQ(Simple("N*floordiv(H, 2) - N == -1"), "open");
}

TEST(Simplify, BoundsDecide) {
  EXPECT_EQ(Simple("x <= max(x, N)"), "true");
  EXPECT_EQ(Simple("min(x, N) + min(x, -N) <= 2*x"), "true");
  EXPECT_EQ(Simple("max(min(x, N), x) <= x"), "true");
  EXPECT_EQ(Simple("max(min(x, N), x) > x"), "false");
  EXPECT_EQ(Simple("min(x, N) >= x"), "open");
  EXPECT_EQ(Simple("max(x, N) <= x"), "open");
  // The last of areas that lie one behind the other, as plans of memory say it.
  EXPECT_EQ(Simple("N*H + 7*x <= 7*x - min(0, -N*H + min(0, x + min(0, N - x)))"), "true");
  EXPECT_EQ(Simple("N*H + 1 <= -min(0, -N*H + min(0, x + min(0, N - x)))"), "open");
  EXPECT_EQ(Simple("x + N <= 8*floordiv(x + N + 7, 8)"), "true");
  EXPECT_EQ(Simple("x + N < 8*floordiv(x + N + 7, 8)"), "open");
  EXPECT_EQ(Simple("8*floordiv(x, 8) <= x"), "true");
  EXPECT_EQ(Simple("8*floordiv(x, 8) < x"), "open");
  EXPECT_EQ(Simple("4*floordiv(x, 4) <= 3*floordiv(x, 3) + 2"), "true");
  EXPECT_EQ(Simple("4*floordiv(x, 4) <= 3*floordiv(x, 3) + 1"), "open");
}

TEST(Simplify, PartsOfWhatIsDenied) {
  EXPECT_EQ(Simple("!(x < 5 && N < 7) || N < 7"), "true");
  EXPECT_EQ(Simple("!(x < 5 && N < 7) || (0 <= N && N < 7 && x < 5)"), "true");
  EXPECT_EQ(Simple("!(x < 5 && N < 7) || (3 <= N && N < 7 && x < 5)"), "open");
  EXPECT_EQ(Simple("!(x < 5) || x < 4"), "open");
  EXPECT_EQ(Simple("x < 5 || x < 5"), "open");
  EXPECT_EQ(Simple("!(x < 5 || N < 7) || x < 5"), "open");
}

// It could be false for a size at which it is not defined.
TEST(Simplify, DivisorsMayBeZero) {
  EXPECT_EQ(Simple("floordiv(H, x) == floordiv(H, x)"), "-");
  EXPECT_EQ(Simple("0*floordiv(H, N - 2) == 0"), "-");
  EXPECT_EQ(Simple("N < 3 || floordiv(N*H - 2*H, N - 2) == H"), "-");
  EXPECT_EQ(Simple("N >= 2 || floordiv(H, 0) == 1"), "true");
}

class Statements {
 public:
  std::string Next(int depth) {
    if (depth == 0) {
      const char* const leaves[] = {"H", "N", "x", "2", "3", "7", "(-1)", "0"};
      return leaves[Below(std::size(leaves))];
    }
    const std::string a = Next(depth - 1), b = Next(depth - 1);
    switch (Below(12)) {
      case 0:
        return absl::StrCat("(", a, " + ", b, ")");
      case 1:
        return absl::StrCat("(", a, " - ", b, ")");
      case 2:
      case 3:
        return absl::StrCat("(", a, "*", b, ")");
      case 4:
        return absl::StrCat("floordiv(", a, ", ", Divisor(b), ")");
      case 5:
        return absl::StrCat("mod(", a, ", ", Divisor(b), ")");
      case 6:
        return absl::StrCat("ceildiv(", a, ", ", Divisor(b), ")");
      case 7:
        return absl::StrCat("truncdiv(", a, ", ", Divisor(b), ")");
      case 8:
        return absl::StrCat(Below(2) == 0 ? "min(" : "max(", a, ", ", b, ")");
      case 9:
        return absl::StrCat("ite(", a, " ", Comparison(), " ", b, ", ", Next(depth - 1), ", ", b,
                            ")");
      case 10:
        return absl::StrCat("(", a, Below(2) == 0 ? " && " : " || ", b, ")");
      default:
        return absl::StrCat(Below(2) == 0 ? "abs(" : "!(", a, ")");
    }
  }
  std::string Claim() { return absl::StrCat(Next(3), " ", Comparison(), " ", Next(2)); }

 private:
  std::string Divisor(const std::string& text) {
    return Below(4) == 0 ? text : absl::StrCat("max(", text, ", 1)");
  }
  std::string Comparison() {
    const char* const all[] = {"==", "!=", "<", "<=", ">", ">="};
    return all[Below(std::size(all))];
  }
  size_t Below(size_t n) { return random_() % n; }
  std::mt19937 random_{7};
};

// Where it says something, it says the same at all sizes.
TEST(Simplify, SaysTheSame) {
  const Problem problem = Sizes();
  Statements statements;
  int simplified = 0, decided = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = statements.Claim();
    const Claim claim = problem.ReadClaim(text).value();
    const std::optional<Claim> simple = Simplified(problem, claim);
    if (!simple) continue;
    ++simplified;
    decided += simple->symbols.empty() ? 1 : 0;
    Evaluator before(claim), after(*simple);
    for (const int64_t h : {1, 2, 3, 8, 4096}) {
      for (const int64_t n : {2, 3, 4, 9}) {
        for (const int64_t x : {-7, -1, 0, 1, 6}) {
          const int64_t values[] = {h, n, x};
          ASSERT_EQ(before.Evaluate(values), after.Evaluate(values))
              << text << " at " << h << ", " << n << ", " << x;
        }
      }
    }
  }
  EXPECT_GT(simplified, 1500);
  EXPECT_GT(decided, 200);
}

// Comparisons of sums of extremes and of quotients, which bounds decide.
TEST(Simplify, BoundsHold) {
  const Problem problem = Sizes();
  std::mt19937 random{11};
  const auto below = [&](size_t n) { return random() % n; };
  const std::function<std::string(int)> sum = [&](int depth) {
    const char* const leaves[] = {"x", "N", "H", "x*N", "5", "0", "3*x"};
    std::string text = leaves[below(std::size(leaves))];
    for (size_t i = 0, count = depth == 0 ? 0 : below(3); i < count; ++i) {
      absl::StrAppend(&text, below(2) == 0 ? " + " : " - ", 1 + below(4), "*");
      if (below(3) == 0) {
        absl::StrAppend(&text, "floordiv(", sum(depth - 1), ", ", 1 + below(5), ")");
      } else {
        absl::StrAppend(&text, below(2) == 0 ? "min(" : "max(", sum(depth - 1), ", ",
                        sum(depth - 1), ")");
      }
    }
    return text;
  };
  int decided = 0;
  for (int i = 0; i < 3000; ++i) {
    const char* const comparisons[] = {"<", "<=", ">", ">="};
    const std::string text =
        absl::StrCat(sum(3), " ", comparisons[below(std::size(comparisons))], " ", sum(1));
    const Claim claim = problem.ReadClaim(text).value();
    const std::optional<Claim> simple = Simplified(problem, claim);
    if (!simple) continue;
    decided += simple->symbols.empty() ? 1 : 0;
    Evaluator before(claim), after(*simple);
    for (const int64_t h : {1, 2, 5, 4096}) {
      for (const int64_t n : {2, 3, 9}) {
        for (const int64_t x : {-100000, -7, -2, -1, 0, 1, 3, 6, 100000}) {
          const int64_t values[] = {h, n, x};
          ASSERT_EQ(before.Evaluate(values), after.Evaluate(values))
              << text << " at " << h << ", " << n << ", " << x;
        }
      }
    }
  }
  EXPECT_GT(decided, 100);
}

}  // namespace
}  // namespace tessera::certificate
