#include "codegen/expression_printer.h"

#include <string>

#include "codegen/expression_parser.h"
#include "codegen/program.h"
#include "gtest/gtest.h"

namespace tessera::codegen {
namespace {

NodePtr Parsed(const std::string& text) {
  // Nodes point into their source.
  static std::deque<Source> sources;
  sources.push_back({"test", text});
  Diagnostics diagnostics;
  NodePtr node = ParseExpression(sources.back(), 0, text.size(), diagnostics);
  EXPECT_TRUE(diagnostics.empty()) << text << "\n" << diagnostics.Render();
  return node;
}

TEST(ExpressionPrinter, KeepsWhatIsWrittenPlainly) {
  for (const char* text : {"a + b * c",
                           "(a + b) * c",
                           "a - (b - c)",
                           "a - b - c",
                           "-(a + b)",
                           "!p && q || r",
                           "!(p && (q || r))",
                           "a ?? b ?? 0",
                           "c ? a : d ? e : f",
                           "(c ? a : b) + 1",
                           "forall x in xs, d in 0..R: d == a || dim(x, d) == 1",
                           "(exists i in L: i < 0) && p",
                           "sum(g in 0..G, k... in K: x[g, k] * 2)",
                           "[for d in 0..len(P): P[d] + 1] ++ [1, 2]",
                           "x[n, o * s + k, i...] ?? -1.5e-3",
                           "y[broadcast i...]",
                           "f(xs..., \"text\", axis: k)",
                           "Add(Conv(x, w, b?):c, k)",
                           "Split(x).1",
                           "floor(x) as i64",
                           "(a, b)",
                           "a[i][j]",
                           "min(a, b)",
                           "max(d in 1..n: d)"}) {
    EXPECT_EQ(ExpressionText(Parsed(text)), text);
  }
}

TEST(ExpressionPrinter, LeavesOutWhatIsNotNeeded) {
  EXPECT_EQ(ExpressionText(Parsed("((a) * (b)) + (c)")), "a * b + c");
  EXPECT_EQ(ExpressionText(Parsed("a+(b)?(c):[ 1 ]")), "a + b ? c : [1]");
}

}  // namespace
}  // namespace tessera::codegen
