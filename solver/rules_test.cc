// Every rule of solver/rules.h and of the floors in solver/bounds.h, as a statement: by exhaustive
// evaluation where its constants are small, by Z3 with symbolic operands, and against what the
// normal form makes of its two sides.
#include "solver/rules.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/decide.h"
#include "solver/expr.h"
#include "solver/syntax.h"
#include "solver/testing/z3_encoding.h"

namespace tessera::solver {
namespace {

// What stands in for `C` and `G` in the text of a rule: each number of 2..64.
enum class Constants { kNone, kC, kCAndG };
// Whether the two sides have one normal form where all that the normal form knows are ranges of
// symbols; otherwise Decide proves them equal.
enum class Form { kSame, kDecided };

struct Rule {
  const char* name;
  const char* facts;  // joined by &&
  const char* left;
  const char* right;
  Constants constants = Constants::kNone;
  Form form = Form::kSame;
};

void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.name; }

const Rule kRules[] = {
    {"R1", "1", "floordiv(C*q + r, C)", "q + floordiv(r, C)", Constants::kC},
    {"R1_coefficients", "1", "floordiv((G*C + 1)*p + (C - 1)*q, C)", "G*p + q + floordiv(p - q, C)",
     Constants::kCAndG},
    {"R2", "1", "floordiv(G*p + (C + 1), G*C)", "floordiv(p + floordiv(C + 1, G), C)",
     Constants::kCAndG},
    {"R2_negative", "1", "floordiv(G*p - (C + 1), G*C)",
     "floordiv(p + floordiv(0 - (C + 1), G), C)", Constants::kCAndG},
    {"R4", "1", "floordiv(floordiv(p, G) + s, C)", "floordiv(p + G*s, G*C)", Constants::kCAndG},
    {"R4_negative", "1", "floordiv(s - floordiv(p, G), C)", "floordiv(G*s + G - 1 - p, G*C)",
     Constants::kCAndG},
    {"R5", "1", "floordiv(0 - p, C)", "0 - floordiv(p + C - 1, C)", Constants::kC},
    {"R6", "C*G <= p && p <= C*G + C - 1", "floordiv(p, C)", "G", Constants::kCAndG},
    {"R6_negative", "0 - C*G <= p && p <= 0 - C*G + C - 1", "floordiv(p, C)", "0 - G",
     Constants::kCAndG},
    {"R8", "0 <= r && r <= G - 1", "floordiv(G*p + r, G*C)", "floordiv(p, C)", Constants::kCAndG},
    {"R8_nested", "1", "floordiv(G*p + q - G*floordiv(q, G), G*C)", "floordiv(p, C)",
     Constants::kCAndG},
    {"R10", "1", "floordiv(p + 1, 2)", "p - floordiv(p, 2)", Constants::kNone, Form::kDecided},
    {"R10_wide", "1", "floordiv(G*p + C, 2*C)", "floordiv(G*p, C) - floordiv(G*p, 2*C)",
     Constants::kCAndG, Form::kDecided},
    // Of a remainder by 2*h; R3 takes the quotient out.
    {"R10_symbolic", "h >= 1 && 0 <= r && r <= 2*h - 1", "floordiv(r + h, 2*h)",
     "floordiv(r, h) - floordiv(r, 2*h)", Constants::kNone, Form::kDecided},
    {"R3", "d >= 1", "floordiv(d*q + r, d)", "q + floordiv(r, d)"},
    {"R3_polynomial", "a >= 1 && b >= 1", "floordiv((a + b)*q + r, a + b)",
     "q + floordiv(r, a + b)"},
    {"R4_symbolic", "a >= 1 && c >= 1", "floordiv(floordiv(p, a) + s, c)",
     "floordiv(p + a*s, a*c)"},
    {"R4_symbolic_negative", "a >= 1 && c >= 1", "floordiv(s - floordiv(p, a), c)",
     "floordiv(a*s + a - 1 - p, a*c)"},
    {"R5_symbolic", "d >= 1", "floordiv(0 - p, d)", "0 - 1 - floordiv(p - 1, d)"},
    {"R6_symbolic", "d >= 7 && 0 <= p && p <= 6", "floordiv(p, d)", "0"},
    {"R6_symbolic_negative", "d >= 7 && 0 - 7 <= p && p <= 0 - 1", "floordiv(p, d)", "0 - 1"},
    {"R6_remainder", "d >= 1", "floordiv(p - d*floordiv(p, d), d)", "0"},
    {"R7", "a >= 1 && d >= 1", "floordiv(a*p, a*d)", "floordiv(p, d)"},
    {"R7_constant", "d >= 1", "floordiv(C*p, C*d)", "floordiv(p, d)", Constants::kC},
    {"R8_symbolic", "a >= 7 && 0 <= r && r <= 6 && d >= 1", "floordiv(a*p + r, a*d)",
     "floordiv(p, d)"},
    {"R8_symbolic_negative", "a >= 7 && 0 - 7 <= r && r <= 0 - 1 && d >= 1",
     "floordiv(a*p + r, a*d)", "floordiv(p - 1, d)"},
    {"R8_constant", "0 <= r && r <= C - 1 && d >= 1", "floordiv(C*p + r, C*d)", "floordiv(p, d)",
     Constants::kC},
    {"R8_part_of_constant", "0 <= r && r <= C - 1 && d >= 1", "floordiv(C*p + r, 6*C*d)",
     "floordiv(p, 6*d)", Constants::kC},
    {"R9", "1", "min(a, b)", "b + min(a - b, 0)"},
    {"R9_max", "1", "max(a, b)", "a - min(a - b, 0)"},
    {"R9_max_as_min", "1", "max(a, b)", "0 - min(0 - a, 0 - b)"},
    {"R9_several", "1", "min(min(a, b), c)", "min(b, min(c, a))"},
    {"R9_shared", "1", "min(a + p, b + p)", "p + min(a, b)"},
    {"R9_dropped", "0 <= p", "min(min(a, b), a + p)", "min(a, b)"},
    {"R9_content", "1", "min(C*p, C*q)", "C*min(p, q)", Constants::kC},
    {"R11", "1", "ite(a >= b, p + s, q + s)", "s + ite(a >= b, p, q)"},
    {"R11_constants", "1", "ite(a >= b, C, G)", "G + (C - G)*(a >= b)", Constants::kCAndG},
    {"R11_max", "1", "ite(p >= 0, p, 0)", "max(p, 0)"},
    {"R11_max_next", "1", "ite(p >= 0, p + 1, 0)", "max(p + 1, 0)"},
    {"R11_difference", "1", "ite(a >= b, q + C*a - C*b, q)", "q + C*max(a - b, 0)", Constants::kC},
    {"R11_denied", "1", "ite(a < b, p, q)", "ite(a >= b, q, p)"},
    {"R12_square", "1", "(a >= b)*(a >= b)", "a >= b"},
    {"R12_zero_content", "1", "C*p + C*G*q == C*3", "p + G*q == 3", Constants::kCAndG},
    {"R12_zero_never", "1", "C*p + C*G*q == C*3 + 1", "0", Constants::kCAndG},
    {"R12_content", "1", "C*p + G - 3 >= 0", "p + floordiv(G - 3, C) >= 0", Constants::kCAndG},
    {"R12_zero_factor", "a >= 1", "a*p == a*q", "p == q"},
    {"R12_factor", "a >= 1", "a*p >= a*q", "p >= q"},
    {"R12_sign", "1", "0 - p >= 0", "1 - (p - 1 >= 0)"},
    {"R12_zero_sign", "1", "q - p == 0", "p - q == 0"},
    // Relaxations of bounds.h, k >= 0.
    {"B_floor_high", "k >= 0", "k*C*floordiv(n, C) <= k*n", "1", Constants::kC, Form::kDecided},
    {"B_floor_low", "k >= 0", "k*(n - C + 1) <= k*C*floordiv(n, C)", "1", Constants::kC,
     Form::kDecided},
    {"B_floor_high_symbolic", "k >= 0 && d >= 1", "k*d*floordiv(n, d) <= k*n", "1",
     Constants::kNone, Form::kDecided},
    {"B_floor_low_symbolic", "k >= 0 && d >= 1", "k*(n - d + 1) <= k*d*floordiv(n, d)", "1",
     Constants::kNone, Form::kDecided},
    {"B_floor_order", "n >= 0 && d >= 1", "floordiv(n, C*d) >= floordiv(n, (C + 7)*d)", "1",
     Constants::kC, Form::kDecided},
    {"B_floor_order_symbolic", "n >= 0 && m >= 0 && d >= 1 && k >= 0",
     "floordiv(n + m, d) >= floordiv(n, d + k)", "1", Constants::kNone, Form::kDecided},
    {"B_min_high", "k >= 0", "k*min(a, b) <= k*b", "1", Constants::kNone, Form::kDecided},
};

std::string WithConstants(const char* text, int64_t c, int64_t g) {
  std::string result;
  for (const char* at = text; *at != 0; ++at) {
    if (*at == 'C' || *at == 'G') {
      absl::StrAppend(&result, *at == 'C' ? c : g);
    } else {
      result.push_back(*at);
    }
  }
  return result;
}

Syntax Parsed(const std::string& text) {
  absl::StatusOr<Syntax> syntax = ParseSyntax(text);
  EXPECT_TRUE(syntax.ok()) << text << ": " << syntax.status();
  return syntax.ok() ? *std::move(syntax) : Syntax();
}

struct Sides {
  std::string facts, left, right;
  std::string Claim() const { return absl::StrCat("(", left, ") == (", right, ")"); }
};

class RulesTest : public testing::TestWithParam<Rule> {
 protected:
  // Calls `check` for all values of the constants, at most `most` of each.
  template <typename Check>
  void ForConstants(int64_t step, Check check) {
    const Rule& rule = GetParam();
    for (int64_t c = 2; c <= (rule.constants == Constants::kNone ? 2 : 64); c += step) {
      for (int64_t g = 2; g <= (rule.constants == Constants::kCAndG ? 64 : 2); g += step) {
        check(c, g,
              Sides{WithConstants(rule.facts, c, g), WithConstants(rule.left, c, g),
                    WithConstants(rule.right, c, g)});
        if (HasFatalFailure()) return;
      }
    }
  }
};

TEST_P(RulesTest, HoldsByEvaluation) {
  int64_t checked = 0;
  ForConstants(1, [&](int64_t c, int64_t g, const Sides& sides) {
    const Syntax all = Parsed(absl::StrCat("ite(", sides.facts, ", ", sides.Claim(), ", 2)"));
    const size_t n = all.symbols.size();
    // About 10^4 assignments for each constant alone, 60 for each pair.
    const bool pairs = GetParam().constants == Constants::kCAndG;
    const int64_t from = pairs ? -4 : n <= 2 ? -50 : n == 3 ? -9 : -4;
    const int64_t to = pairs ? 4 : n <= 2 ? 50 : n == 3 ? 12 : 8;
    // The first symbol of a pair goes around the multiples where floors change.
    std::vector<int64_t> values(n, from);
    Assignment assignment;
    for (;;) {
      for (size_t i = 0; i < n; ++i)
        assignment[all.symbols[i]] =
            pairs && i == 0 ? values[i] % 3 + values[i] / 3 * g * c : values[i];
      const absl::StatusOr<int64_t> value = EvaluateSyntax(all, assignment);
      // Undefined: a divisor that the facts exclude.
      if (value.ok() && *value != 2) {
        ++checked;
        ASSERT_EQ(*value, 1) << sides.facts << " |- " << sides.Claim() << " at "
                             << testing::PrintToString(assignment);
      }
      size_t i = 0;
      while (i < n && ++values[i] > to) values[i++] = from;
      if (i == n) break;
    }
  });
  EXPECT_GT(checked, 100);
}

TEST_P(RulesTest, HoldsByZ3) {
  const Rule& rule = GetParam();
  z3::context context;
  // The simple solver: the tactics that the other one tries have limits of time, not of resources.
  const auto check = [&](const Sides& sides) {
    z3::solver solver(context, z3::solver::simple());
    solver.set("rlimit", 10000000u);
    Z3Encoding encoding(context);
    const z3::expr facts = encoding.Encode(Parsed(sides.facts));
    const z3::expr claim = encoding.Encode(Parsed(sides.Claim()));
    solver.add(facts.is_bool() ? facts : facts != 0);
    for (const z3::expr& definition : encoding.definitions()) solver.add(definition);
    solver.add(!claim);
    ASSERT_EQ(solver.check(), z3::unsat) << sides.facts << " |- " << sides.Claim();
  };
  if (rule.constants == Constants::kCAndG) {
    ForConstants(7, [&](int64_t, int64_t, const Sides& sides) { check(sides); });
  } else {
    // One constant may be any, so that nothing is enumerated.
    check({absl::StrCat("C >= 1 && ", rule.facts), rule.left, rule.right});
  }
}

TEST_P(RulesTest, IsWhatTheNormalFormDoes) {
  ForConstants(5, [&](int64_t c, int64_t, const Sides& sides) {
    const Syntax facts = Parsed(sides.facts);
    const Syntax left = Parsed(sides.left);
    const Syntax right = Parsed(sides.right);
    Context context;
    for (const Syntax* syntax : {&facts, &left, &right}) {
      for (const std::string& name : syntax->symbols)
        ASSERT_TRUE(context.Declare(name, Range{}, {}, "the rule").ok());
    }
    ASSERT_TRUE(context.Assume(Build(context, facts), "the rule").ok());
    const Expr a = Build(context, left);
    const Expr b = Build(context, right);
    // Halves go into the second pass with R10.
    if (GetParam().form == Form::kSame && (c > 2 || GetParam().constants == Constants::kNone)) {
      ASSERT_EQ(a, b) << a.ToString() << " and " << b.ToString();
    } else {
      const Verdict verdict = Decide(context, Eq(a, b));
      ASSERT_EQ(verdict.kind, Verdict::kProved)
          << a.ToString() << " and " << b.ToString() << ": " << verdict.by;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, RulesTest, testing::ValuesIn(kRules),
                         [](const auto& rule) { return std::string(rule.param.name); });

// `mod(mod(X, m), n) == mod(X, gcd(m, n))`, a rule of an engine before this one, holds only where
// one of m, n divides the other.
TEST(FalseRules, NestedRemaindersAreNotTheRemainderByTheGcd) {
  for (int64_t m = 2; m <= 24; ++m) {
    for (int64_t n = 2; n <= 24; ++n) {
      Context context;
      const Expr x = context.Symbol("X");
      const Expr claim = Eq(Mod(Mod(x, m), n), Mod(x, std::gcd(m, n)));
      bool holds = true;
      for (int64_t v = 1; v <= m * n; ++v) holds &= v % m % n == v % std::gcd(m, n);
      const Verdict verdict = Decide(context, claim);
      ASSERT_EQ(verdict.kind, holds ? Verdict::kProved : Verdict::kRefuted)
          << m << ", " << n << ": " << verdict.by;
      if (holds) continue;
      const int64_t v = verdict.counterexample.at("X");
      ASSERT_NE(v % m % n, v % std::gcd(m, n));
    }
  }
}

TEST(FalseRules, OneOverLessThanTwo) {
  Context context;
  const Expr x = context.Symbol("X");
  ASSERT_TRUE(context.Assume(Gt(x, 1), "").ok());
  const Verdict verdict = Decide(context, Eq(FloorDiv(1, x - 1), 0));
  EXPECT_EQ(verdict.kind, Verdict::kRefuted);
  EXPECT_THAT(verdict.counterexample, testing::ElementsAre(testing::Pair("X", 2)));
  ASSERT_TRUE(context.Assume(Gt(x, 2), "").ok());
  EXPECT_EQ(Decide(context, Eq(FloorDiv(1, x - 1), 0)).kind, Verdict::kProved);
}

}  // namespace
}  // namespace tessera::solver
