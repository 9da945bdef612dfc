#include "frontends/onnx/model_splice.h"

#include <random>
#include <string>

#include "frontends/onnx/wire.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {
namespace {

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string Text(absl::Span<const uint8_t> bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// A tensor everywhere that one can be.
onnx::ModelProto ModelOfTensors() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.set_producer_name("test");
  onnx::GraphProto* graph = model.mutable_graph();
  onnx::TensorProto* weight = graph->add_initializer();
  weight->set_name("w");
  weight->add_dims(1000);
  weight->set_raw_data(std::string(4000, 'w'));
  onnx::TensorProto* typed = graph->add_initializer();
  typed->set_name("typed");
  typed->add_float_data(1.5f);
  onnx::NodeProto* node = graph->add_node();
  node->add_input("x");
  onnx::AttributeProto* value = node->add_attribute();
  value->set_name("value");
  value->mutable_t()->set_raw_data("attribute");
  onnx::AttributeProto* list = node->add_attribute();
  list->add_tensors()->set_raw_data("list 0");
  list->add_tensors()->set_raw_data("");
  onnx::AttributeProto* branch = node->add_attribute();
  branch->mutable_g()->add_initializer()->set_raw_data("subgraph");
  branch->mutable_g()->add_node()->add_attribute()->mutable_t()->set_raw_data("node of subgraph");
  onnx::AttributeProto* graphs = node->add_attribute();
  graphs->add_graphs()->add_initializer()->set_raw_data("one of graphs");
  model.add_functions()->add_node()->add_attribute()->mutable_t()->set_raw_data("function");
  return model;
}

// Puts the blobs back.
void Restore(const SplicedModel& spliced, onnx::TensorProto& tensor) {
  if (!tensor.has_raw_data()) return;
  auto blob = spliced.Blob(tensor.raw_data());
  ASSERT_TRUE(blob.ok()) << blob.status();
  tensor.set_raw_data(Text(*blob));
}

void Restore(const SplicedModel& spliced, onnx::GraphProto& graph);

void Restore(const SplicedModel& spliced, onnx::NodeProto& node) {
  for (auto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) Restore(spliced, *attribute.mutable_t());
    for (auto& tensor : *attribute.mutable_tensors()) Restore(spliced, tensor);
    if (attribute.has_g()) Restore(spliced, *attribute.mutable_g());
    for (auto& graph : *attribute.mutable_graphs()) Restore(spliced, graph);
  }
}

void Restore(const SplicedModel& spliced, onnx::GraphProto& graph) {
  for (auto& tensor : *graph.mutable_initializer()) Restore(spliced, tensor);
  for (auto& node : *graph.mutable_node()) Restore(spliced, node);
}

void Restore(const SplicedModel& spliced, onnx::ModelProto& model) {
  if (model.has_graph()) Restore(spliced, *model.mutable_graph());
  for (auto& function : *model.mutable_functions()) {
    for (auto& node : *function.mutable_node()) Restore(spliced, node);
  }
}

TEST(ModelSplice, TakesRawDataOutAndKeepsTheRest) {
  const onnx::ModelProto model = ModelOfTensors();
  const std::string file = model.SerializeAsString();
  auto spliced = SpliceModel(Bytes(file));
  ASSERT_TRUE(spliced.ok()) << spliced.status();
  EXPECT_EQ(spliced->blobs.size(), 8u);
  EXPECT_EQ(spliced->structure.find("wwww"), std::string::npos);
  EXPECT_EQ(spliced->structure.find("subgraph"), std::string::npos);
  for (absl::Span<const uint8_t> blob : spliced->blobs) {
    EXPECT_GE(blob.data(), Bytes(file).data());
    EXPECT_LE(blob.data() + blob.size(), Bytes(file).data() + file.size());
  }
  onnx::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(spliced->structure));
  EXPECT_EQ(parsed.graph().initializer(0).raw_data().size(), 8u);
  Restore(*spliced, parsed);
  EXPECT_EQ(parsed.SerializeAsString(), file);
}

