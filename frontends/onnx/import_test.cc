#include "frontends/onnx/import.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/model_for_test.h"
#include "frontends/onnx/ops_for_test.h"
#include "gtest/gtest.h"
#include "ir/operation.h"
#include "ir/refusals.h"
#include "ir/registry.h"
#include "solver/decide.h"

namespace tessera::onnx_import {
namespace {

using onnx::NodeProto;
using onnx::TensorProto;

class ImportTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { RegisterOpsForTest(); }

  static absl::StatusOr<ImportResult> Import(const std::string& bytes,
                                             const ImportOptions& options = {}) {
    auto owner = std::make_shared<std::string>(bytes);
    return ImportBytes({reinterpret_cast<const uint8_t*>(owner->data()), owner->size()}, owner,
                       "m.onnx", options);
  }
  static absl::StatusOr<ImportResult> Import(const ModelForTest& model,
                                             const ImportOptions& options = {}) {
    return Import(model.proto.SerializeAsString(), options);
  }
  static std::string Error(const ModelForTest& model, const ImportOptions& options = {}) {
    auto result = Import(model, options);
    return result.ok() ? "imported" : std::string(result.status().message());
  }
  static std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    size_t begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      lines.push_back(text.substr(begin, end - begin));
    }
    lines.push_back(text.substr(begin));
    return lines;
  }
  static ImportOptions Dims(const std::vector<std::string>& texts) {
    ImportOptions options;
    options.dims = ParseDimOptions(texts).value();
    return options;
  }
  // Names of ops in order.
  static std::vector<std::string> Ops(const ir::Graph& graph) {
    std::vector<std::string> ops;
    for (const ir::Operation* op : graph.TopologicalOrder()) ops.emplace_back(op->info().name);
    return ops;
  }
  static std::vector<std::string> DimTexts(const ir::Value* value) {
    std::vector<std::string> texts;
    for (const ir::Expr& dim : value->type().dims) texts.push_back(dim.ToString());
    return texts;
  }
  static void ExpectSound(const ir::Graph& graph) {
    const absl::Status status = ir::Verify(graph);
    EXPECT_TRUE(status.ok()) << status;
  }
};

ModelForTest OneRelu(const std::vector<DimForTest>& dims = {"N", 3}) {
  ModelForTest model;
  model.Input("x", dims).Output("y");
  model.Node("Relu", {"x"}, {"y"}, "/act/Relu");
  return model;
}

TEST_F(ImportTest, InputsNodesOutputs) {
  auto result = Import(OneRelu());
  ASSERT_TRUE(result.ok()) << result.status();
  const ir::Graph& graph = *result->graph;
  ExpectSound(graph);
  EXPECT_EQ(result->model_name, "g");
  EXPECT_EQ(result->opset, 13);
  EXPECT_EQ(result->node_count, 1u);
  ASSERT_EQ(graph.inputs().size(), 1u);
  EXPECT_EQ(graph.inputs()[0]->name(), "x");
  EXPECT_EQ(DimTexts(graph.inputs()[0]), (std::vector<std::string>{"N", "3"}));
  EXPECT_EQ(graph.output_names(), (std::vector<std::string>{"y"}));
  EXPECT_EQ(graph.outputs()[0]->name(), "y");
  EXPECT_EQ(Ops(graph), (std::vector<std::string>{"Relu"}));
  EXPECT_EQ(graph.outputs()[0]->producer()->location().scopes,
            (std::vector<std::string>{"/act/Relu"}));
}

