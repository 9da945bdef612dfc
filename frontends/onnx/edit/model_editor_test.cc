#include "frontends/onnx/edit/model_editor.h"

#include <cstdint>
#include <map>
#include <string>

#include "frontends/onnx/model_for_test.h"
#include "gtest/gtest.h"

namespace tessera::onnx_import {
namespace {

using onnx::ModelProto;
using onnx::NodeProto;

ModelForTest Network() {
  ModelForTest model;
  model.Input("x", {1, 2}).Output("y").Output("z");
  model.Floats("w", {2, 2}, {1, 2, 3, 4}).Floats("unread", {1}, {5});
  model.Node("MatMul", {"x", "w"}, {"a"}, "first");
  model.Node("Relu", {"a"}, {"y"});
  model.Node("MatMul", {"a", "w"}, {"z"}, "first");  // names need not be unique
  // A field that is newer than the schema that this is built with.
  model.graph()
      .mutable_node(0)
      ->GetReflection()
      ->MutableUnknownFields(model.graph().mutable_node(0))
      ->AddLengthDelimited(9, "\n\x01k\x12\x01v");
  return model;
}

ModelEditor Open(const ModelForTest& model) {
  absl::StatusOr<ModelEditor> editor = ModelEditor::Parse(model.proto.SerializeAsString(), "m");
  EXPECT_TRUE(editor.ok()) << editor.status();
  return *std::move(editor);
}

ModelProto Written(const ModelEditor& editor) {
  ModelProto model;
  const absl::StatusOr<std::string> bytes = editor.Serialize();
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(model.ParseFromString(*bytes));
  return model;
}

TEST(ModelEditor, LeavesWhatIsNotTouched) {
  const ModelForTest model = Network();
  EXPECT_EQ(*Open(model).Serialize(), model.proto.SerializeAsString());
}

TEST(ModelEditor, ReadsNodes) {
  ModelForTest model = Network();
  onnx::AttributeProto& count = *model.graph().mutable_node(1)->add_attribute();
  count.set_name("count");
  count.set_type(onnx::AttributeProto::INT);
  count.set_i(3);
  const ModelEditor editor = Open(model);
  ASSERT_EQ(editor.nodes().size(), 3u);
  EXPECT_EQ(editor.nodes()[1].name, "Relu_1");
  EXPECT_EQ(editor.nodes()[0].metadata.at("k"), "v");
  EXPECT_EQ(editor.nodes()[1].integers, (std::map<std::string, int64_t>{{"count", 3}}));
  EXPECT_EQ(editor.Find("first", "z"), 2);
  EXPECT_EQ(editor.Find("first", "a"), 0);
  EXPECT_EQ(editor.Find("second", "a"), -1);
  EXPECT_EQ(editor.ReadersOf("a"), (std::vector<int>{1, 2}));
  EXPECT_TRUE(editor.IsOutput("z"));
  EXPECT_FALSE(editor.IsOutput("a"));
}

TEST(ModelEditor, PutsNodesWhereTheyAreAskedFor) {
  ModelEditor editor = Open(Network());
  editor.AddBefore(1, {"Neg", "", editor.Fresh("neg"), {"a"}, {"n"}, {{"k", int64_t{3}}}});
  EXPECT_TRUE(editor.RenameInput(1, "a", "n"));
  EXPECT_FALSE(editor.RenameInput(1, "a", "n"));
  editor.AddAfter(0, {"Abs", "", editor.Fresh("neg"), {"a0"}, {"a"}, {}});
  editor.RenameOutput(0, "a", "a0");
  const ModelProto model = Written(editor);
  std::string order;
  for (const NodeProto& node : model.graph().node()) order += node.op_type() + " ";
  EXPECT_EQ(order, "MatMul Abs Neg Relu MatMul ");
  EXPECT_EQ(model.graph().node(1).name(), "neg_2");
  EXPECT_EQ(model.graph().node(2).attribute(0).i(), 3);
  EXPECT_EQ(model.graph().node(3).input(0), "n");
}

TEST(ModelEditor, RemovesOnlyWhatNothingReads) {
  ModelEditor editor = Open(Network());
  EXPECT_TRUE(editor.RenameInput(0, "w", "v"));
  editor.RemoveUnread({"w", "unread"});
  EXPECT_EQ(Written(editor).graph().initializer_size(), 1);  // the other node reads `w`
  EXPECT_TRUE(editor.RenameInput(2, "w", "v"));
  editor.RemoveUnread({"w"});
  EXPECT_EQ(Written(editor).graph().initializer_size(), 0);
}

TEST(ModelEditor, KeepsInputsThatNothingReadsAnyMore) {
  ModelForTest network = Network();
  network.Input("w", {2, 2});  // declared, as old files do
  ModelEditor editor = Open(network);
  for (const int node : {0, 2}) EXPECT_TRUE(editor.RenameInput(node, "w", "v"));
  EXPECT_TRUE(editor.RenameInput(0, "x", "v"));
  editor.RemoveUnread({"w", "x"});
  const ModelProto model = Written(editor);
  ASSERT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).name(), "x");
}

TEST(ModelEditor, RemovesWhatOnlyTheUnreadWasMadeOf) {
  ModelForTest model;
  model.Input("x", {1}).Output("y").Floats("w", {1}, {1}).Floats("v", {1}, {2});
  model.Node("Identity", {"w"}, {"a"});
  model.Node("Add", {"a", "v"}, {"b"});
  model.Node("Neg", {"v"}, {"c"});
  model.Node("Mul", {"x", "b"}, {"d"});
  model.Node("Mul", {"d", "c"}, {"y"});
  ModelEditor editor = Open(model);
  EXPECT_TRUE(editor.RenameInput(3, "b", "x"));
  editor.RemoveUnread({"b"});
  const ModelProto written = Written(editor);
  EXPECT_EQ(written.graph().node_size(), 3);
  ASSERT_EQ(written.graph().initializer_size(), 1);
  EXPECT_EQ(written.graph().initializer(0).name(), "v");
}

TEST(ModelEditor, ReplacesConstantsOfAnyShape) {
  ModelEditor editor = Open(Network());
  const float values[] = {7, 8};
  const ir::Tensor tensor = ir::Tensor::Of<float>(ir::DType::kF32, {2, 1}, values);
  ASSERT_TRUE(editor.ReplaceConstant("w", tensor).ok());
  EXPECT_FALSE(editor.ReplaceConstant("a", tensor).ok());
  const onnx::TensorProto written = Written(editor).graph().initializer(0);
  EXPECT_EQ(written.name(), "w");
  EXPECT_EQ(written.dims(1), 1);
  EXPECT_EQ(written.raw_data().size(), 8u);
}

TEST(ModelEditor, RefusesWhatIsNoModel) {
  const std::string bytes = Network().proto.SerializeAsString();
  for (size_t size = 1; size < bytes.size(); ++size) {
    const auto editor = ModelEditor::Parse(bytes.substr(0, size), "m");
    if (editor.ok()) {
      EXPECT_TRUE(editor->Serialize().ok()) << size;
    }
  }
  EXPECT_FALSE(ModelEditor::Open("nowhere.onnx").ok());
}

}  // namespace
}  // namespace tessera::onnx_import
