// Each `quantize` clause, and each kind that follows from a `ref`, holds on the op's examples.
#include "testing/quantize_traits.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/registry.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
absl::Span<const ir::QuantizeTrait> CoreTraits();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

const ops::OpExamples* ExamplesOf(std::string_view op) {
  for (const ops::OpExamples& examples : ops::CoreExamples()) {
    if (examples.op == op) return &examples;
  }
  return nullptr;
}

class QuantizeTraits : public ::testing::Test {
 protected:
  void SetUp() override { ir::Registry::Global().Add(ops::CoreOps()); }
};

TEST_F(QuantizeTraits, HoldOnTheExamples) {
  int looked = 0;
  for (const ir::QuantizeTrait& trait : ops::CoreTraits()) {
    const ops::OpExamples* const examples = ExamplesOf(trait.op);
    ASSERT_NE(examples, nullptr) << trait.op;
    if (trait.kind == ir::Quantizable::kNever) continue;
    ++looked;
    EXPECT_EQ(TraitComplaint(trait, *examples), "") << trait.op;
  }
  EXPECT_GT(looked, 15);
}

// The kinds are told apart: what is said of one op does not hold of another.
TEST_F(QuantizeTraits, OfOtherOpsDoNotHold) {
  const absl::Span<const ir::QuantizeTrait> all = ops::CoreTraits();
  const auto trait_of = [&](ir::Quantizable kind) {
    for (const ir::QuantizeTrait& trait : all) {
      if (trait.kind == kind) return trait;
    }
    return all.front();
  };
  using ir::Quantizable;
  for (const auto& [kind, as] : {std::pair{Quantizable::kSums, Quantizable::kInputs},
                                 std::pair{Quantizable::kClamps, Quantizable::kInputs},
                                 std::pair{Quantizable::kClamps, Quantizable::kSums},
                                 std::pair{Quantizable::kSums, Quantizable::kClamps},
                                 std::pair{Quantizable::kInputs, Quantizable::kAgnostic}}) {
    ir::QuantizeTrait trait = trait_of(kind);
    const ops::OpExamples* const examples = ExamplesOf(trait.op);
    ASSERT_NE(examples, nullptr);
    trait.kind = as;
    EXPECT_NE(TraitComplaint(trait, *examples), "") << trait.op;
  }
  ir::QuantizeTrait weights = trait_of(Quantizable::kWeights);
  const ops::OpExamples* const examples = ExamplesOf(weights.op);
  ASSERT_NE(examples, nullptr);
  ++weights.axis;
  EXPECT_NE(TraitComplaint(weights, *examples), "") << weights.op;
  --weights.axis;
  ++weights.result_axis;
  EXPECT_NE(TraitComplaint(weights, *examples), "") << weights.op;
  --weights.result_axis;
  weights.groups = -1;
  EXPECT_NE(TraitComplaint(weights, *examples), "") << weights.op;
}

}  // namespace
}  // namespace tessera::testing