TEST_F(ImportTest, DimsWithoutNameAreNamedAfterTheInput) {
  auto result = Import(OneRelu({"", 0, "past + 1", "", "x_d0"}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DimTexts(result->graph->inputs()[0]),
            (std::vector<std::string>{"x_d0_", "0", "past___1", "x_d3", "x_d0"}));
  // As exporters of Paddle write what they do not know: two such dims are not one.
  result = Import(OneRelu({-1, 3, "?", "?"}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DimTexts(result->graph->inputs()[0]),
            (std::vector<std::string>{"x_d0", "3", "x_d2", "x_d3"}));
}

TEST_F(ImportTest, DimsDefinedByOthers) {
  auto named = Import(OneRelu({"past + T", "past", "T", "2*(past + T) - T"}), Dims({"past=0.."}));
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_EQ(DimTexts(named->graph->inputs()[0]),
            (std::vector<std::string>{"past + T", "past", "T", "2*past + T"}));

  // What is stated of a defined dim holds for those that define it.
  auto stated = Import(OneRelu({"S", "P", "T"}), Dims({"S=P+T", "S=..64", "P=0..", "S%2=0"}));
  ASSERT_TRUE(stated.ok()) << stated.status();
  EXPECT_EQ(DimTexts(stated->graph->inputs()[0]), (std::vector<std::string>{"P + T", "P", "T"}));
  solver::Context& context = stated->graph->context();
  const solver::Expr p = context.Symbol("P"), t = context.Symbol("T");
  EXPECT_EQ(solver::Decide(context, solver::Le(p + t, 64)).kind, solver::Verdict::kProved);

  auto constant = Import(OneRelu({"S", "P", "T"}), Dims({"S=P+T", "P=3", "T=4"}));
  ASSERT_TRUE(constant.ok()) << constant.status();
  EXPECT_EQ(DimTexts(constant->graph->inputs()[0]), (std::vector<std::string>{"7", "3", "4"}));

  EXPECT_EQ(Error(OneRelu({"S", "P"}), Dims({"S=P+1", "P=S+1"})),
            "m.onnx: dim `S`: defined by itself, as `P+1`\n"
            "m.onnx: dim `P`: defined by itself, as `S+1`");
  EXPECT_EQ(Error(OneRelu({"S", "P"}), Dims({"S=P+1", "S=1", "P=5"})),
            "m.onnx: dim `S`: fact `0` (--dim S=1) contradicts the facts before it");
}

TEST_F(ImportTest, DimsBoundedByOthers) {
  auto result = Import(OneRelu({"L", "N", "T"}), Dims({"L=2*N+1..", "T=2..N", "N=..64"}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DimTexts(result->graph->inputs()[0]), (std::vector<std::string>{"L", "N", "T"}));
  solver::Context& context = result->graph->context();
  const solver::Expr l = context.Symbol("L"), t = context.Symbol("T");
  EXPECT_EQ(solver::Decide(context, solver::Gt(l, 2 * t)).kind, solver::Verdict::kProved);
  EXPECT_EQ(solver::Decide(context, solver::Ge(t, 2)).kind, solver::Verdict::kProved);
  EXPECT_EQ(solver::Decide(context, solver::Ge(t, 3)).kind, solver::Verdict::kRefuted);

  auto numbers = Import(OneRelu({"L", "N"}), Dims({"L=N+1..", "L=8", "N=7"}));
  EXPECT_TRUE(numbers.ok()) << numbers.status();
  EXPECT_EQ(Error(OneRelu({"L", "N"}), Dims({"L=N+1..", "L=8", "N=8"})),
            "m.onnx: dim `L`: fact `0` (--dim L=N+1..) contradicts the facts before it");
  EXPECT_EQ(Error(OneRelu({"L", "N"}), Dims({"L=M+1.."})),
            "m.onnx: `--dim` `L=M+1..`: `M+1` is no expression over dims; dims are `L`, `N`");
}

TEST_F(ImportTest, SymbolNamesStayDistinct) {
  auto result = Import(OneRelu({"a+1", "a-1", "a_1", "a_1_1", "7"}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DimTexts(result->graph->inputs()[0]),
            (std::vector<std::string>{"a_1", "a_1_1", "a_1_2", "a_1_1_1", "_7"}));
}

TEST_F(ImportTest, OneNameOneSymbol) {
  ModelForTest model;
  model.Input("x", {"N", "H"}).Input("z", {"N", "H"}).Output("y");
  model.Node("Add", {"x", "z"}, {"y"});
  auto result = Import(model);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->graph->inputs()[0]->type(), result->graph->inputs()[1]->type());
  EXPECT_TRUE(result->graph->obligations().empty());
  EXPECT_EQ(result->graph->outputs()[0]->producer()->location().scopes,
            (std::vector<std::string>{"Add_0"}));
}

TEST_F(ImportTest, DimOptions) {
  auto value = Import(OneRelu({"N", "H"}), Dims({"N=4", "H=2..9"}));
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(DimTexts(value->graph->inputs()[0]), (std::vector<std::string>{"4", "H"}));

  auto single = Import(OneRelu({"N", "H"}), Dims({"H%8=3", "H=4..12"}));
  ASSERT_TRUE(single.ok()) << single.status();
  EXPECT_EQ(DimTexts(single->graph->inputs()[0]), (std::vector<std::string>{"N", "11"}));

  auto equal = Import(OneRelu({"A", "B", "C"}), Dims({"C=B", "B=A"}));
  ASSERT_TRUE(equal.ok()) << equal.status();
  EXPECT_EQ(DimTexts(equal->graph->inputs()[0]), (std::vector<std::string>{"A", "A", "A"}));

  auto through = Import(OneRelu({"A", "B"}), Dims({"A=B", "B=7"}));
  ASSERT_TRUE(through.ok()) << through.status();
  EXPECT_EQ(DimTexts(through->graph->inputs()[0]), (std::vector<std::string>{"7", "7"}));

  EXPECT_EQ(Error(OneRelu({"N", ""}), Dims({"M=1"})),
            "m.onnx: `--dim` `M=1`: no dim `M`; dims are `N`, `x_d1`");
  EXPECT_EQ(Error(OneRelu({3}), Dims({"M=1"})),
            "m.onnx: `--dim` `M=1`: no dim `M`; the inputs have none");
  EXPECT_EQ(Error(OneRelu({"H"}), Dims({"H=3", "H%8=0"})),
            "m.onnx: dim `H`: no size is left by `--dim H=3`, `--dim H%8=0`");
  EXPECT_EQ(Error(OneRelu({"A", "B"}), Dims({"A=3", "B=4", "A=B"})),
            "m.onnx: dim `A`: no size is left by `--dim A=3`, `--dim B=4`");
}

ir::Tensor Zeros(std::vector<int64_t> shape, ir::DType dtype = ir::DType::kF32) {
  return *ir::Tensor::Allocate(dtype, std::move(shape));
}

TEST_F(ImportTest, BoundInputsAreConstantsAndFixDims) {
  ModelForTest model;
  model.Input("x", {"N", 3}).Input("z", {"N", 3}).Output("y");
  model.Node("Add", {"x", "z"}, {"y"});
  ImportOptions options;
  options.bind["z"] = Zeros({5, 3});
  auto result = Import(model, options);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->graph->inputs().size(), 1u);
  EXPECT_EQ(DimTexts(result->graph->inputs()[0]), (std::vector<std::string>{"5", "3"}));
  EXPECT_NE(result->graph->outputs()[0]->producer()->operand(1)->constant(), nullptr);

  options.bind["z"] = Zeros({5, 4});
  EXPECT_EQ(Error(model, options), "m.onnx: graph input `z`: dim 1 bound to 4, declared 3");
  options.bind["z"] = Zeros({5});
  EXPECT_EQ(Error(model, options),
            "m.onnx: graph input `z`: bound to a tensor of rank 1, declared of rank 2");
  options.bind["z"] = Zeros({5, 3}, ir::DType::kI32);
  EXPECT_EQ(Error(model, options),
            "m.onnx: graph input `z`: bound to a tensor of `i32`, declared `f32`");
  options.bind.clear();
  options.bind["w"] = Zeros({1});
  EXPECT_EQ(Error(model, options),
            "m.onnx: `--bind` of `w`, which is no graph input; inputs are `x`, `z`");
}

TEST_F(ImportTest, InitializersAreConstantsAlsoWhenListedAsInputs) {
  ModelForTest model;
  model.Input("x", {2}).Input("w", {2}).Output("y");
  model.Floats("w", {2}, {1, 2}).Floats("unused", {1}, {0}).Floats("same", {2}, {1, 2});
  model.Node("Add", {"x", "w"}, {"a"});
  model.Node("Add", {"a", "same"}, {"y"});
  for (int ir_version : {3, 8}) {
    model.proto.set_ir_version(ir_version);
    auto result = Import(model);
    ASSERT_TRUE(result.ok()) << result.status();
    ExpectSound(*result->graph);
    EXPECT_EQ(result->graph->inputs().size(), 1u);
    const ir::Tensor* w =
        result->graph->outputs()[0]->producer()->operand(0)->producer()->operand(1)->constant();
    ASSERT_NE(w, nullptr);
    EXPECT_EQ(w->AsDouble(1), 2.0);
    // Two additions and the two constants that they read.
    EXPECT_EQ(result->graph->operation_count(), 4u);
  }
}

TEST_F(ImportTest, NodesInAnyOrder) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  model.Node("Relu", {"b"}, {"y"});
  model.Node("Relu", {"a"}, {"b"});
  model.Node("Relu", {"x"}, {"a"});
  auto result = Import(model);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->graph->operation_count(), 3u);
}

