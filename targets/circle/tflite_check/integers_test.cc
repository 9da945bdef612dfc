// Every operator over integers in a TFLite runtime that is not ours, with its reference kernels:
// each example of each definition, with its own numbers and with others, in a file. Bit for bit
// what the definition says, and what our executor makes of the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codegen/support/examples.h"
#include "ir/checker.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "support/aligned_copy.h"
#include "targets/circle/compile.h"
#include "targets/circle/emission/emit.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/tflite.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/tflite_check/tflite_oracle.h"
#include "targets/reference/run_op.h"
#include "testing/body_tests.h"
#include "testing/example_case.h"

namespace tessera::ops {
const std::vector<OpExamples>& CircleIntegersExamples();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

using testing::Case;

constexpr int kVariants = 6;  // of each example, the first as it stands

template <class T>
ir::Tensor Drawn(const ir::Tensor& like, int64_t least, int64_t most, std::mt19937& random) {
  std::vector<T> values(static_cast<size_t>(like.size()));
  std::uniform_int_distribution<int64_t> draw(least, most);
  for (T& value : values) value = static_cast<T>(draw(random));
  return ir::Tensor::Of<T>(like.dtype(), {like.shape().begin(), like.shape().end()},
                           absl::MakeConstSpan(values));
}

// Other numbers of a tensor that is computed with.
ir::Tensor Other(const ir::Tensor& tensor, std::mt19937& random) {
  switch (tensor.dtype()) {
    case ir::DType::kI8:
      return Drawn<int8_t>(tensor, -127, 127, random);
    case ir::DType::kU8:
      return Drawn<uint8_t>(tensor, 0, 255, random);
    case ir::DType::kI16:
      return Drawn<int16_t>(tensor, -32768, 32767, random);
    case ir::DType::kI32:
      return Drawn<int32_t>(tensor, -30000, 30000, random);
    case ir::DType::kI64:
      return Drawn<int64_t>(tensor, -5000000, 5000000, random);
    case ir::DType::kF32: {
      std::vector<float> values;
      for (int64_t i = 0; i < tensor.size(); ++i) {
        values.push_back(tensor.data<float>()[i] *
                         std::uniform_real_distribution<float>(0.25f, 3.0f)(random));
      }
      return ir::Tensor::Of<float>(ir::DType::kF32, {tensor.shape().begin(), tensor.shape().end()},
                                   absl::MakeConstSpan(values));
    }
    default:
      return tensor;
  }
}

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.substr(text.size() - end.size()) == end;
}

// Whether an operand is a tensor with one scale, which a file may have as an input.
bool IsActivation(const ir::OpInfo& info, const ir::OperandSpec& spec) {
  return ir::FindAttr(info, absl::StrCat(std::string(spec.name), "_scale")) >= 0;
}

// Whether the constraints of the operator hold.
bool Admits(const Case& c, std::vector<ir::Attribute> attributes) {
  std::vector<std::vector<ir::Expr>> no_dims, no_elements;
  if (!c.info->complete(testing::Infos<ir::Expr>(c, no_dims, no_elements), attributes).ok())
    return false;
  ir::Checker<int64_t> checker;
  std::vector<std::vector<int64_t>> dims, elements;
  std::vector<ir::ResultInfo<int64_t>> results;
  return c.info->infer({testing::Infos<int64_t>(c, dims, elements), attributes}, checker, results)
      .ok();
}

class Network {
 public:
  // Appends the operator, with other tensors where `random` is there.
  void Append(const Case& c, const std::vector<ir::Attribute>& attributes, std::mt19937* random) {
    ir::Rewriter rewriter(graph_);
    ir::TermBuilder builder(rewriter);
    rewriter.SetLocation(ir::Location::Of(absl::StrCat(c.op->op, "_", count_)));
    std::vector<ir::Value*> values;
    std::vector<std::optional<ir::Tensor>> tensors;
    for (size_t i = 0; i < c.operands.size(); ++i) {
      if (c.operands[i] == nullptr) {
        values.push_back(nullptr);
        tensors.emplace_back();
        continue;
      }
      const ir::OperandSpec& spec = *ir::OperandSpecAt(*c.info, i);
      const ir::Tensor& tensor = *tensors.emplace_back(
          random == nullptr || spec.elements ? *c.operands[i] : Other(*c.operands[i], *random));
      if (!IsActivation(*c.info, spec)) {
        values.push_back(rewriter.CreateConstant(tensor));
        continue;
      }
      const ir::TensorType type{tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()}};
      const absl::StatusOr<ir::Value*> input =
          rewriter.AddInput(absl::StrCat("in", count_, "_", i), type);
      ASSERT_TRUE(input.ok()) << input.status();
      values.push_back(*input);
      inputs_.push_back(tensor);
    }
    while (!values.empty() && values.back() == nullptr) values.pop_back();
    std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
    for (size_t i = 0; i < attributes.size(); ++i) {
      if (!std::holds_alternative<std::monostate>(attributes[i]))
        attrs.emplace_back(c.info->attrs[i].name, attributes[i]);
    }
    const std::vector<ir::Value*> results = builder.Create(c.op->dialect, c.op->op, values, attrs);
    ASSERT_TRUE(builder.ok()) << builder.status();
    for (size_t i = 0; i < results.size(); ++i) {
      const absl::Status added =
          rewriter.AddOutput(absl::StrCat("out", count_, "_", i), results[i]);
      ASSERT_TRUE(added.ok()) << added;
    }
    ++count_;
    // What the text of the definition says, without kernels that are faster.
    std::vector<const ir::Tensor*> operands;
    for (const std::optional<ir::Tensor>& tensor : tensors)
      operands.push_back(tensor.has_value() ? &*tensor : nullptr);
    const ir::Operation& op = *results[0]->producer();
    const auto said =
        reference::RunOp(*c.info, operands, op.attrs(), reference::MaxLiveBytes(), false);
    ASSERT_TRUE(said.ok()) << said.status();
    expected_.insert(expected_.end(), said->begin(), said->end());
  }

  const ir::Graph& graph() const { return graph_; }
  const std::vector<ir::Tensor>& inputs() const { return inputs_; }
  const std::vector<ir::Tensor>& expected() const { return expected_; }

 private:
  ir::Graph graph_;
  std::vector<ir::Tensor> inputs_, expected_;
  int count_ = 0;
};

