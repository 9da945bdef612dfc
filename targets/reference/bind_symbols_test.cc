#include "targets/reference/bind_symbols.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/rewriter.h"
#include "targets/reference/testing.h"

namespace tessera::reference {
namespace {

using solver::Expr;

class BindSymbolsTest : public ::testing::Test {
 protected:
  Expr Dim(const char* name, solver::Range range = {1, 4096}, solver::Congruence congruence = {}) {
    return *graph_.context().Declare(name, range, congruence, absl::StrCat("--dim ", name));
  }
  void Input(const char* name, std::vector<Expr> dims) {
    ASSERT_TRUE(ir::Rewriter(graph_).AddInput(name, {ir::DType::kF32, std::move(dims)}).ok());
  }
  absl::StatusOr<solver::Assignment> Bind(const std::vector<std::vector<int64_t>>& shapes) {
    std::vector<ir::Tensor> inputs;
    for (const std::vector<int64_t>& shape : shapes)
      inputs.push_back(*ir::Tensor::Allocate(ir::DType::kF32, shape));
    return BindSymbols(graph_, inputs);
  }
  std::string Refusal(const std::vector<std::vector<int64_t>>& shapes) {
    const absl::StatusOr<solver::Assignment> bound = Bind(shapes);
    EXPECT_EQ(bound.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(bound.status().message());
  }

  ir::Graph graph_;
};

TEST_F(BindSymbolsTest, SymbolsConstantsAndAffineDims) {
  const Expr n = Dim("N"), h = Dim("H"), k = Dim("K");
  // K is only seen in an affine dim, and before the N that it depends on.
  Input("a", {2 * k + n, 3});
  Input("b", {n, h, h - 1});
  const absl::StatusOr<solver::Assignment> bound = Bind({{12, 3}, {2, 7, 6}});
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(*bound, (solver::Assignment{{"H", 7}, {"K", 5}, {"N", 2}}));
}

TEST_F(BindSymbolsTest, MismatchesNameInputAxisAndValues) {
  const Expr n = Dim("N");
  Input("a", {n, 3});
  Input("b", {n, 2 * n});
  EXPECT_EQ(Refusal({{2, 4}, {2, 4}}), "input `a` axis 1 is 4, expected 3");
  EXPECT_EQ(Refusal({{2, 3}, {1, 4}}), "input `b` axis 0 is 1, expected 2 = `N` for N=2");
  EXPECT_EQ(Refusal({{2, 3}, {2, 5}}), "input `b` axis 1 is 5, expected 4 = `2*N` for N=2");
  EXPECT_EQ(Refusal({{2, 3}}), "1 inputs; the graph has 2");
  EXPECT_EQ(Refusal({{2, 3}, {2}}), "input `b` is `f32[2]`, expected `f32[N,2*N]`");
}

TEST_F(BindSymbolsTest, DeclaredFactsAreChecked) {
  Input("a", {Dim("N", {2, 4})});
  Input("b", {Dim("H", {1, 100}, {8, 4})});
  EXPECT_TRUE(Bind({{4}, {12}}).ok());
  EXPECT_EQ(Refusal({{5}, {12}}), "dim `N` is 5, declared is 2 <= N <= 4 (--dim N)");
  EXPECT_EQ(Refusal({{4}, {13}}), "dim `H` is 13, declared is H % 8 == 4 (--dim H)");
  EXPECT_EQ(Refusal({{0}, {12}}), "dim `N` is 0, declared is 2 <= N <= 4 (--dim N)");
}

TEST_F(BindSymbolsTest, FactsBetweenSymbolsAreChecked) {
  const Expr n = Dim("N"), m = Dim("M");
  ASSERT_TRUE(graph_.context().Assume(solver::Le(n * n, m), "the test").ok());
  Input("a", {n, m});
  EXPECT_TRUE(Bind({{3, 9}}).ok());
  EXPECT_NE(Refusal({{3, 8}}).find("(the test)"), std::string::npos);
}

TEST_F(BindSymbolsTest, SymbolsThatFactsDetermineNeedNoInput) {
  const Expr n = Dim("N"), m = Dim("M");
  Input("a", {n, m});
  ASSERT_TRUE(graph_.context().Assume(solver::Eq(m, 2 * n), "the test").ok());
  EXPECT_TRUE(Bind({{3, 6}}).ok());
  EXPECT_FALSE(Bind({{3, 7}}).ok());
}

TEST_F(BindSymbolsTest, AnAffineDimThatNoSizeGivesIsRefused) {
  Input("a", {2 * Dim("N") + 1});
  EXPECT_TRUE(Bind({{7}}).ok());
  EXPECT_EQ(Refusal({{6}}),
            "input `a` axis 0 is 6, expected `2*N + 1`: no `N` follows from the inputs' shapes");
}

TEST_F(BindSymbolsTest, AnUndeterminedSymbolIsRefused) {
  const Expr n = Dim("N"), m = Dim("M");
  Input("a", {n + m});
  EXPECT_NE(Refusal({{6}}).find("follows from the inputs' shapes"), std::string::npos);
}

}  // namespace
}  // namespace tessera::reference