TEST_F(ImportTest, OutputsThatAreInputsOrConstants) {
  ModelForTest model;
  model.Input("x", {2}).Output("x").Output("w").Output("copy");
  model.Floats("w", {1}, {3});
  model.Node("Identity", {"x"}, {"copy"});
  auto result = Import(model);
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectSound(*result->graph);
  EXPECT_EQ(result->graph->output_names(), (std::vector<std::string>{"x", "w", "copy"}));
  EXPECT_EQ(result->graph->outputs()[0], result->graph->inputs()[0]);
  EXPECT_EQ(result->graph->outputs()[2], result->graph->inputs()[0]);
  EXPECT_EQ(result->graph->inputs()[0]->name(), "x");
}

TEST_F(ImportTest, OptionalOutputsThatNothingUses) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  model.Node("Split", {"x"}, {"y", ""});
  EXPECT_TRUE(Import(model).ok());
  ModelForTest named;
  named.Input("x", {2}).Output("y");
  named.Node("Split", {"x"}, {"y", "nothing_reads_this"});
  EXPECT_TRUE(Import(named).ok());
  ModelForTest three;
  three.Input("x", {2}).Output("c");
  three.Node("Split", {"x"}, {"a", "b", "c"});
  EXPECT_EQ(Error(three),
            "m.onnx: node `Split_0` (`Split`, `ai.onnx` opset 13): output `c`, number 2, is not "
            "supported");
}

TEST_F(ImportTest, ShapeArithmeticDisappears) {
  ModelForTest model;
  model.Input("x", {"N", 3, "H"}).Output("y");
  model.Ints("zero", {0}, true).Ints("three", {3});
  model.Node("Shape", {"x"}, {"s"});
  model.Node("Gather", {"s", "zero"}, {"n"});
  model.Node("Concat", {"n", "three"}, {"shape"}).set_name("cat");
  ModelForTest::Int(*model.graph().mutable_node(2), "axis", 0);
  model.Node("Reshape", {"x", "shape"}, {"y"});
  auto result = Import(model);
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectSound(*result->graph);
  EXPECT_EQ(DimTexts(result->graph->outputs()[0]), (std::vector<std::string>{"N", "3"}));
  EXPECT_EQ(Ops(*result->graph),
            (std::vector<std::string>{std::string(ir::SymbolicConstantInfo().name), "Reshape"}));
  const ir::Value* shape = result->graph->outputs()[0]->producer()->operand(1);
  EXPECT_EQ(shape->name(), "shape");
  EXPECT_EQ(shape->producer()->location().scopes, (std::vector<std::string>{"cat"}));

  auto fixed = Import(model, Dims({"N=2"}));
  ASSERT_TRUE(fixed.ok()) << fixed.status();
  EXPECT_EQ(Ops(*fixed->graph),
            (std::vector<std::string>{std::string(ir::ConstantInfo().name), "Reshape"}));
}

TEST_F(ImportTest, ShapeAsGraphOutput) {
  ModelForTest model;
  model.Input("x", {"N", 3}).Output("s");
  model.Node("Shape", {"x"}, {"s"});
  auto result = Import(model);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Ops(*result->graph),
            (std::vector<std::string>{std::string(ir::SymbolicConstantInfo().name)}));
  EXPECT_EQ(result->graph->output_names(), (std::vector<std::string>{"s"}));
}