// Scales times factors: of their own, or all by one where that is refused.
std::vector<ir::Attribute> OtherScales(const Case& c, const std::vector<ir::Attribute>& attributes,
                                       bool together, std::mt19937& random) {
  std::uniform_real_distribution<double> draw(-2, 2);
  std::vector<ir::Attribute> others = attributes;
  const double common = std::exp2(draw(random));
  for (size_t i = 0; i < others.size(); ++i) {
    if (!EndsWith(c.info->attrs[i].name, "_scale") || !std::holds_alternative<double>(others[i]))
      continue;
    const double factor = together ? common : std::exp2(draw(random));
    others[i] = static_cast<double>(static_cast<float>(std::get<double>(others[i]) * factor));
  }
  return others;
}

void ExpectSameBits(const std::vector<ir::Tensor>& actual, const std::vector<ir::Tensor>& expected,
                    const std::string& who) {
  ASSERT_EQ(actual.size(), expected.size()) << who;
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].dtype(), expected[i].dtype()) << who << ", result " << i;
    ASSERT_EQ(actual[i].shape(), expected[i].shape()) << who << ", result " << i;
    for (int64_t e = 0; e < actual[i].size(); ++e) {
      ASSERT_EQ(actual[i].AsDouble(e), expected[i].AsDouble(e))
          << who << ", result " << i << ", element " << e;
    }
  }
}

void Check(const ops::OpExamples& op) {
  Network network;
  std::mt19937 random(20);
  std::vector<std::unique_ptr<Case>> cases;
  for (const ops::Example& example : op.examples) {
    if (example.reject) continue;
    cases.push_back(std::make_unique<Case>());
    Case& c = *cases.back();
    const absl::Status prepared = testing::Prepare(op, example, c);
    ASSERT_TRUE(prepared.ok()) << prepared;
    network.Append(c, example.attrs, nullptr);
    for (int variant = 1; variant < kVariants; ++variant) {
      std::vector<ir::Attribute> others = OtherScales(c, example.attrs, false, random);
      if (!Admits(c, others)) others = OtherScales(c, example.attrs, true, random);
      network.Append(c, others, &random);
    }
  }
  ASSERT_FALSE(cases.empty());
  const absl::StatusOr<FileModel> model = Emit(network.graph(), {});
  ASSERT_TRUE(model.ok()) << model.status();
  const absl::StatusOr<std::string> bytes = WriteCircle(*model);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const support::AlignedCopy copy(*bytes);
  const absl::StatusOr<Executor> executor = Executor::Create(copy.bytes, copy.owner);
  ASSERT_TRUE(executor.ok()) << executor.status();
  const auto executed = executor->Run(network.inputs());
  ASSERT_TRUE(executed.ok()) << executed.status();
  ExpectSameBits(*executed, network.expected(), "our executor");
  const absl::StatusOr<std::string> tflite = ToTflite(copy.bytes);
  ASSERT_TRUE(tflite.ok()) << tflite.status();
  const auto run = RunTflite(*tflite, network.inputs(), TfliteKernels::kReference);
  // The runtime that tests have is older than scales for each unit of a product; it says so.
  if (absl::StrContains(run.status().message(), "'FULLY_CONNECTED' version '12'")) return;
  ASSERT_TRUE(run.ok()) << run.status();
  ExpectSameBits(*run, network.expected(), "TFLite");
}

}  // namespace
}  // namespace tessera::circle

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::circle::RegisterOperators();
  tessera::testing::BodyTests tests;
  for (const tessera::ops::OpExamples& op : tessera::ops::CircleIntegersExamples())
    tests.Add("CircleIntegers", op.op, op.file, 1, [&op] { tessera::circle::Check(op); });
  return RUN_ALL_TESTS();
}
