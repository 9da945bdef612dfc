// Graphs of layers of any size for tests, and whether their plans compute what they do.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_TEST_NETWORK_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_TEST_NETWORK_H_

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "ir/text.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "support/random_tensor.h"
#include "targets/npu/execution/frames.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/legalize.h"
#include "targets/npu/legalization/run_plan.h"
#include "targets/reference/executor.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::npu::example {

using ir::Attribute;
using ir::Value;
using Ints = std::vector<int64_t>;

class Network {
 public:
  Network() : rewriter_(graph_), builder_(rewriter_) {
    ir::Registry::Global().Add(ops::CoreOps());
    RegisterLayers();
  }

  Value* Input(const Ints& shape, const std::string& name = "x") {
    const auto value = rewriter_.AddInput(name, {ir::DType::kF32, {shape.begin(), shape.end()}});
    EXPECT_TRUE(value.ok()) << value.status();
    return *value;
  }
  Value* Frames(const Ints& rest) {
    std::vector<ir::Expr> dims = {graph_.context().Symbol("N")};
    dims.insert(dims.end(), rest.begin(), rest.end());
    return *rewriter_.AddInput("x", {ir::DType::kF32, dims});
  }
  // -1 is the symbol N, which is at least `least`.
  Value* Timed(const Ints& shape, int64_t least, const std::string& name = "x") {
    const auto symbol = graph_.context().Declare("N", {least, int64_t{1} << 20}, {}, "");
    EXPECT_TRUE(symbol.ok()) << symbol.status();
    std::vector<ir::Expr> dims;
    for (const int64_t dim : shape) dims.push_back(dim < 0 ? Symbol() : ir::Expr(dim));
    return *rewriter_.AddInput(name, {ir::DType::kF32, dims});
  }
  // A further one.
  Value* AlsoTimed(const Ints& shape, const std::string& name) {
    std::vector<ir::Expr> dims;
    for (const int64_t dim : shape) dims.push_back(dim < 0 ? Symbol() : ir::Expr(dim));
    return *rewriter_.AddInput(name, {ir::DType::kF32, dims});
  }
  Value* Integers(const Ints& list) {
    return builder_.Constant(
        ir::Tensor::Of<int64_t>(ir::DType::kI64, {static_cast<int64_t>(list.size())}, list));
  }
  Value* Index(int64_t index) {
    return builder_.Constant(ir::Tensor::Of<int64_t>(ir::DType::kI64, {}, {&index, 1}));
  }
  Value* Floats(const std::vector<float>& numbers, const Ints& shape) {
    return builder_.Constant(
        ir::Tensor::Of<float>(ir::DType::kF32, shape, absl::MakeConstSpan(numbers)));
  }
  Value* Random(const Ints& shape) {
    return builder_.Constant(*support::RandomTensor(ir::DType::kF32, shape, ++seed_));
  }
  Value* Ones(const Ints& shape) {
    return builder_.Fill(1, {shape.begin(), shape.end()}, ir::DType::kF32);
  }
  Value* Number(double value) { return builder_.Fill(value, {}, ir::DType::kF32); }
  Value* Npu(std::string_view op, std::vector<Value*> operands,
             const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs = {}) {
    return Op("npu", op, std::move(operands), attrs);
  }
  Value* Core(std::string_view op, std::vector<Value*> operands,
              const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs = {}) {
    return Op("core", op, std::move(operands), attrs);
  }
  std::vector<Value*> CoreResults(
      std::string_view op, std::vector<Value*> operands,
      const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs) {
    std::vector<Value*> results = builder_.Create("core", op, std::move(operands), attrs);
    EXPECT_TRUE(builder_.ok()) << builder_.status();
    return results;
  }
  Value* Reshaped(Value* x, const Ints& shape) {
    return Core("Reshape", {x}, {{"shape", Attribute(shape)}});
  }
  Value* Rows(Value* x, int64_t rows) {
    const int64_t columns = *x->type().dims.back().Constant();
    return Npu("WeightedRows", {x, Random({rows, columns}), Random({rows})});
  }
  void Output(Value* value, const std::string& name = "y") {
    EXPECT_TRUE(rewriter_.AddOutput(name, value).ok());
  }

  ir::Expr Symbol() { return graph_.context().Symbol("N"); }