TEST_F(ImportTest, ElementsKnownAtRunTimeOnly) {
  ModelForTest model;
  model.Input("x", {2}).Input("dims", {2}, TensorProto::INT64).Output("y");
  model.Node("ConstantOfShape", {"dims"}, {"y"}, "fill");
  EXPECT_EQ(Error(model),
            "m.onnx: node `fill` (`ConstantOfShape`, `ai.onnx` opset 13): the elements of `dims` "
            "must be known at compile time; they "
            "depend on the graph input `dims`; `--bind dims=FILE` makes it a constant");
  ImportOptions options;
  ir::Tensor dims = *ir::Tensor::Allocate(ir::DType::kI64, {2});
  dims.mutable_data<int64_t>()[0] = 4;
  dims.mutable_data<int64_t>()[1] = 5;
  options.bind["dims"] = dims;
  auto result = Import(model, options);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DimTexts(result->graph->outputs()[0]), (std::vector<std::string>{"4", "5"}));

  ModelForTest behind;
  behind.Input("x", {2}).Output("y");
  behind.Node("Relu", {"x"}, {"r"});
  behind.Node("Total", {"r"}, {"t"});
  behind.Node("ConstantOfShape", {"t"}, {"y"}, "fill");
  EXPECT_NE(
      Error(behind).find(
          "elements of `t` must be known at compile time; they depend on the graph input `x`"),
      std::string::npos)
      << Error(behind);
}

TEST_F(ImportTest, ElementsThatFollowFromConstantsThroughFloats) {
  ModelForTest model;
  model.Output("y");
  model.Floats("f", {2}, {2.2f, 3.9f});
  model.Node("Round", {"f"}, {"r"});
  model.Node("ConstantOfShape", {"r"}, {"y"});
  auto result = Import(model);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(DimTexts(result->graph->outputs()[0]), (std::vector<std::string>{"2", "4"}));
}

TEST_F(ImportTest, ElementsThatCannotBeFollowed) {
  ModelForTest model;
  model.Output("y");
  model.Floats("f", {2}, {2, 3});
  model.Node("Total", {"f"}, {"t"}, "total");
  model.Node("ConstantOfShape", {"t"}, {"y"});
  EXPECT_NE(
      Error(model).find("they are computed by `Total` at `total`, which is not evaluated here"),
      std::string::npos)
      << Error(model);
}

TEST_F(ImportTest, ConstantNodes) {
  ModelForTest model;
  model.Input("x", {1}).Output("y");
  auto& attribute = *model.Node("Constant", {}, {"c"}).add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  ModelForTest::Fill(*attribute.mutable_t(), "", {1}, {2.5f});
  model.Node("Add", {"x", "c"}, {"y"});
  auto result = Import(model);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->graph->outputs()[0]->producer()->operand(1)->constant()->AsDouble(0), 2.5);
}

TEST_F(ImportTest, ClauseByOpset) {
  ModelForTest old(5);
  old.Input("x", {1}).Output("y");
  NodeProto& node = old.Node("Relu", {"x"}, {"y"});
  auto& consumed = *node.add_attribute();
  consumed.set_name("consumed_inputs");
  consumed.set_type(onnx::AttributeProto::INTS);
  EXPECT_TRUE(Import(old).ok()) << Error(old);
  old.proto.mutable_opset_import(0)->set_version(6);
  EXPECT_EQ(Error(old),
            "m.onnx: node `Relu_0` (`Relu`, `ai.onnx` opset 6): attribute `consumed_inputs` is not "
            "known");

  ModelForTest add(6);
  add.Input("x", {1}).Output("y");
  add.Node("Add", {"x", "x"}, {"y"});
  EXPECT_EQ(Error(add),
            "m.onnx: node `Add_0` (`Add`, `ai.onnx` opset 6): op `Add` (opset 6) is not supported; "
            "versions known: from 7");

  ModelForTest newer(29);
  newer.Input("x", {1}).Output("y");
  newer.Node("Relu", {"x"}, {"t"});
  newer.Node("Identity", {"t"}, {"y"});
  const absl::StatusOr<ImportResult> assumed = Import(newer);
  ASSERT_TRUE(assumed.ok()) << Error(newer);
  EXPECT_EQ(assumed->opset, 29);
  EXPECT_EQ(AssumptionTexts(*assumed),
            std::vector<std::string>{
                "assumed: opset 29 of ai.onnx means by `Identity`, `Relu` what opset 28, the "
                "newest known, does (it has all that their nodes say; `--strict-opset` refuses "
                "instead)"});
  EXPECT_TRUE(AssumptionTexts(*Import(OneRelu())).empty());
  ImportOptions strict;
  strict.strict_opset = true;
  EXPECT_EQ(Error(newer, strict),
            "m.onnx: opset 29 of ai.onnx is newer than 28, the newest known, and `--strict-opset` "
            "assumes nothing");
  // What the newest known does not have is refused, as in that one.
  auto& unheard = *newer.graph().mutable_node(0)->add_attribute();
  unheard.set_name("slope");
  unheard.set_type(onnx::AttributeProto::FLOAT);
  EXPECT_EQ(Error(newer),
            "m.onnx: node `Relu_0` (`Relu`, `ai.onnx` opset 29): attribute `slope` is not known");

  ModelForTest none = OneRelu();
  none.proto.clear_opset_import();
  EXPECT_EQ(
      Error(none),
      "m.onnx: node `/act/Relu` (`Relu`, `ai.onnx`): no opset of domain `ai.onnx` is imported");
  none.proto.set_ir_version(2);
  EXPECT_TRUE(Import(none).ok()) << Error(none);

  ModelForTest named = OneRelu();
  named.proto.mutable_opset_import(0)->set_domain("ai.onnx");
  EXPECT_TRUE(Import(named).ok()) << Error(named);
  named.graph().mutable_node(0)->set_domain("ai.onnx");
  EXPECT_TRUE(Import(named).ok()) << Error(named);

  ModelForTest others = OneRelu();
  others.graph().mutable_node(0)->set_domain("org.others");
  const absl::StatusOr<ImportResult> supposed = Import(others);
  ASSERT_TRUE(supposed.ok()) << Error(others);
  EXPECT_EQ(AssumptionTexts(*supposed),
            std::vector<std::string>{
                "assumed: `Relu` of org.others, which the model does not import, is what its "
                "version 1 has (`--strict-opset` refuses instead)"});
  EXPECT_EQ(Error(others, strict),
            "m.onnx: node `/act/Relu` (`Relu`, `org.others`): no opset of domain `org.others` is "
            "imported");
  onnx::OperatorSetIdProto& import = *others.proto.add_opset_import();
  import.set_domain("org.others");
  import.set_version(1);
  EXPECT_TRUE(AssumptionTexts(*Import(others)).empty());
}

