#include "passes/deferred.h"

#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "ir/digest.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "passes/fold.h"
#include "targets/reference/run_op.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::passes {
namespace {

ir::Tensor Weights(std::vector<int64_t> shape) {
  const int64_t count =
      std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0.0f);
  return ir::Tensor::Of<float>(ir::DType::kF32, std::move(shape), values);
}

// `y = Transpose(w)`, then `tail`, which may go on from %2.
std::unique_ptr<ir::Graph> Network(const ir::Tensor& weights, const std::string& shape,
                                   const std::string& perm, const std::string& tail,
                                   const std::vector<int64_t>& factors = {}) {
  ir::Registry::Global().Add(ops::CoreOps());
  absl::StatusOr<std::unique_ptr<ir::Graph>> graph =
      ir::Parse(absl::StrCat("ir 1\ninput %0 \"x\" : f32[1]\n%1 = ir.Constant digest "
                             "000102030405060708090a0b0c0d0e0f : f32",
                             shape, "\n%2 = core.Transpose(%1) {perm=", perm, "}\n", tail),
                [&](const ir::Digest& digest) {
                  if (digest.high >> 60 == 0) return weights;
                  return Weights(factors);
                });
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : nullptr;
}

// As the definition makes it.
ir::Tensor Transposed(const ir::Tensor& x, const std::vector<int64_t>& perm) {
  const absl::StatusOr<std::vector<ir::Tensor>> y = reference::RunOp(
      *ir::Registry::Global().Find("core", "Transpose"), {&x}, {ir::Attribute(perm)});
  EXPECT_TRUE(y.ok()) << y.status();
  return y.ok() ? (*y)[0] : ir::Tensor();
}

// Parts of these sizes, one begun every `step` bytes, are as those of `expected`.
void ExpectParts(const ir::Tensor& made, const ir::Tensor& expected, size_t step,
                 const std::vector<size_t>& sizes) {
  const std::string all(reinterpret_cast<const char*>(expected.bytes().data()),
                        expected.byte_size());
  for (size_t begin = 0; begin < all.size(); begin += step) {
    for (const size_t size : sizes) {
      if (begin + size > all.size()) continue;
      std::vector<uint8_t> part(size);
      made.contents().Read(begin, absl::MakeSpan(part));
      ASSERT_TRUE(std::string(part.begin(), part.end()) == all.substr(begin, size))
          << size << " bytes at " << begin;
    }
  }
}

TEST(Rearranged, IsMadeAsItIsRead) {
  const ir::Tensor weights = Weights({130, 70, 3});
  const auto graph =
      Network(weights, "[130,70,3]", "[1,2,0]", "%3 = core.Add(%2, %0)\noutput \"y\" = %3\n");
  ASSERT_NE(graph, nullptr);
  PassContext context;
  const absl::StatusOr<PassResult> folded = FoldConstants(*graph, context);
  ASSERT_TRUE(folded.ok()) << folded.status();
  EXPECT_EQ(folded->rewrites, 1);
  const ir::Tensor* constant = nullptr;
  for (const ir::Operation* op : graph->TopologicalOrder()) {
    EXPECT_NE(op->info().name, "Transpose");
    if (op->payload() != nullptr) constant = op->payload();
  }
  ASSERT_NE(constant, nullptr);
  ASSERT_NE(constant->source(), nullptr) << "made at once";
  const ir::Tensor expected = Transposed(weights, {1, 2, 0});
  EXPECT_EQ(constant->shape(), expected.shape());
  EXPECT_EQ(ir::DigestOf(*constant), ir::DigestOf(expected));
  EXPECT_TRUE(ir::Identical(*constant, expected));
  // Any part of it, elements that are cut among them.
  ExpectParts(*constant, expected, 7919, {1, 4, 63, 2000});
  // Who reads elements has them.
  EXPECT_EQ(constant->AsDouble(5), expected.AsDouble(5));
  EXPECT_EQ(constant->data<float>()[27299], expected.data<float>()[27299]);
  EXPECT_TRUE(constant->bytes() == expected.bytes());
}

