#include "codegen/support_emitter.h"

#include <fstream>
#include <string>

#include "codegen/manual_emitter.h"
#include "gtest/gtest.h"

namespace tessera::codegen {
namespace {

constexpr char kCore[] = R"(
op Whole {
  doc "One operator does it."
  type T : float
  in  x : T[D...]
  attr k : int = 1 where it > 0
  out y : T[D...]
  require small len(D) < 9 else "rank {len(D)} | too high"
  ref y[i...] = x[i...]
  onnx "Whole" since 1 until 6 { }
  onnx "Whole" since 7 { }
  lower toy { when k == 1 => ONE(moved(x))  otherwise => unsupported "k is {k}" }
  example { x = [1]  y = [1] }
  reject small { x = f32[1, 1, 1, 1, 1, 1, 1, 1, 1] }
}
op Parts {
  doc "Two operators do it."
  type T : float
  in  x : T[D...]
  out y : T[D...]
  ref y[i...] = x[i...]
  onnx "Parts" since 9 until 10 { }
  onnx "Old" since 1 until 3 => Whole(x)
  onnx "Old" since 5 until 5 => Whole(x)
  lower toy { let half = TWO(x)  otherwise => ONE(half) }
}
op Never {
  doc "Nothing does it."
  type T : float
  in  x : T[D...]
  out y : T[D...]
  ref y[i...] = x[i...]
  onnx "Never" domain "our.own" since 1 { }
  lower toy { otherwise => unsupported "toys cannot" }
}
builder Built {
  doc "Made of others."
  type T : float
  in  x : T[D...]
  out y : T[D...]
  body { let inner = Parts(x)  Whole(inner) }
  onnx "Built" since 2 { }
}
builder Hopeless {
  doc "Made of what nothing does."
  type T : float
  in  x : T[D...]
  out y : T[D...]
  body { Whole(Never(x)) }
  onnx "Hopeless" since 2 { }
}
)";

constexpr char kToy[] = R"(dialect toy
fn moved(x) = rank(x) == 1 ? x : TWO(MOVE(x))
op ONE { doc "1" type T : float  in x : T[D...]  out y : T[D...]  ref y[i...] = x[i...]  code 1 version 2 }
op TWO { doc "2" type T : float  in x : T[D...]  out y : T[D...]  ref y[i...] = x[i...]  code 2 version 1 }
op MOVE { doc "3" role transpose type T : float  in x : T[D...]  out y : T[D...]  ref y[i...] = x[i...]  code 3 version 1 }
)";

class SupportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string core = ::testing::TempDir() + "/core.op",
                      toy = ::testing::TempDir() + "/toy.op";
    std::ofstream(core) << kCore;
    std::ofstream(toy) << kToy;
    Diagnostics diagnostics;
    program_.Load({core, toy}, diagnostics);
    ASSERT_TRUE(diagnostics.empty()) << diagnostics.Render();
    files_ = {program_.FileOf(core)};
  }
  TargetSupport Of(const std::string& op) {
    return SupportOf(program_, *program_.FindOp("core", op), "toy");
  }

  Program program_;
  std::vector<const File*> files_;
};

TEST_F(SupportTest, HowATargetHoldsAnOp) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(Of("Whole").how, TargetSupport::kDirectly);
  EXPECT_EQ(Of("Whole").operators, (Names{"ONE", "TWO"}));  // a role does not count
  EXPECT_EQ(Of("Whole").refusals, Names{"k is {k}"});
  EXPECT_EQ(Of("Parts").how, TargetSupport::kComposition);
  EXPECT_EQ(Of("Parts").operators, (Names{"ONE", "TWO"}));
  EXPECT_EQ(Of("Never").how, TargetSupport::kNot);
  EXPECT_EQ(Of("Never").refusals, Names{"toys cannot"});
  EXPECT_EQ(Of("Built").how, TargetSupport::kComposition);
  EXPECT_EQ(Of("Hopeless").how, TargetSupport::kNot);
}