TEST_F(ImportTest, AllProblemsAtOnceAndNoCascades) {
  ModelForTest model;
  model.Input("x", {"N"}).Output("y").Output("gone");
  model.Node("Rleu", {"x"}, {"a"}, "typo");
  model.Node("Relu", {"a"}, {"b"}, "after_typo");
  model.Node("Relu", {"waits"}, {"c"}, "missing");
  model.Node("Relu", {"c"}, {"d"}, "after_missing");
  NodeProto& unknown = model.Node("Gather", {"x", "x"}, {"e"}, "attribute");
  ModelForTest::Int(unknown, "axes", 0);
  NodeProto& wrong = model.Node("Concat", {"x"}, {"f"}, "type");
  auto& axis = ModelForTest::Int(wrong, "axis", 0);
  axis.set_type(onnx::AttributeProto::FLOAT);
  axis.set_f(1);
  model.Floats("weights", {2}, {1, 2});
  model.Node("Add", {"b", "d"}, {"y"}, "both_poisoned");
  EXPECT_EQ(Lines(Error(model)),
            (std::vector<std::string>{
                "m.onnx: node `typo` (`Rleu`, `ai.onnx` opset 13): op `Rleu` (opset 13) is not "
                "supported; nearest is `Relu`",
                "m.onnx: node `missing` (`Relu`, `ai.onnx` opset 13): input `waits` is no graph "
                "input, initializer or output of a node",
                "m.onnx: node `attribute` (`Gather`, `ai.onnx` opset 13): attribute `axes` is not "
                "known; nearest is `axis`",
                "m.onnx: node `type` (`Concat`, `ai.onnx` opset 13): attribute `axis` is a float, "
                "expected an int",
                "m.onnx: graph output `gone`: is no graph input, initializer or output of a node",
            }));
}

TEST_F(ImportTest, MissingInitializerWithSuggestion) {
  ModelForTest model;
  model.Input("x", {2}).Output("y").Floats("conv1.weight", {2}, {1, 2});
  model.Node("Add", {"x", "conv1.weigth"}, {"y"});
  EXPECT_EQ(Error(model),
            "m.onnx: node `Add_0` (`Add`, `ai.onnx` opset 13): input `conv1.weigth` is no graph "
            "input, initializer or output of a "
            "node; nearest is `conv1.weight`");
}

TEST_F(ImportTest, UnsupportedAloneIsUnimplemented) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  model.Node("Frobnicate", {"x"}, {"y"});
  EXPECT_EQ(Import(model).status().code(), absl::StatusCode::kUnimplemented);
  model.Node("Relu", {"nothing"}, {"z"});
  EXPECT_EQ(Import(model).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ImportTest, ConstraintsNameTheNode) {
  ModelForTest model;
  model.Input("x", {2}).Input("z", {3}).Output("y");
  model.Node("Add", {"x", "z"}, {"y"}, "sum");
  const std::string error = Error(model);
  EXPECT_NE(error.find("m.onnx: node `sum` (`Add`, `ai.onnx` opset 13): "), std::string::npos)
      << error;
  EXPECT_NE(error.find("operands differ in dim 0"), std::string::npos) << error;
}

TEST_F(ImportTest, CycleNamesItsNodes) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  model.Node("Add", {"x", "c"}, {"a"}, "first");
  model.Node("Relu", {"a"}, {"b"}, "second");
  model.Node("Relu", {"b"}, {"c"}, "third");
  model.Node("Relu", {"c"}, {"y"}, "after");
  const std::vector<std::string> lines = Lines(Error(model));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("reads its own result; the cycle is"), std::string::npos);
  for (const char* name : {"`first`", "`second`", "`third`"})
    EXPECT_NE(lines[0].find(name), std::string::npos) << lines[0];
  EXPECT_EQ(lines[0].find("`after`"), std::string::npos);
}

TEST_F(ImportTest, DuplicateNames) {
  ModelForTest model;
  model.Input("x", {2}).Input("x", {2}).Output("y").Output("y");
  model.Floats("w", {1}, {1}).Floats("w", {1}, {1});
  model.Node("Relu", {"x"}, {"y"}, "one");
  model.Node("Relu", {"x"}, {"y"}, "two");
  model.Node("Relu", {"y"}, {"x"}, "three");
  EXPECT_EQ(Lines(Error(model)),
            (std::vector<std::string>{
                "m.onnx: initializer `w`: redeclaration of `w`",
                "m.onnx: graph input `x`: redeclaration of `x`",
                "m.onnx: node `two` (`Relu`, `ai.onnx` opset 13): redeclaration of `y`",
                "m.onnx: node `three` (`Relu`, `ai.onnx` opset 13): redeclaration of `x`",
                "m.onnx: graph output `y`: redeclaration of `y`",
            }));
}