  // What a target runs before the plan is made; what it computes stays what it was.
  void RunPipeline(int64_t frames = 4) {
    passes::Pipeline pipeline = passes::CanonicalPipeline();
    for (const passes::Pass& pass : LegalizationPipeline()) pipeline.push_back(pass);
    std::vector<passes::PassReport> reports;
    std::vector<ir::Tensor> inputs = Inputs(frames);
    const std::vector<ir::Tensor> before = Reference(inputs);
    const absl::Status status = passes::Run(graph_, pipeline, {}, reports);
    ASSERT_TRUE(status.ok()) << status;
    ExpectNear(Reference(inputs), before);
  }

  absl::StatusOr<Plan> PlanFor(const std::string& device, bool fallback = false) {
    Options options;
    options.host_fallback = fallback;
    return Legalize(graph_, *FindDevice(device), options);
  }

  // The plan and the reference agree; `frames` is the size of N.
  void Check(const std::string& device, bool fallback = false, int64_t frames = 3) {
    SCOPED_TRACE(device);
    const absl::StatusOr<Plan> plan = PlanFor(device, fallback);
    ASSERT_TRUE(plan.ok()) << plan.status();
    const std::vector<ir::Tensor> inputs = Inputs(frames);
    const auto actual = RunPlan(*plan, inputs);
    ASSERT_TRUE(actual.ok()) << actual.status();
    ExpectNear(*actual, Reference(inputs));
    CheckForm(*plan);
  }