TEST(ModelSplice, RepeatedFieldsMeanWhatProtobufTakesThemFor) {
  // The graph in two pieces, and a tensor whose `raw_data` is there twice.
  onnx::TensorProto once, again;
  once.set_name("w");
  once.set_raw_data("first");
  again.set_raw_data("second");
  const std::string tensor = once.SerializeAsString() + again.SerializeAsString();
  std::string graph;
  AppendVarint(Tag(5, WireType::kBytes), graph);
  AppendVarint(tensor.size(), graph);
  graph += tensor;
  std::string file;
  for (int piece = 0; piece < 2; ++piece) {
    AppendVarint(Tag(7, WireType::kBytes), file);
    AppendVarint(graph.size(), file);
    file += graph;
  }
  onnx::ModelProto expected, parsed;
  ASSERT_TRUE(expected.ParseFromString(file));
  auto spliced = SpliceModel(Bytes(file));
  ASSERT_TRUE(spliced.ok()) << spliced.status();
  ASSERT_TRUE(parsed.ParseFromString(spliced->structure));
  Restore(*spliced, parsed);
  EXPECT_EQ(parsed.graph().initializer_size(), 2);
  EXPECT_EQ(parsed.SerializeAsString(), expected.SerializeAsString());
}

TEST(ModelSplice, EveryTruncationIsAnErrorOrAWholeModel) {
  const std::string file = ModelOfTensors().SerializeAsString();
  int refused = 0;
  for (size_t size = 0; size < file.size(); ++size) {
    auto spliced = SpliceModel(Bytes(file).first(size));
    if (!spliced.ok()) {
      ++refused;
      EXPECT_NE(std::string(spliced.status().message()).find("byte "), std::string::npos);
      continue;
    }
    onnx::ModelProto parsed;
    EXPECT_TRUE(parsed.ParseFromString(spliced->structure)) << size;
  }
  EXPECT_GT(refused, static_cast<int>(file.size()) * 9 / 10);
}

TEST(ModelSplice, AgreesWithProtobufOnDamagedFiles) {
  const std::string file = ModelOfTensors().SerializeAsString();
  std::mt19937 random(7);
  int both = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = file;
    for (int flips = 1 + round % 3; flips > 0; --flips)
      damaged[random() % damaged.size()] ^= 1 << random() % 8;
    onnx::ModelProto expected, parsed;
    const bool expected_ok = expected.ParseFromString(damaged);
    auto spliced = SpliceModel(Bytes(damaged));
    const bool ok = spliced.ok() && parsed.ParseFromString(spliced->structure);
    if (!ok) continue;  // stricter than protobuf: groups
    ASSERT_TRUE(expected_ok);
    Restore(*spliced, parsed);
    EXPECT_EQ(parsed.SerializeAsString(), expected.SerializeAsString());
    ++both;
  }
  EXPECT_GT(both, 1000);
}

TEST(ModelSplice, RefusesLengthsBeyondTheFileByteAndField) {
  const std::string file("\x3a\xff\xff\xff\xff\x07", 6);
  EXPECT_EQ(SpliceModel(Bytes(file)).status().message(),
            "byte 0: field 7 claims 2147483647 bytes, 0 are left, in `ModelProto`");
}

TEST(ModelSplice, RefusesDeepNesting) {
  onnx::GraphProto graph;
  for (int depth = 0; depth < 60; ++depth) {
    onnx::GraphProto outer;
    *outer.add_node()->add_attribute()->mutable_g() = graph;
    graph = outer;
  }
  onnx::ModelProto model;
  *model.mutable_graph() = graph;
  auto spliced = SpliceModel(Bytes(model.SerializeAsString()));
  ASSERT_FALSE(spliced.ok());
  EXPECT_NE(std::string(spliced.status().message()).find("nested deeper than"), std::string::npos);
}

TEST(ModelSplice, BlobsAreForTokensOnly) {
  SplicedModel model;
  EXPECT_FALSE(model.Blob("").ok());
  EXPECT_FALSE(model.Blob(std::string(8, '\0')).ok());
  EXPECT_FALSE(model.Blob("something else").ok());
}

}  // namespace
}  // namespace tessera::onnx_import
