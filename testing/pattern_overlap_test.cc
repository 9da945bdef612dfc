#include "testing/pattern_overlap.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::testing {
namespace {

using ops::Literal;
using ops::Pattern;
using ops::RewriteExample;

Pattern Name(const std::string& name, bool optional = false) {
  return Pattern{Pattern::kName, name, "", "", 0, optional};
}
Pattern Pack(const std::string& name) { return Pattern{Pattern::kPack, name}; }
Pattern Number(double number) { return Pattern{Pattern::kNumber, "", "", "", number}; }
Pattern Op(const std::string& op, std::vector<Pattern> operands) {
  return Pattern{Pattern::kOp, op, "core", "", 0, false, std::move(operands)};
}
Pattern With(Pattern op, std::vector<std::pair<int, std::string>> names,
             std::vector<std::pair<int, ir::Attribute>> literals = {}) {
  op.attr_names = std::move(names);
  op.attr_literals = std::move(literals);
  return op;
}
Literal Filled(std::vector<int64_t> shape, std::vector<double> values) {
  return Literal{true, false, ir::DType::kF32, std::move(shape), std::move(values)};
}

std::string TextOf(const Pattern& pattern) {
  std::string text = pattern.text;
  if (pattern.kind == Pattern::kBlank) text = "_";
  if (pattern.kind == Pattern::kPack) text += "...";
  if (pattern.kind == Pattern::kNumber) text = absl::StrCat(pattern.number);
  if (pattern.kind != Pattern::kOp) return text;
  std::string operands;
  for (const Pattern& operand : pattern.operands)
    absl::StrAppend(&operands, operands.empty() ? "" : ", ", TextOf(operand));
  return absl::StrCat(text, "(", operands, ")");
}

// One line for each place, of four that differ in leaves only.
std::string OverlapsOf(const Pattern& outer, const Pattern& inner, bool at_root = true) {
  RewriteExample a, b;
  a.pattern = outer;
  b.pattern = inner;
  const std::vector<RewriteExample> overlaps = Overlaps(a, b, at_root);
  std::string text;
  for (size_t i = 0; i < overlaps.size(); i += 4)
    absl::StrAppend(&text, text.empty() ? "" : " | ", TextOf(overlaps[i].pattern));
  return text;
}

TEST(PatternOverlap, AtEachOperation) {
  const Pattern f_g = Op("F", {Op("G", {Name("x")}), Name("y")});
  EXPECT_EQ(OverlapsOf(f_g, Op("G", {Op("H", {Name("x")})})), "F(G(H(i.x)), o.y)");
  EXPECT_EQ(OverlapsOf(f_g, Op("F", {Name("x"), Op("H", {})})), "F(G(o.x), H())");
  EXPECT_EQ(OverlapsOf(f_g, Op("F", {Name("x"), Op("H", {})}), false), "");
  const Pattern f_f = Op("F", {Op("F", {Name("x")})});
  EXPECT_EQ(OverlapsOf(f_f, f_f), "F(F(o.x)) | F(F(F(i.x)))");
  EXPECT_EQ(OverlapsOf(f_f, Op("H", {Name("x")})), "");
}

// A name that stands twice is one thing.
TEST(PatternOverlap, NamesThatRepeat) {
  const Pattern twice = Op("F", {Name("x"), Op("G", {Name("x")})});
  EXPECT_EQ(OverlapsOf(twice, Op("F", {Op("H", {Name("a")}), Name("b")})), "F(H(i.a), G(H(i.a)))");
  EXPECT_EQ(OverlapsOf(twice, Op("F", {Op("H", {Name("a")}), Op("G", {Op("K", {})})})), "");
  // x would be G(x).
  EXPECT_EQ(OverlapsOf(twice, Op("F", {Name("a"), Name("a")})), "");
}

TEST(PatternOverlap, NumbersAndAbsentOperands) {
  EXPECT_EQ(OverlapsOf(Op("F", {Name("x"), Number(1)}), Op("F", {Number(2), Name("y")})),
            "F(2, 1)");
  EXPECT_EQ(OverlapsOf(Op("F", {Number(1)}), Op("F", {Number(2)})), "");
  EXPECT_EQ(OverlapsOf(Op("F", {Name("x")}), Op("F", {Name("x"), Name("y", true)})), "F(o.x, _)");
  EXPECT_EQ(OverlapsOf(Op("F", {Name("x")}), Op("F", {Name("x"), Name("y")})), "");
  EXPECT_EQ(OverlapsOf(Op("F", {Number(1)}), Op("F", {Op("G", {})})), "");
}

TEST(PatternOverlap, Packs) {
  const Pattern nested = Op("F", {Pack("a"), Op("F", {Pack("b")}), Pack("c")});
  EXPECT_EQ(OverlapsOf(nested, Op("F", {Name("x")})), "F(F(o.b...)) | F(o.a..., F(i.x), o.c...)");
  EXPECT_EQ(OverlapsOf(Op("F", {Name("x"), Pack("a")}), Op("F", {Name("p"), Name("q")})),
            "F(o.x, i.q)");
  EXPECT_EQ(OverlapsOf(nested, nested, false), "F(o.a..., F(i.a..., F(i.b...), i.c...), o.c...)");
}

TEST(PatternOverlap, Attributes) {
  const ir::Attribute one = int64_t{1}, two = int64_t{2};
  const auto f = [](auto... parts) { return With(Op("F", {Name("x")}), parts...); };
  using Names = std::vector<std::pair<int, std::string>>;
  using Literals = std::vector<std::pair<int, ir::Attribute>>;
  EXPECT_EQ(OverlapsOf(f(Names{}, Literals{{0, one}}), f(Names{}, Literals{{0, two}})), "");
  RewriteExample a, b;
  a.pattern = f(Names{{0, "k"}});
  a.attrs = {{"k", one}};
  b.pattern = f(Names{}, Literals{{0, two}});
  // The name is what the literal says.
  const std::vector<RewriteExample> fixed = Overlaps(a, b, true);
  ASSERT_EQ(fixed.size(), size_t{4});
  EXPECT_TRUE(fixed[0].attrs[0].second == two);
  // Of two names both have the value of one.
  b.pattern = f(Names{{0, "k"}});
  b.attrs = {{"k", two}};
  const std::vector<RewriteExample> shared = Overlaps(a, b, true);
  ASSERT_EQ(shared.size(), size_t{4});
  EXPECT_TRUE(shared[0].attrs[0].second == one && shared[0].attrs[1].second == one);
  EXPECT_TRUE(shared[1].attrs[0].second == two && shared[1].attrs[1].second == two);
}

TEST(PatternOverlap, LeavesOfEitherExample) {
  RewriteExample a, b;
  a.pattern = b.pattern = Op("F", {Name("x")});
  a.operands = {{"x", {Filled({3}, {4, 5, 6})}}};
  b.operands = {{"x", {Filled({}, {1})}}};
  std::vector<std::string> leaves;
  for (const RewriteExample& overlap : Overlaps(a, b, true)) {
    const Literal& leaf = overlap.operands[0].second[0];
    leaves.push_back(absl::StrCat(leaf.shape.size(), ":", leaf.values[0], " ", leaf.values.size()));
  }
  // The third: values that are as many as they are do not do for one.
  EXPECT_EQ(leaves, (std::vector<std::string>{"1:4 3", "1:1 3", "1:4 3", "0:1 1"}));
}

}  // namespace
}  // namespace tessera::testing
