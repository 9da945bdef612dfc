// From a file to what an editor knows of it, and back to a file.
#include "frontends/onnx/edit/editor_state.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/node_order.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/unknown_field_set.h"

namespace tessera::onnx_import {
namespace {

using onnx::GraphProto;
using onnx::NodeProto;

// NodeProto.metadata_props, which is newer than the onnx.proto that we build with: entries of a key
// (1) and a value (2).
constexpr int kNodeMetadata = 9;

std::map<std::string, std::string> MetadataOf(const NodeProto& node) {
  std::map<std::string, std::string> metadata;
  const google::protobuf::UnknownFieldSet& fields = node.GetReflection()->GetUnknownFields(node);
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    if (field.number() != kNodeMetadata ||
        field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      continue;
    const std::string& bytes = field.length_delimited();
    onnx::StringStringEntryProto entry;
    if (entry.ParseFromString(bytes)) metadata[entry.key()] = entry.value();
  }
  return metadata;
}

std::map<std::string, int64_t> IntegersOf(const NodeProto& node) {
  std::map<std::string, int64_t> integers;
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.type() == onnx::AttributeProto::INT) integers[attribute.name()] = attribute.i();
  }
  return integers;
}

}  // namespace

void ModelEditor::State::Index() {
  const GraphProto& g = graph();
  for (int i = 0; i < g.node_size(); ++i) {
    const NodeProto& node = g.node(i);
    FileNode entry{node.name().empty() ? absl::StrCat(node.op_type(), "_", i) : node.name(),
                   node.op_type(),
                   node.domain(),
                   {node.input().begin(), node.input().end()},
                   {node.output().begin(), node.output().end()},
                   MetadataOf(node),
                   IntegersOf(node)};
    taken.insert(entry.name);
    taken.insert(entry.inputs.begin(), entry.inputs.end());
    taken.insert(entry.outputs.begin(), entry.outputs.end());
    for (const absl::string_view read : ReadBy(node)) {
      if (std::find(entry.inputs.begin(), entry.inputs.end(), read) == entry.inputs.end())
        from_within.insert(std::string(read));
    }
    nodes.push_back(std::move(entry));
    current.push_back(node);
  }
  for (int i = 0; i < g.initializer_size(); ++i) {
    initializers[g.initializer(i).name()] = i;
    taken.insert(g.initializer(i).name());
  }
  for (const auto& input : g.input()) taken.insert(input.name());
  for (const auto& output : g.output()) taken.insert(output.name());
  before.resize(nodes.size());
  after.resize(nodes.size());
}

void ModelEditor::RemoveUnread(absl::Span<const std::string> tensors) {
  absl::flat_hash_map<std::string, int> reads;
  const auto read = [&](const NodeProto& node) {
    for (const std::string& input : node.input()) ++reads[input];
  };
  for (const NodeProto& node : state_->current) read(node);
  for (const NodeProto& node : state_->last) read(node);
  for (const auto* added : {&state_->before, &state_->after}) {
    for (const auto& nodes : *added) {
      for (const NodeProto& node : nodes) read(node);
    }
  }
  for (const auto& output : state_->graph().output()) ++reads[output.name()];
  for (const std::string& name : state_->from_within) ++reads[name];
  std::vector<std::string> open(tensors.begin(), tensors.end());
  while (!open.empty()) {
    const std::string tensor = std::move(open.back());
    open.pop_back();
    if (reads[tensor] > 0 || !state_->removed.insert(tensor).second) continue;
    for (const NodeProto& node : state_->current) {
      if (node.output_size() != 1 || node.output(0) != tensor) continue;
      for (const std::string& input : node.input()) {
        if (--reads[input] == 0) open.push_back(input);
      }
    }
  }
}

absl::StatusOr<std::string> ModelEditor::Serialize() const {
  onnx::ModelProto model = state_->model;
  GraphProto& g = *model.mutable_graph();
  g.clear_node();
  const auto add = [&](const std::vector<NodeProto>& nodes) {
    for (const NodeProto& node : nodes) *g.add_node() = node;
  };
  for (size_t i = 0; i < state_->current.size(); ++i) {
    add(state_->before[i]);
    const NodeProto& node = state_->current[i];
    const bool unread = node.output_size() == 1 && state_->removed.contains(node.output(0));
    if (!unread) *g.add_node() = node;
    add(state_->after[i]);
  }
  add(state_->last);
  auto* initializers = g.mutable_initializer();
  initializers->erase(std::remove_if(initializers->begin(), initializers->end(),
                                     [&](const onnx::TensorProto& tensor) {
                                       return state_->removed.contains(tensor.name());
                                     }),
                      initializers->end());
  // Before version 4 of the format an initializer had to be declared as an input too. Another input
  // is what the network is given, whether it is read or not.
  auto* inputs = g.mutable_input();
  inputs->erase(std::remove_if(inputs->begin(), inputs->end(),
                               [&](const onnx::ValueInfoProto& input) {
                                 return state_->removed.contains(input.name()) &&
                                        state_->initializers.contains(input.name());
                               }),
                inputs->end());
  if (model.ByteSizeLong() > INT32_MAX)
    return absl::ResourceExhaustedError("the model would be larger than the 2 GB of a message");
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  if (!model.SerializeToCodedStream(&coded)) return absl::InternalError("serialization failed");
  coded.Trim();
  return bytes;
}

}  // namespace tessera::onnx_import