TEST_F(ImportTest, InputsThatAreNoTensorsOfKnownRank) {
  ModelForTest model;
  auto& sequence = *model.graph().add_input();
  sequence.set_name("sequence");
  sequence.mutable_type()->mutable_sequence_type();
  auto& untyped = *model.graph().add_input();
  untyped.set_name("untyped");
  auto& rankless = *model.graph().add_input();
  rankless.set_name("rankless");
  rankless.mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
  model.Input("text", {1}, TensorProto::STRING);
  model.Input("negative", {-3});
  model.Output("y");
  model.Node("Relu", {"negative"}, {"y"});
  const std::vector<std::string> lines = Lines(Error(model));
  ASSERT_EQ(lines.size(), 5u) << Error(model);
  EXPECT_EQ(lines[0],
            "m.onnx: graph input `sequence`: is no tensor; sequences, maps, optional and sparse "
            "inputs are not supported");
  EXPECT_EQ(lines[1], "m.onnx: graph input `untyped`: has no type");
  EXPECT_EQ(lines[2],
            "m.onnx: graph input `rankless`: rank is unknown; an input needs a shape, if of "
            "symbolic dims");
  EXPECT_EQ(lines[3], "m.onnx: graph input `text`: element type `string` is not supported");
  EXPECT_EQ(lines[4],
            "m.onnx: graph input `negative`: dim 0 is -3; a size is from 0 to 2147483647");
}

TEST_F(ImportTest, LargeTensorInSmallFile) {
  ModelForTest model;
  model.Input("x", {2}).Output("y").Floats("w", {3, 1024, 1024, 256}, {1});
  model.Node("Add", {"x", "w"}, {"y"});
  EXPECT_EQ(
      Error(model),
      "m.onnx: initializer `w`: `f32[3,1024,1024,256]` takes 3221225472 bytes, the file holds 4");
  model.graph().clear_node();
  model.Node("Relu", {"x"}, {"y"});
  EXPECT_EQ(
      Error(model),
      "m.onnx: initializer `w`: `f32[3,1024,1024,256]` takes 3221225472 bytes, the file holds 4");
}

TEST_F(ImportTest, OutputTypeIsTheDeclaredOne) {
  ModelForTest model;
  model.Input("x", {2});
  ModelForTest::Declare(*model.graph().add_output(), "y", {2}, TensorProto::INT64);
  model.Node("Relu", {"x"}, {"y"});
  EXPECT_EQ(Error(model), "m.onnx: graph output `y`: declared `i64`, computed as `f32`");
}

TEST_F(ImportTest, OutputShapeThatIsNotTheDeclaredOneIsSaid) {
  const auto assumptions = [](const std::vector<DimForTest>& declared) {
    ModelForTest model;
    model.Input("x", {2, 3});
    ModelForTest::Declare(*model.graph().add_output(), "y", declared, TensorProto::FLOAT);
    model.Node("Relu", {"x"}, {"y"});
    return AssumptionTexts(*Import(model));
  };
  EXPECT_TRUE(assumptions({2, 3}).empty());
  // As some exporters write what they do not know.
  EXPECT_TRUE(assumptions({-1, 0}).empty());
  EXPECT_EQ(assumptions({2, 4}),
            std::vector<std::string>{"assumed: graph output `y` is f32[2,3], as it is computed "
                                     "(declared is [2, 4])"});
  EXPECT_EQ(assumptions({6}),
            std::vector<std::string>{
                "assumed: graph output `y` is f32[2,3], as it is computed (declared is [6])"});
}

TEST_F(ImportTest, NoModelAtAll) {
  const auto error = [](const std::string& bytes) {
    return std::string(Import(bytes).status().message());
  };
  EXPECT_EQ(error(""), "m.onnx: empty, no ONNX model");
  EXPECT_EQ(error("hello, world"),
            "m.onnx: no ONNX model: byte 2: field 13 has wire type 4, in `ModelProto`");
  EXPECT_EQ(error(std::string(100, '\0')),
            "m.onnx: no ONNX model: byte 0: tag 0 names no field, in `ModelProto`");
  ModelForTest empty;
  empty.proto.clear_graph();
  EXPECT_EQ(Error(empty), "m.onnx: no graph in the model");
  EXPECT_EQ(Error(ModelForTest()), "m.onnx: the graph has no outputs");
  EXPECT_EQ(ImportFile("no/such/file.onnx", {}).status().code(), absl::StatusCode::kNotFound);
}

// Functions.

onnx::FunctionProto& AddFunction(ModelForTest& model, const std::string& name,
                                 const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs) {
  onnx::FunctionProto& function = *model.proto.add_functions();
  function.set_name(name);
  function.set_domain("local");
  for (const std::string& input : inputs) function.add_input(input);
  for (const std::string& output : outputs) function.add_output(output);
  function.add_opset_import()->set_version(13);
  return function;
}

NodeProto& Call(ModelForTest& model, const std::string& name,
                const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
  NodeProto& node = model.Node(name, inputs, outputs, "call");
  node.set_domain("local");
  return node;
}

