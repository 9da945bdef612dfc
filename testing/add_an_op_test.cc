// What docs/add-an-op.md promises of the op that it adds.
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "codegen/support/examples.h"
#include "frontends/onnx/import.h"
#include "ir/registry.h"
#include "targets/circle/compile.h"
#include "targets/reference/executor.h"
#include "testing/definition_tests.h"
#include "tools/verification/target.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& HalveOps();
const std::vector<OpExamples>& HalveExamples();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

std::string Read(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// y = Halve(x) for x of shape [N, 3].
std::string Model() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  auto* standard = model.add_opset_import();
  standard->set_version(17);
  auto* own = model.add_opset_import();
  own->set_domain("tessera.example");
  own->set_version(1);
  onnx::GraphProto* graph = model.mutable_graph();
  graph->set_name("g");
  onnx::NodeProto* node = graph->add_node();
  node->set_op_type("Halve");
  node->set_domain("tessera.example");
  node->set_name("halve");
  node->add_input("x");
  node->add_output("y");
  onnx::ValueInfoProto* x = graph->add_input();
  x->set_name("x");
  auto* type = x->mutable_type()->mutable_tensor_type();
  type->set_elem_type(1);
  type->mutable_shape()->add_dim()->set_dim_param("N");
  type->mutable_shape()->add_dim()->set_dim_value(3);
  onnx::ValueInfoProto* y = graph->add_output();
  y->set_name("y");
  y->mutable_type()->mutable_tensor_type()->set_elem_type(1);
  return model.SerializeAsString();
}

TEST(AddAnOp, ThePageShowsTheFile) {
  const std::string page = Read("docs/add-an-op.md");
  const std::string file = Read("testing/halve.op");
  ASSERT_FALSE(file.empty());
  EXPECT_NE(page.find("```\n" + file + "```"), std::string::npos);
}

TEST(AddAnOp, ImportsRunsAndCompilesToCircle) {
  const auto bytes = std::make_shared<std::string>(Model());
  const absl::Span<const uint8_t> span(reinterpret_cast<const uint8_t*>(bytes->data()),
                                       bytes->size());
  absl::StatusOr<onnx_import::ImportResult> import =
      onnx_import::ImportBytes(span, bytes, "halve.onnx", {});
  ASSERT_TRUE(import.ok()) << import.status();
  ir::Graph& graph = *import->graph;
  absl::StatusOr<ir::Tensor> x = ir::Tensor::Allocate(ir::DType::kF32, {2, 3});
  ASSERT_TRUE(x.ok());
  for (int i = 0; i < 6; ++i) x->mutable_data<float>()[i] = static_cast<float>(i) - 2;
  absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  ASSERT_TRUE(executor.ok()) << executor.status();
  const absl::StatusOr<std::vector<ir::Tensor>> expected = executor->Run({&*x, 1});
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ((*expected)[0].data<float>()[5], 1.5f);

  const verification::Target& target = *verification::FindTarget("circle");
  const absl::StatusOr<std::string> artifact = target.Compile(graph);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  const absl::StatusOr<std::vector<ir::Tensor>> actual = target.Execute(*artifact, {&*x, 1});
  ASSERT_TRUE(actual.ok()) << actual.status();
  EXPECT_TRUE(ir::Identical((*actual)[0], (*expected)[0]));
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::ir::Registry::Global().Add(tessera::ops::HalveOps());
  tessera::circle::RegisterOperators();
  tessera::testing::RegisterDefinitionTests(tessera::ops::HalveExamples());
  return RUN_ALL_TESTS();
}
