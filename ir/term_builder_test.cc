#include "ir/term_builder.h"

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/test_dialect.h"

namespace tessera::ir {
namespace {

class TermBuilderTest : public testing::Test {
 protected:
  void SetUp() override {
    RegisterOpsForTest();
    h_ = graph_.context().Symbol("H");
    x_ = *rewriter_.AddInput("x", {DType::kF32, {h_ + 1, 4}});
  }
  std::string Failure() {
    std::string message(builder_.status().message());
    builder_.Reset();
    return message;
  }

  Graph graph_;
  Rewriter rewriter_{graph_};
  TermBuilder builder_{rewriter_};
  Expr h_;
  Value* x_ = nullptr;
};

TEST_F(TermBuilderTest, AttributesTakeTheDeclaredKind) {
  const auto zoo = builder_.Create("t", "Zoo", {x_},
                                   {{"i", Expr(5)},
                                    {"f", int64_t{2}},
                                    {"b", int64_t{7}},
                                    {"mode", std::string_view("reflect")},
                                    {"d", int64_t{9}},
                                    {"is", std::vector<Expr>{1, 2}},
                                    {"fs", std::vector<int64_t>{3}},
                                    {"ds", std::vector<int64_t>{4, 5}}});
  ASSERT_EQ(zoo.size(), 1u) << builder_.status();
  const Operation& op = *zoo[0]->producer();
  EXPECT_EQ(op.attr(0), Attribute(int64_t{5}));
  EXPECT_EQ(op.attr(1), Attribute(2.0));
  EXPECT_EQ(op.attr(2), Attribute(int64_t{1}));
  EXPECT_EQ(op.attr(3), Attribute(int64_t{1}));
  EXPECT_EQ(op.attr(4), Attribute(DType::kI32)) << "the default";
  EXPECT_EQ(op.attr(5), Attribute(Expr(9)));
  EXPECT_EQ(op.attr(6), Attribute(std::vector<int64_t>{1, 2}));
  EXPECT_EQ(op.attr(7), Attribute(std::vector<double>{3}));
  EXPECT_EQ(op.attr(8), Attribute(std::vector<Expr>{4, 5}));
  const auto like = builder_.CreateLike(op, {x_}, {{"f", 0.5}});
  ASSERT_EQ(like.size(), 1u);
  EXPECT_EQ(like[0]->producer()->attr(1), Attribute(0.5));
  EXPECT_EQ(like[0]->producer()->attr(3), Attribute(int64_t{1}));
}

TEST_F(TermBuilderTest, ErrorsNameOpAndAttribute) {
  builder_.Create("t", "Zoo", {x_}, {{"i", h_}});
  EXPECT_EQ(Failure(), "`t.Zoo`: attribute `i` is an integer, which `H` is not");
  builder_.Create("t", "Zoo", {x_}, {{"is", std::vector<Expr>{h_}}});
  EXPECT_EQ(Failure(), "`t.Zoo`: attribute `is` is a list of integers, which `[H]` is not");
  builder_.Create("t", "Zoo", {x_}, {{"mode", std::string_view("mirror")}});
  EXPECT_EQ(Failure(), "`t.Zoo`: attribute `mode` has no name `mirror`");
  builder_.Create("t", "Zoo", {x_}, {{"i", std::string_view("mirror")}});
  EXPECT_EQ(Failure(), "`t.Zoo`: attribute `i` is an integer, not `mirror`");
  builder_.Create("t", "Zoo", {x_}, {{"nix", int64_t{1}}});
  EXPECT_EQ(Failure(), "`t.Zoo`: no attribute `nix`");
  builder_.Create("t", "Nix", {x_}, {});
  EXPECT_EQ(Failure(), "`t.Nix`: no such op");
  EXPECT_EQ(graph_.operation_count(), 0u);
}

TEST_F(TermBuilderTest, TheFirstErrorSticks) {
  EXPECT_TRUE(builder_.Create("t", "Nix", {}, {}).empty());
  EXPECT_TRUE(builder_.Create("t", "Relu", {x_}, {}).empty());
  EXPECT_EQ(builder_.Constant(Tensor()), nullptr);
  EXPECT_EQ(builder_.Fill(1, {2}, DType::kF32), nullptr);
  EXPECT_EQ(builder_.TensorOf(std::vector<int64_t>{1}, DType::kI64), nullptr);
  EXPECT_EQ(builder_.ScalarOf(1.5, DType::kF32), nullptr);
  EXPECT_FALSE(builder_.Proves(solver::Ge(h_, 1)));
  EXPECT_EQ(graph_.operation_count(), 0u);
  builder_.Refuse("because");
  EXPECT_EQ(builder_.refusal(), "because");
  builder_.Reset();
  EXPECT_TRUE(builder_.ok());
  EXPECT_EQ(builder_.refusal(), "");
  EXPECT_EQ(builder_.Create("t", "Relu", {x_}, {}).size(), 1u);
}

TEST_F(TermBuilderTest, BuildersExpandAndAreChecked) {
  const auto twice = builder_.Create("t", "Twice", {x_}, {});
  ASSERT_EQ(twice.size(), 1u) << builder_.status();
  EXPECT_EQ(twice[0]->producer()->info().name, "Add");
  Value* scalar = builder_.ScalarOf(1.0, DType::kF32);
  builder_.Create("t", "Twice", {scalar}, {});
  EXPECT_TRUE(absl::StrContains(Failure(), "`t.Twice`: constraint `rank.x`: a scalar"));
  Value* one = builder_.Fill(1, {1, 1}, DType::kF32);
  builder_.Create("t", "Twice", {one}, {});
  EXPECT_TRUE(absl::StrContains(Failure(), "constraint `size.x`: too small"));
  builder_.Create("t", "Twice", {nullptr}, {});
  EXPECT_TRUE(absl::StrContains(Failure(), "operand 0 `x` is absent"));
}

TEST_F(TermBuilderTest, Tensors) {
  Value* fill = builder_.Fill(1.5, {3, 5}, DType::kF16);
  ASSERT_NE(fill, nullptr) << builder_.status();
  EXPECT_EQ(fill->type().ToString(), "f16[3,5]");
  EXPECT_TRUE(IsSplat(fill, 1.5));
  EXPECT_FALSE(IsSplat(fill, 1));
  EXPECT_FALSE(IsSplat(x_, 1.5));
  EXPECT_EQ(builder_.Fill(0, {h_}, DType::kF32), nullptr);
  EXPECT_EQ(Failure(), "`H` is symbolic where a number is needed");

  Value* symbolic = builder_.TensorOf(std::vector<Expr>{h_, 2}, DType::kI64);
  std::vector<Expr> elements;
  EXPECT_FALSE(IsConstant(symbolic));
  ASSERT_TRUE(ElementsOf(symbolic, elements));
  EXPECT_EQ(elements, (std::vector<Expr>{h_, 2}));
  Value* numbers = builder_.TensorOf(std::vector<int64_t>{3, -4}, DType::kI32);
  EXPECT_EQ(numbers->constant()->AsInt(1), -4);
  EXPECT_EQ(builder_.TensorOf(std::vector<int64_t>{300}, DType::kI8), nullptr);
  EXPECT_TRUE(absl::StrContains(Failure(), "element 300 does not fit i8"));
  EXPECT_EQ(builder_.TensorOf(std::vector<int64_t>{3}, DType::kF32)->constant()->AsDouble(0), 3);
  EXPECT_EQ(builder_.TensorOf(std::vector<double>{0.5}, DType::kF32)->constant()->AsDouble(0), 0.5);
  EXPECT_EQ(builder_.ScalarOf(h_ + 1, DType::kI64)->type().ToString(), "i64[]");
  EXPECT_EQ(builder_.ScalarOf(int64_t{7}, DType::kI64)->constant()->AsInt(0), 7);
  EXPECT_EQ(builder_.ScalarOf(-7.0, DType::kI8)->constant()->AsInt(0), -7);
  for (const double number : {0.5, -1.0, 256.0, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(builder_.ScalarOf(number, DType::kU8), nullptr);
    EXPECT_TRUE(absl::StrContains(Failure(), "does not fit u8"));
  }
  // Too large to be tracked on the value, and still known.
  Value* large = builder_.Fill(2, {2000}, DType::kI32);
  EXPECT_EQ(large->elements(), nullptr);
  ASSERT_TRUE(ElementsOf(large, elements));
  EXPECT_EQ(elements.size(), 2000u);
  EXPECT_FALSE(ElementsOf(x_, elements));
}

TEST_F(TermBuilderTest, GuardsCountOnlyWhatIsProved) {
  EXPECT_TRUE(builder_.Proves(solver::Ge(h_, 1)));
  EXPECT_FALSE(builder_.Proves(solver::Ge(h_, 2)));
  EXPECT_FALSE(builder_.Proves(Expr::Invalid()));
  EXPECT_TRUE(builder_.ok());
  EXPECT_TRUE(IsStatic(Expr(3)));
  EXPECT_FALSE(IsStatic(std::vector<Expr>{3, h_}));
  EXPECT_EQ(builder_.HostInt(Expr(3)), 3);
  const auto relu = builder_.Create("t", "Relu", {x_}, {});
  builder_.Create("t", "Add", {relu[0], relu[0]}, {});
  ASSERT_TRUE(rewriter_.AddOutput("y", relu[0]).ok());
  EXPECT_EQ(UseCount(relu[0]), 3);
}

TEST(RegistryTest, FindsWhatWasAdded) {
  RegisterOpsForTest();
  RegisterOpsForTest();
  const Registry& registry = Registry::Global();
  EXPECT_EQ(registry.Find("t", "Relu"), &OpForTest("Relu"));
  EXPECT_EQ(registry.Find("t", "Nix"), nullptr);
  EXPECT_EQ(registry.Find("u", "Relu"), nullptr);
  EXPECT_EQ(registry.WithRole("t", Role::kReshape), &OpForTest("Reshape"));
  EXPECT_EQ(registry.WithRole("t", Role::kTranspose), nullptr);
  EXPECT_EQ(registry.Find("ir", "Constant"), &ConstantInfo());
  const auto ops = registry.Ops("t");
  EXPECT_EQ(ops.front()->name, "Add");
  EXPECT_EQ(ops.back()->name, "Zoo");
  EXPECT_TRUE(registry.WithCode("t", 3) == nullptr);
}

TEST(RegistryTest, ImportsAndRewritesByName) {
  static const ImportInfo kImports[] = {{"Relu", "", 1, 5, {}, nullptr},
                                        {"Relu", "", 6, 99, {}, nullptr},
                                        {"Relu", "com.x", 1, 99, {}, nullptr}};
  static const RewriteInfo kRewrites[] = {
      {"one", "Relu", nullptr}, {"last", "Relu", nullptr}, {"two", "Relu", nullptr}};
  static const std::string_view kLate[] = {"last"};
  static const absl::Span<const ImportInfo> kImportLists[] = {kImports};
  static const absl::Span<const RewriteInfo> kRewriteLists[] = {kRewrites};
  Registry registry;
  const Dialect dialect{"d", {}, kImportLists, kRewriteLists, kLate};
  registry.Add(dialect);
  registry.Add(dialect);
  EXPECT_EQ(registry.Imports("", "Relu").size(), 2u);
  EXPECT_EQ(registry.Imports("com.x", "Relu").size(), 1u);
  EXPECT_TRUE(registry.Imports("", "Elu").empty());
  EXPECT_EQ(registry.AllImports().size(), 3u);
  ASSERT_EQ(registry.RewritesAt("Relu").size(), 2u);
  EXPECT_EQ(registry.RewritesAt("Relu")[1]->name, "two");
  EXPECT_TRUE(registry.RewritesAt("Elu").empty());
  ASSERT_EQ(registry.LateRewritesAt("Relu").size(), 1u);
  EXPECT_EQ(registry.LateRewritesAt("Relu")[0]->name, "last");
  EXPECT_TRUE(registry.LateRewritesAt("Elu").empty());
}

TEST(RegistryDeathTest, OneNameIsOneOp) {
  RegisterOpsForTest();
  OpInfo other{};
  other.dialect = "t";
  other.name = "Relu";
  const OpInfo* const ops[] = {&other};
  EXPECT_DEATH(Registry::Global().Add(Dialect{"t", ops, {}, {}}), "redefinition of op `Relu`");
}

}  // namespace
}  // namespace tessera::ir