TEST_F(ImportTest, FunctionsAreInlined) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  auto& twice = AddFunction(model, "Twice", {"a", "b"}, {"r"});
  ModelForTest::AddNode(*twice.mutable_node(), "Relu", {"a"}, {"x"});  // a name of its own
  ModelForTest::AddNode(*twice.mutable_node(), "Relu", {"x"}, {"r"}, "last");
  Call(model, "Twice", {"x"}, {"y"});
  auto result = Import(model);
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectSound(*result->graph);
  EXPECT_EQ(Ops(*result->graph), (std::vector<std::string>{"Relu", "Relu"}));
  EXPECT_EQ(result->graph->outputs()[0]->producer()->location().scopes,
            (std::vector<std::string>{"call/last"}));
  EXPECT_EQ(result->node_count, 3u);
}

TEST_F(ImportTest, FunctionAttributes) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  auto& join = AddFunction(model, "Join", {"a"}, {"r"});
  join.add_attribute("along");
  NodeProto& concat =
      ModelForTest::AddNode(*join.mutable_node(), "Concat", {"a", "a"}, {"r"}, "cat");
  onnx::AttributeProto& axis = *concat.add_attribute();
  axis.set_name("axis");
  axis.set_ref_attr_name("along");
  axis.set_type(onnx::AttributeProto::INT);
  NodeProto& call = Call(model, "Join", {"x"}, {"y"});
  EXPECT_EQ(Error(model),
            "m.onnx: node `call/cat` (`Concat`, `ai.onnx` opset 13): attribute `axis` is missing");
  ModelForTest::Int(call, "along", 1);
  EXPECT_EQ(Error(model),
            "m.onnx: node `call/cat` (`Concat`, `ai.onnx` opset 13): axis other than 0");
  call.mutable_attribute(0)->set_i(0);
  EXPECT_TRUE(Import(model).ok()) << Error(model);
  ModelForTest::Int(call, "across", 0);
  EXPECT_EQ(Error(model),
            "m.onnx: node `call` (`Join`, `local`): attribute `across` is none of its function's");
  // A default, in the field that the protobuf classes we build with do not have yet.
  call.clear_attribute();
  onnx::AttributeProto with_default;
  with_default.set_name("along");
  with_default.set_type(onnx::AttributeProto::INT);
  with_default.set_i(0);
  join.clear_attribute();
  join.mutable_unknown_fields()->AddLengthDelimited(11, with_default.SerializeAsString());
  EXPECT_TRUE(Import(model).ok()) << Error(model);
  // Referred to outside.
  ModelForTest outside;
  outside.Input("x", {2}).Output("y");
  *outside.Node("Concat", {"x"}, {"y"}).add_attribute() = axis;
  EXPECT_EQ(Error(outside),
            "m.onnx: node `Concat_0` (`Concat`, `ai.onnx` opset 13): attribute `axis` refers to "
            "attribute `along` of a function, "
            "outside of any");
}

// `overload`, in fields that the protobuf classes we build with do not have yet.
TEST_F(ImportTest, FunctionsOfOneNameWithOverloads) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  for (const char* overload : {"once", "twice"}) {
    auto& function = AddFunction(model, "F", {"a"}, {"r"});
    function.mutable_unknown_fields()->AddLengthDelimited(13, overload);
    ModelForTest::AddNode(*function.mutable_node(), "Relu", {"a"}, {"r"}, overload);
  }
  onnx::FunctionProto& twice = *model.proto.mutable_functions(1);
  twice.mutable_node(0)->set_output(0, "h");
  ModelForTest::AddNode(*twice.mutable_node(), "Relu", {"h"}, {"r"}, "last");
  NodeProto& call = Call(model, "F", {"x"}, {"y"});
  call.mutable_unknown_fields()->AddLengthDelimited(8, "twice");
  auto result = Import(model);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Ops(*result->graph), (std::vector<std::string>{"Relu", "Relu"}));
  // A call without one means a function without one.
  call.mutable_unknown_fields()->Clear();
  EXPECT_EQ(Error(model),
            "m.onnx: node `call` (`F`, `local`): no opset of domain `local` is imported");
  twice.mutable_unknown_fields()->Clear();
  twice.mutable_unknown_fields()->AddLengthDelimited(13, "once");
  EXPECT_NE(Error(model).find("function `F`, overload `once`: redeclaration in domain `local`"),
            std::string::npos)
      << Error(model);
}

TEST_F(ImportTest, AScanThatLacksWhatItNeedsIsRefused) {
  ModelForTest model;
  model.Input("s", {}).Input("x", {3, 2}).Output("y").Output("z");
  NodeProto& scan = model.Node("Scan", {"s", "x"}, {"y", "z"}, "scan");
  onnx::AttributeProto& body = *scan.add_attribute();
  body.set_name("body");
  body.set_type(onnx::AttributeProto::GRAPH);
  for (const char* name : {"a", "e"}) {
    body.mutable_g()->add_input()->set_name(name);
    body.mutable_g()->add_output()->set_name(name);
  }
  EXPECT_EQ(Error(model),
            "m.onnx: node `scan` (`Scan`, `ai.onnx` opset 13): `num_scan_inputs`, an int, is "
            "missing");
  scan.add_attribute()->set_name("num_scan_inputs");
  scan.mutable_attribute(1)->set_type(onnx::AttributeProto::FLOAT);
  EXPECT_EQ(Error(model),
            "m.onnx: node `scan` (`Scan`, `ai.onnx` opset 13): `num_scan_inputs`, an int, is "
            "missing");
  scan.mutable_attribute(1)->set_type(onnx::AttributeProto::INT);
  scan.mutable_attribute(1)->set_i(1);
  // Version 8 has a batch in front of each, and lengths as its first input.
  model.proto.mutable_opset_import(0)->set_version(8);
  scan.set_input(0, "");
  scan.set_input(1, "s");
  scan.add_input("x");
  EXPECT_EQ(Error(model),
            "m.onnx: node `scan` (`Scan`, `ai.onnx` opset 8): input 1 has no batch axis");
}

