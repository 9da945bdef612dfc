// Every operator over integers in a TFLite runtime that is not ours, with its reference kernels:
// each example of each definition, with its own numbers and with others, and with every element
// type that the definition takes, in a file. Bit for bit what the definition says, and what our
// executor makes of the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codegen/support/examples.h"
#include "codegen/support/signatures.h"
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
const std::vector<Signature>& CircleIntegersSignatures();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

using testing::Case;

constexpr int kDraws = 32;    // of scales, until a definition admits them
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

const ops::Signature& SignatureOf(const ops::OpExamples& op) {
  const std::vector<ops::Signature>& all = ops::CircleIntegersSignatures();
  return *std::find_if(all.begin(), all.end(),
                       [&](const ops::Signature& each) { return each.op == op.op; });
}

using Types = std::map<std::string, ir::DType>;  // of the variables of a signature

// Each choice of element types.
std::vector<Types> AllTypes(const ops::Signature& signature) {
  std::map<std::string, ir::DTypeSet> variables;
  for (const ops::OperandSignature& operand : signature.operands) {
    if (!operand.type.empty()) variables[operand.type] = operand.dtypes;
  }
  std::vector<Types> all(1);
  for (const auto& [name, dtypes] : variables) {
    std::vector<Types> more;
    for (const Types& types : all) {
      for (unsigned each = 0; each < 32; ++each) {
        if ((dtypes >> each & 1U) == 0) continue;
        more.push_back(types);
        more.back()[name] = static_cast<ir::DType>(each);
      }
    }
    all = std::move(more);
  }
  return all;
}

const std::string& VariableAt(const ops::Signature& signature, size_t operand) {
  return signature.operands[std::min(operand, signature.operands.size() - 1)].type;
}

Types TypesOf(const Case& c, const ops::Signature& signature) {
  Types types;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (c.operands[i] != nullptr && !VariableAt(signature, i).empty())
      types[VariableAt(signature, i)] = c.operands[i]->dtype();
  }
  return types;
}

// The case with operands of other types, and zero points of 0, which all types have.
Case InTypes(const Case& c, const ops::Signature& signature, const Types& types,
             std::vector<ir::Attribute>& attributes, std::mt19937& random) {
  Case other{c.op, c.example, c.info, {}, {}, {}};
  other.tensors.reserve(c.operands.size());
  for (size_t i = 0; i < c.operands.size(); ++i) {
    const ir::Tensor* const tensor = c.operands[i];
    const auto type = types.find(VariableAt(signature, i));
    if (tensor == nullptr) {
      other.operands.push_back(nullptr);
      continue;
    }
    if (type == types.end()) {
      other.tensors.push_back(*tensor);
    } else {
      other.tensors.push_back(Other(tensor->CastTo(type->second), random));
    }
    other.operands.push_back(&other.tensors.back());
  }
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (EndsWith(c.info->attrs[i].name, "_zero_point") &&
        std::holds_alternative<int64_t>(attributes[i]))
      attributes[i] = int64_t{0};
  }
  return other;
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

// Scales times factors: of their own, or all by one.
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

// Of each choice of types that no example has, every example that can have it.
void AppendOtherTypes(const ops::OpExamples& op, std::vector<std::unique_ptr<Case>>& cases,
                      std::mt19937& random, Network& network) {
  const ops::Signature& signature = SignatureOf(op);
  std::set<Types> tried;
  for (const std::unique_ptr<Case>& c : cases) tried.insert(TypesOf(*c, signature));
  const size_t examples = cases.size();
  for (const Types& types : AllTypes(signature)) {
    if (tried.count(types) != 0) continue;
    for (size_t i = 0; i < examples; ++i) {
      std::vector<ir::Attribute> attributes = cases[i]->example->attrs;
      auto other = std::make_unique<Case>(InTypes(*cases[i], signature, types, attributes, random));
      if (!Admits(*other, attributes)) continue;
      tried.insert(TypesOf(*other, signature));
      network.Append(*other, attributes, &random);
      cases.push_back(std::move(other));
    }
  }
  // Each type of each variable, with some type of the others.
  for (const auto& [name, type] : [&] {
         std::set<std::pair<std::string, ir::DType>> all;
         for (const Types& types : AllTypes(signature)) all.insert(types.begin(), types.end());
         return all;
       }()) {
    const bool is_tried = std::any_of(tried.begin(), tried.end(), [&](const Types& types) {
      const auto found = types.find(name);
      return found != types.end() && found->second == type;
    });
    EXPECT_TRUE(is_tried) << op.op << " with " << name << " = " << std::string(ir::NameOf(type))
                          << ": no example can have it";
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
      // By one where factors of their own are refused.
      std::vector<ir::Attribute> others = OtherScales(c, example.attrs, false, random);
      for (int draw = 1; draw < kDraws && !Admits(c, others); ++draw)
        others = OtherScales(c, example.attrs, draw % 2 == 1, random);
      network.Append(c, others, &random);
    }
  }
  ASSERT_FALSE(cases.empty());
  AppendOtherTypes(op, cases, random, network);
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