TEST_F(SupportTest, OneRowPerOperatorOfOnnx) {
  const std::string text = EmitSupport(program_, files_);
  EXPECT_EQ(
      text,
      "6 operators of ONNX are imported and run on the reference. Target `toy` holds 4 of "
      "them: 2 directly, 2 by composition; 2 not.\n\n"
      "| ONNX | opsets | definition | reference | toy |\n|---|---|---|---|---|\n"
      "| `Built` | from 2 | [Built](docs/ops.md#built) | yes | by composition: `ONE`, `TWO` |\n"
      "| `Hopeless` | from 2 | [Hopeless](docs/ops.md#hopeless) | yes | no |\n"
      "| `Old` | 1 to 3, 5 | [Parts](docs/ops.md#parts) | yes | directly: `ONE`, `TWO` |\n"
      "| `Parts` | 9 to 10 | [Parts](docs/ops.md#parts) | yes | by composition: `ONE`, `TWO` |\n"
      "| `Whole` | from 1 | [Whole](docs/ops.md#whole) | yes | directly: `ONE`, `TWO`; not: k "
      "is {k} |\n"
      "| our.own `Never` | from 1 | [Never](docs/ops.md#never) | yes | no: toys cannot |\n");
}

// What a test of the target saw to hold needs no clause, and no more does what is made of it.
TEST_F(SupportTest, WhatExamplesShow) {
  Observed seen;
  AddObserved("toy", "Never example 1, numbers: small\nNever example 2: small large\n", seen);
  const auto of = [&](const std::string& op) {
    return SupportOf(program_, *program_.FindOp("core", op), "toy", seen);
  };
  EXPECT_EQ(of("Never").how, TargetSupport::kSeen);
  EXPECT_EQ(of("Never").places, (std::vector<std::string>{"small", "large"}));
  EXPECT_EQ(of("Hopeless").how, TargetSupport::kDirectly);
  EXPECT_EQ(of("Whole").how, TargetSupport::kDirectly);
  EXPECT_EQ(of("Whole").places, std::vector<std::string>{});
  const std::string text = EmitSupport(program_, files_, seen);
  EXPECT_NE(text.find("Target `toy` holds 6 of them: 3 directly, 2 by composition, 1 without a "
                      "clause; 0 not."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| yes | without a clause: small, large; not: toys cannot |"),
            std::string::npos)
      << text;
  EXPECT_NE(
      EmitManual(program_, files_, "Ops", seen)
          .find("On `toy`: no clause of its own; not otherwise: toys cannot; examples hold on "
                "small, large."),
      std::string::npos);
}

TEST_F(SupportTest, ManualSaysAllOfADefinition) {
  const std::string text = EmitManual(program_, files_, "Ops");
  EXPECT_EQ(text.substr(0, text.find("## Hopeless")).find("# Ops\n\n[Built](#built), [Hopeless]"),
            0u);
  const std::string whole = text.substr(text.find("## Whole"));
  EXPECT_EQ(whole,
            "## Whole\nOne operator does it.\n"
            "```\ntype T : float\nin   x : T[D...]\nattr k : int = 1 where it > 0\n"
            "out  y : T[D...]\n```\n\n"
            "| constraint | holds if | else |\n|---|---|---|\n"
            "| `where.k` | `it > 0` | `k` has {it} |\n"
            "| `small` | `len(D) < 9` | rank {len(D)} \\| too high |\n\n"
            "Value:\n```\ny[i...] = x[i...]\n```\n\n"
            "From ONNX: `Whole` (opsets from 1).\n\n"
            "On `toy`: directly, by `ONE`, `TWO`; not otherwise: k is {k}.\n\n"
            "Examples:\n```\nx = [1]  y = [1]\nreject small: x = f32[1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
            "```\n");
}

}  // namespace
}  // namespace tessera::codegen