  // In frames: for any number of entries, and cut into runs of some frames the same bits.
  void CheckStream(const std::string& device, int64_t frame, const Ints& lengths) {
    SCOPED_TRACE(absl::StrCat(device, ", frames of ", frame));
    Options options;
    options.stream = "N";
    options.frame = frame;
    const absl::StatusOr<Plan> plan = Legalize(graph_, *FindDevice(device), options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    CheckForm(*plan);
    for (const int64_t length : lengths) {
      SCOPED_TRACE(absl::StrCat(length, " entries"));
      const std::vector<ir::Tensor> inputs = Inputs(length);
      absl::StatusOr<PlanRunner> whole = PlanRunner::Create(*plan, inputs);
      ASSERT_TRUE(whole.ok()) << whole.status();
      const auto actual = whole->RunLast(inputs);
      ASSERT_TRUE(actual.ok()) << actual.status();
      ExpectNear(*actual, Reference(inputs));
      // One frame after the other.
      absl::StatusOr<PlanRunner> pieces = PlanRunner::Create(*plan, inputs);
      ASSERT_TRUE(pieces.ok()) << pieces.status();
      std::vector<std::vector<ir::Tensor>> parts(plan->outputs.size());
      for (int64_t at = 0; at < length; at += frame) {
        std::vector<ir::Tensor> part = inputs;
        for (size_t i = 0; i < part.size(); ++i) {
          for (const FrameAxis& axis : plan->frame_inputs) {
            if (axis.name == plan->inputs[i])
              part[i] = *FrameOf(inputs[i], static_cast<int>(axis.axis), at,
                                 std::min(frame, length - at));
          }
        }
        const auto yields = pieces->Run(part);
        ASSERT_TRUE(yields.ok()) << yields.status();
        for (size_t k = 0; k < parts.size(); ++k) parts[k].push_back((*yields)[k]);
      }
      // A last frame that was not full has ended the stream.
      if (length % frame == 0) {
        const auto yields = pieces->RunLast({});
        ASSERT_TRUE(yields.ok()) << yields.status();
        for (size_t k = 0; k < parts.size(); ++k) parts[k].push_back((*yields)[k]);
      }
      for (const FrameAxis& axis : plan->frame_outputs) {
        for (size_t k = 0; k < parts.size(); ++k) {
          if (plan->outputs[k] != axis.name) continue;
          if (axis.axis < 0) {  // as the last run leaves it
            EXPECT_TRUE(parts[k].back().bytes() == (*actual)[k].bytes()) << "output " << k;
            continue;
          }
          int64_t from = 0;
          for (const ir::Tensor& part : parts[k]) {
            const int64_t count = part.shape()[static_cast<size_t>(axis.axis)];
            const absl::StatusOr<ir::Tensor> same =
                FrameOf((*actual)[k], static_cast<int>(axis.axis), from, count);
            ASSERT_TRUE(same.ok()) << same.status();
            EXPECT_TRUE(part.bytes() == same->bytes()) << "output " << k << " from " << from;
            from += count;
          }
          EXPECT_EQ(from, (*actual)[k].shape()[static_cast<size_t>(axis.axis)]);
        }
      }
    }
  }
  std::string StreamRefusal(int64_t frame) {
    Options options;
    options.stream = "N";
    options.frame = frame;
    const absl::StatusOr<Plan> plan = Legalize(graph_, *FindDevice("gna-3.0"), options);
    return plan.ok() ? "" : std::string(plan.status().message());
  }
  const ir::Graph& graph() const { return graph_; }
  ir::Graph& graph() { return graph_; }

  std::string Refusal(const std::string& device, bool fallback = false) {
    const absl::StatusOr<Plan> plan = PlanFor(device, fallback);
    return plan.ok() ? "" : std::string(plan.status().message());
  }

 private:
  Value* Op(std::string_view dialect, std::string_view op, std::vector<Value*> operands,
            const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs) {
    const std::vector<Value*> results = builder_.Create(dialect, op, std::move(operands), attrs);
    EXPECT_TRUE(builder_.ok()) << builder_.status();
    return results.empty() ? nullptr : results[0];
  }

  std::vector<ir::Tensor> Inputs(int64_t frames) const {
    std::vector<ir::Tensor> inputs;
    for (const Value* input : graph_.inputs()) {
      Ints shape;
      for (const ir::Expr& dim : input->type().dims)
        shape.push_back(dim.Constant().value_or(frames));
      inputs.push_back(*support::RandomTensor(ir::DType::kF32, shape, 7));
    }
    return inputs;
  }

  std::vector<ir::Tensor> Reference(const std::vector<ir::Tensor>& inputs) const {
    const auto executor = reference::Executor::Create(graph_);
    EXPECT_TRUE(executor.ok()) << executor.status();
    if (!executor.ok()) return {};
    auto outputs = executor->Run(inputs);
    EXPECT_TRUE(outputs.ok()) << outputs.status();
    return outputs.ok() ? *std::move(outputs) : std::vector<ir::Tensor>();
  }

  static void ExpectNear(const std::vector<ir::Tensor>& actual,
                         const std::vector<ir::Tensor>& expected) {
    ASSERT_EQ(actual.size(), expected.size());
    ASSERT_FALSE(expected.empty());
    for (size_t k = 0; k < expected.size(); ++k) {
      ASSERT_EQ(actual[k].shape(), expected[k].shape());
      for (int64_t i = 0; i < expected[k].size(); ++i) {
        ASSERT_NEAR(actual[k].AsDouble(i), expected[k].AsDouble(i), 1e-4)
            << "output " << k << ", element " << i;
      }
    }
  }

  // What the device takes: layers, views, and tables that stand behind a sum nothing else reads.
  static void CheckForm(const Plan& plan) {
    for (const Stretch& stretch : plan.stretches) {
      if (stretch.side == Stretch::Side::kHost) continue;
      for (const ir::Operation* op : stretch.graph->TopologicalOrder()) {
        if (op->info().role != ir::Role::kNone) {
          EXPECT_NE(op->info().role, ir::Role::kTranspose);
          continue;
        }
        if (!IsTable(*op)) {
          EXPECT_LE(StepOf(*op) == Step::kJoin || StepOf(*op) == Step::kPart ? Step::kAffine
                                                                             : StepOf(*op),
                    Step::kDeinterleave)
              << op->info().name;
          EXPECT_NE(StepOf(*op), Step::kNone) << op->info().name;
          if (StepOf(*op) == Step::kCopy) {
            EXPECT_EQ(ElementCountOf(*op->operand(0)) % 8, 0) << ir::Print(*stretch.graph);
          }
          if (StepOf(*op) == Step::kImage) {
            const Ints image = ShapeOf(*op->operand(0)), filters = ShapeOf(*op->operand(1));
            EXPECT_LE(filters[1], image[1]);
            EXPECT_LE(filters[2], image[2]);
          }
          continue;
        }
        const Value* data = nullptr;
        for (const Value* operand : op->operands()) {
          if (operand != nullptr && operand->constant() == nullptr) data = operand;
        }
        ASSERT_NE(data->producer(), nullptr);
        EXPECT_TRUE(IsTable(*data->producer()) || IsSum(StepOf(*data->producer())));
        EXPECT_EQ(data->UsesUnsorted().size(), 1u);
        EXPECT_FALSE(data->is_graph_output());
      }
    }
  }

  ir::Graph graph_;
  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;
  uint64_t seed_ = 0;
};

}  // namespace tessera::npu::example

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_TEST_NETWORK_H_