TEST(Rearranged, OfAnotherOneNothingIsMadeBetween) {
  const ir::Tensor weights = Weights({40, 50, 30});
  const auto graph = Network(weights, "[40,50,30]", "[2,0,1]",
                             "%3 = core.Transpose(%2) {perm=[0,2,1]}\n"
                             "%4 = core.Add(%3, %0)\noutput \"y\" = %4\n");
  ASSERT_NE(graph, nullptr);
  PassContext context;
  ASSERT_TRUE(FoldConstants(*graph, context).ok());
  for (const ir::Operation* op : graph->TopologicalOrder()) {
    if (op->payload() == nullptr) continue;
    EXPECT_NE(op->payload()->source(), nullptr);
    EXPECT_TRUE(ir::Identical(*op->payload(), Transposed(weights, {2, 1, 0})));
  }
}

TEST(Rearranged, OfOneInAnotherShapeToo) {
  const ir::Tensor weights = Weights({128, 200});
  const auto graph = Network(weights, "[128,200]", "[1,0]", "output \"y\" = %2\n");
  ASSERT_NE(graph, nullptr);
  const std::optional<ir::Tensor> once = FoldLater(*graph->outputs()[0]->producer());
  ASSERT_TRUE(once.has_value());
  const ir::Tensor reshaped = once->Reshaped({2, 100, 128});
  const auto again = Network(reshaped, "[2,100,128]", "[2,0,1]", "output \"y\" = %2\n");
  ASSERT_NE(again, nullptr);
  const std::optional<ir::Tensor> twice = FoldLater(*again->outputs()[0]->producer());
  ASSERT_TRUE(twice.has_value());
  EXPECT_TRUE(ir::Identical(
      *twice, Transposed(Transposed(weights, {1, 0}).Reshaped({2, 100, 128}), {2, 0, 1})));
}

TEST(Rearranged, OfAnotherShapeNothingIsCopied) {
  const ir::Tensor weights = Weights({128, 200});
  const auto graph = Network(weights, "[128,200]", "[1,0]",
                             "%3 = core.Reshape(%1) {shape=[2,64,200]}\n"
                             "%4 = core.Reshape(%2) {shape=[50,4,128]}\n"
                             "output \"x\" = %3\noutput \"y\" = %4\n");
  ASSERT_NE(graph, nullptr);
  PassContext context;
  ASSERT_TRUE(FoldConstants(*graph, context).ok());
  const ir::Tensor *const x = graph->outputs()[0]->constant(), *const y =
                                                                   graph->outputs()[1]->constant();
  ASSERT_TRUE(x != nullptr && y != nullptr);
  EXPECT_EQ(x->place(), weights.place());
  EXPECT_EQ(x->shape(), (std::vector<int64_t>{2, 64, 200}));
  EXPECT_NE(y->source(), nullptr);
  EXPECT_TRUE(ir::Identical(*y, Transposed(weights, {1, 0}).Reshaped({50, 4, 128})));
}

// A kernel that needs the elements has them, and they are not kept.
TEST(Rearranged, WhatIsFoldedOfThemIsAsOfTheResult) {
  const ir::Tensor weights = Weights({128, 200});
  const auto graph =
      Network(weights, "[128,200]", "[1,0]", "%3 = core.Mul(%2, %2)\noutput \"y\" = %3\n");
  ASSERT_NE(graph, nullptr);
  PassContext context;
  const absl::StatusOr<PassResult> folded = FoldConstants(*graph, context);
  ASSERT_TRUE(folded.ok()) << folded.status();
  EXPECT_EQ(folded->rewrites, 2);
  const ir::Tensor transposed = Transposed(weights, {1, 0});
  const ir::Tensor* const y = graph->outputs()[0]->constant();
  ASSERT_NE(y, nullptr);
  EXPECT_EQ(y->source(), nullptr) << "it is small";
  for (int64_t i = 0; i < y->size(); i += 97)
    ASSERT_EQ(y->data<float>()[i], transposed.data<float>()[i] * transposed.data<float>()[i]) << i;
}