TEST_F(ImportTest, FunctionsThatCallThemselves) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  auto& f = AddFunction(model, "F", {"a"}, {"r"});
  auto& g = AddFunction(model, "G", {"a"}, {"r"});
  ModelForTest::AddNode(*f.mutable_node(), "G", {"a"}, {"r"}, "g").set_domain("local");
  ModelForTest::AddNode(*g.mutable_node(), "F", {"a"}, {"r"}, "f").set_domain("local");
  Call(model, "F", {"x"}, {"y"});
  EXPECT_EQ(Error(model), "m.onnx: node `call/g/f` (`F`, `local`): function `F` calls itself");
}

TEST_F(ImportTest, CallsThatDoubleAtEachLevelAreBounded) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  for (int level = 0; level < 30; ++level) {
    auto& f = AddFunction(model, "F" + std::to_string(level), {"a"}, {"r"});
    const std::string next = level < 29 ? "F" + std::to_string(level + 1) : "Relu";
    for (int half = 0; half < 2; ++half) {
      auto& node = ModelForTest::AddNode(*f.mutable_node(), next, {half == 0 ? "a" : "h"},
                                         {half == 0 ? "h" : "r"});
      if (level < 29) node.set_domain("local");
    }
  }
  Call(model, "F0", {"x"}, {"y"});
  const std::string error = Error(model);
  EXPECT_NE(error.find("too many nodes once all functions are inlined"), std::string::npos)
      << error;
}

// Subgraphs.

ModelForTest Choice() {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  NodeProto& choice = model.Node("If", {"c"}, {"y"}, "choice");
  auto& yes = ModelForTest::Graph(choice, "then_branch");
  ModelForTest::AddNode(*yes.mutable_node(), "Relu", {"x"}, {"r"}, "relu");
  yes.add_output()->set_name("r");
  auto& no = ModelForTest::Graph(choice, "else_branch");
  ModelForTest::Fill(*no.add_initializer(), "own", {2}, {1, 2});
  ModelForTest::AddNode(*no.mutable_node(), "Add", {"x", "own"}, {"r"}, "add");
  no.add_output()->set_name("r");
  return model;
}

TEST_F(ImportTest, TheBranchOfAKnownConditionIsInlined) {
  auto taken = Import(Choice().Bool("c", true));
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(Ops(*taken->graph), (std::vector<std::string>{"Relu"}));
  EXPECT_EQ(taken->graph->outputs()[0]->producer()->location().scopes,
            (std::vector<std::string>{"choice/relu"}));
  auto other = Import(Choice().Bool("c", false));
  ASSERT_TRUE(other.ok()) << other.status();
  ExpectSound(*other->graph);
  EXPECT_EQ(Ops(*other->graph).back(), "Add");
}

TEST_F(ImportTest, AConditionKnownAtRunTime) {
  ModelForTest model = Choice();
  model.Input("c", {}, TensorProto::BOOL);
  EXPECT_EQ(Error(model),
            "m.onnx: node `choice` (`If`, `ai.onnx` opset 13): the elements of its condition `c` "
            "must be known at compile time; they "
            "depend on the graph input `c`; `--bind c=FILE` makes it a constant; it is no choice "
            "between both: node `choice` (`If`, `ai.onnx` opset 13): `core.Choice`: no such op");
  EXPECT_EQ(Import(model).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(ImportTest, OtherSubgraphs) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  ModelForTest::Graph(model.Node("SequenceMap", {"x"}, {"y"}), "each");
  EXPECT_EQ(Error(model),
            "m.onnx: node `SequenceMap_0` (`SequenceMap`, `ai.onnx` opset 13): op `SequenceMap` "
            "with a subgraph, `each`, is not supported");
}

TEST_F(ImportTest, RefusedOperators) {
  static constexpr ir::Refusal kRefusals[] = {{ir::Refusal::kOnnx, "Dice", "has no sides"}};
  ir::AddRefusals(kRefusals);
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  model.Node("Dice", {"x"}, {"y"});
  EXPECT_EQ(
      Error(model),
      "m.onnx: node `Dice_0` (`Dice`, `ai.onnx` opset 13): op `Dice` (opset 13) has no sides");
}

TEST_F(ImportTest, SubgraphsThatReadWhatDoesNotExist) {
  ModelForTest model = Choice().Bool("c", true);
  model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(
      0, "nowhere");
  EXPECT_EQ(Error(model),
            "m.onnx: node `choice/relu` (`Relu`, `ai.onnx` opset 13): input `nowhere` is no graph "
            "input, initializer or output of a node");
}

TEST_F(ImportTest, UntrustedNamesStayOnTheirLine) {
  ModelForTest model;
  model.Input("x", {2}).Output("y");
  model.Node("Re\nlu`", {"x"}, {"y"}, std::string(500, 'n') + "\xff");
  const std::vector<std::string> lines = Lines(Error(model));
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_LT(lines[0].size(), 400u);
  EXPECT_NE(lines[0].find("Re\\nlu\\x60"), std::string::npos) << lines[0];
}

}  // namespace
}  // namespace tessera::onnx_import