// Of a large matrix that is scaled by columns, by rows and by one number nothing is computed yet,
// and each part is as of the whole.
TEST(Elementwise, IsComputedAsItIsRead) {
  const ir::Tensor weights = Weights({700, 513});
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{513}, std::vector<int64_t>{700, 1}, std::vector<int64_t>{}}) {
    const std::string scale = absl::StrJoin(shape, ",");
    const auto graph =
        Network(weights, "[700,513]", "[1,0]",
                absl::StrCat("%3 = core.Transpose(%2) {perm=[1,0]}\n%4 = ir.Constant digest "
                             "100102030405060708090a0b0c0d0e0f : f32[",
                             scale, "]\n%5 = core.Mul(%3, %4)\noutput \"y\" = %5\n"),
                shape);
    ASSERT_NE(graph, nullptr) << scale;
    const ir::Tensor factors = *graph->outputs()[0]->producer()->operand(1)->constant();
    PassContext context;
    ASSERT_TRUE(FoldConstants(*graph, context).ok());
    const ir::Tensor* const y = graph->outputs()[0]->constant();
    ASSERT_NE(y, nullptr);
    ASSERT_NE(y->source(), nullptr) << "computed at once";
    const absl::StatusOr<std::vector<ir::Tensor>> whole =
        reference::RunOp(*ir::Registry::Global().Find("core", "Mul"), {&weights, &factors}, {});
    ASSERT_TRUE(whole.ok()) << whole.status();
    ExpectParts(*y, (*whole)[0], 77777, {1, 64, 5000, 300000});
    EXPECT_TRUE(ir::Identical(*y, (*whole)[0]));
    EXPECT_TRUE(y->bytes() == (*whole)[0].bytes());
  }
}

// Transposed back, what it comes of is read as it is.
TEST(Elementwise, IsTransposedInside) {
  const ir::Tensor weights = Weights({513, 700});
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{513}, std::vector<int64_t>{700, 1}, std::vector<int64_t>{},
        std::vector<int64_t>{1, 1, 1}}) {
    const auto graph =
        Network(weights, "[513,700]", "[1,0]",
                absl::StrCat(
                    "%3 = ir.Constant digest 100102030405060708090a0b0c0d0e0f : f32[",
                    absl::StrJoin(shape, ","), "]\n%4 = core.Add(%2, %3)\n%5 = core.Transpose(%4) ",
                    shape.size() < 3 ? "{perm=[1,0]}" : "{perm=[2,0,1]}", "\noutput \"y\" = %5\n"),
                shape);
    ASSERT_NE(graph, nullptr);
    const ir::Operation& sum = *graph->outputs()[0]->producer()->operand(0)->producer();
    const ir::Tensor added = *sum.operand(1)->constant();
    const ir::Tensor turned = Transposed(weights, {1, 0});
    const absl::StatusOr<std::vector<ir::Tensor>> whole =
        reference::RunOp(*ir::Registry::Global().Find("core", "Add"), {&turned, &added}, {});
    ASSERT_TRUE(whole.ok()) << whole.status();
    PassContext context;
    ASSERT_TRUE(FoldConstants(*graph, context).ok());
    const ir::Tensor* const y = graph->outputs()[0]->constant();
    ASSERT_NE(y, nullptr);
    ASSERT_NE(y->source(), nullptr) << "computed at once";
    EXPECT_TRUE(ir::Identical(
        *y, Transposed((*whole)[0], shape.size() < 3 ? std::vector<int64_t>{1, 0}
                                                     : std::vector<int64_t>{2, 0, 1})));
  }
}

TEST(Rearranged, OfFewElementsItIsMadeAtOnce) {
  const auto graph = Network(Weights({20, 30}), "[20,30]", "[1,0]", "output \"y\" = %2\n");
  ASSERT_NE(graph, nullptr);
  EXPECT_FALSE(FoldLater(*graph->outputs()[0]->producer()).has_value());
}

}  // namespace
}  // namespace tessera::passes
