#include "frontends/onnx/edit/model_editor.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/edit/editor_state.h"
#include "frontends/onnx/edit/tensor_proto.h"
#include "frontends/onnx/external_data.h"
#include "frontends/onnx/tensor_loader.h"
#include "frontends/onnx/wire.h"
#include "onnx/onnx_pb.h"
#include "support/mapped_file.h"

namespace tessera::onnx_import {
namespace {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::NodeProto;

template <class Tensors>
absl::Status Internalize(Tensors& tensors, ExternalData& external) {
  for (onnx::TensorProto& tensor : tensors) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) continue;
    const absl::StatusOr<uint64_t> bytes = BytesOf(tensor);
    if (!bytes.ok()) return bytes.status();
    const absl::StatusOr<support::MappedFile> contents = external.Find(tensor, *bytes);
    if (!contents.ok()) return contents.status();
    tensor.set_raw_data(contents->bytes.data(), contents->bytes.size());
    tensor.clear_external_data();
    tensor.clear_data_location();
  }
  return absl::OkStatus();
}

}  // namespace

ModelEditor::ModelEditor(std::unique_ptr<State> state) : state_(std::move(state)) {}
ModelEditor::ModelEditor(ModelEditor&&) noexcept = default;
ModelEditor& ModelEditor::operator=(ModelEditor&&) noexcept = default;
ModelEditor::~ModelEditor() = default;

absl::StatusOr<ModelEditor> ModelEditor::Parse(std::string_view bytes, const std::string& name) {
  auto state = std::make_unique<State>();
  if (bytes.size() > INT32_MAX)
    return absl::ResourceExhaustedError(absl::StrCat(name, ": larger than the 2 GB of a message"));
  if (!state->model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return absl::InvalidArgumentError(absl::StrCat(name, ": no ONNX model"));
  state->Index();
  return ModelEditor(std::move(state));
}

absl::StatusOr<ModelEditor> ModelEditor::Open(const std::string& path) {
  const absl::StatusOr<support::MappedFile> file = support::MapFile(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<ModelEditor> editor =
      Parse({reinterpret_cast<const char*>(file->bytes.data()), file->bytes.size()}, path);
  if (!editor.ok()) return editor;
  ExternalData external(path);
  absl::Status status = Internalize(*editor->state_->graph().mutable_initializer(), external);
  for (NodeProto& node : editor->state_->current) {
    for (AttributeProto& attribute : *node.mutable_attribute()) {
      if (!attribute.has_t() || !status.ok()) continue;
      google::protobuf::RepeatedPtrField<onnx::TensorProto> one;
      *one.Add() = attribute.t();
      status = Internalize(one, external);
      *attribute.mutable_t() = one.Get(0);
    }
  }
  if (!status.ok()) return status;
  return editor;
}

const std::vector<FileNode>& ModelEditor::nodes() const { return state_->nodes; }

int ModelEditor::Find(const std::string& name, const std::string& tensor) const {
  int found = -1;
  for (size_t i = 0; i < state_->nodes.size(); ++i) {
    const FileNode& node = state_->nodes[i];
    if (node.name != name) continue;
    const auto has = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), tensor) != list.end();
    };
    if (has(node.inputs) || has(node.outputs)) return static_cast<int>(i);
    if (found < 0) found = static_cast<int>(i);
  }
  return found;
}

int64_t ModelEditor::Opset(const std::string& domain) const {
  for (const auto& import : state_->model.opset_import()) {
    const std::string name = import.domain() == "ai.onnx" ? "" : import.domain();
    if (name == domain) return import.version();
  }
  return 0;
}

void ModelEditor::RequireOpset(const std::string& domain, int64_t version) {
  for (auto& import : *state_->model.mutable_opset_import()) {
    if (import.domain() != domain) continue;
    import.set_version(std::max<int64_t>(import.version(), version));
    return;
  }
  auto* import = state_->model.add_opset_import();
  import->set_domain(domain);
  import->set_version(version);
}

std::string ModelEditor::Fresh(const std::string& base) {
  std::string name = base;
  for (int i = 2; !state_->taken.insert(name).second; ++i) name = absl::StrCat(base, "_", i);
  return name;
}

bool ModelEditor::IsInitializer(const std::string& tensor) const {
  return state_->initializers.contains(tensor);
}

absl::Status ModelEditor::AddInitializer(const std::string& name, const ir::Tensor& tensor) {
  GraphProto& g = state_->graph();
  state_->initializers[name] = g.initializer_size();
  FillProto(name, tensor, *g.add_initializer());
  return absl::OkStatus();
}

absl::Status ModelEditor::ReplaceConstant(const std::string& name, const ir::Tensor& tensor) {
  const auto found = state_->initializers.find(name);
  if (found != state_->initializers.end()) {
    FillProto(name, tensor, *state_->graph().mutable_initializer(found->second));
    // Before version 4 of the format an initializer had to be declared as an input too.
    for (auto& input : *state_->graph().mutable_input()) {
      if (input.name() != name) continue;
      auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
      shape->clear_dim();
      for (const int64_t dim : tensor.shape()) shape->add_dim()->set_dim_value(dim);
    }
    return absl::OkStatus();
  }
  for (size_t i = 0; i < state_->nodes.size(); ++i) {
    const std::vector<std::string>& outputs = state_->nodes[i].outputs;
    if (outputs.size() != 1 || outputs[0] != name || !state_->nodes[i].inputs.empty()) continue;
    for (AttributeProto& attribute : *state_->current[i].mutable_attribute()) {
      if (!attribute.has_t()) continue;
      FillProto("", tensor, *attribute.mutable_t());
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("`", name, "` is no constant of the main graph"));
}

void ModelEditor::ForgetSizes() {
  for (auto& info : *state_->graph().mutable_value_info()) {
    if (info.type().has_tensor_type()) info.mutable_type()->mutable_tensor_type()->clear_shape();
  }
}

bool ModelEditor::RenameInput(int node, const std::string& from, const std::string& to) {
  bool found = false;
  for (std::string& input : *state_->current[static_cast<size_t>(node)].mutable_input()) {
    if (input != from) continue;
    input = to;
    found = true;
  }
  return found;
}

void ModelEditor::SetInput(int node, int index, const std::string& tensor) {
  NodeProto& proto = state_->current[static_cast<size_t>(node)];
  while (proto.input_size() <= index) proto.add_input("");
  proto.set_input(index, tensor);
}

void ModelEditor::RenameOutput(int node, const std::string& from, const std::string& to) {
  for (std::string& output : *state_->current[static_cast<size_t>(node)].mutable_output()) {
    if (output == from) output = to;
  }
}

namespace {

void Fill(AttributeProto& attribute, const NewNode::Attribute& value) {
  attribute.set_name(value.first);
  if (const auto* number = std::get_if<int64_t>(&value.second)) {
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(*number);
  } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value.second)) {
    attribute.set_type(AttributeProto::INTS);
    for (const int64_t entry : *list) attribute.add_ints(entry);
  } else {
    attribute.set_type(AttributeProto::STRING);
    attribute.set_s(std::get<std::string>(value.second));
  }
}

NodeProto ProtoOf(const NewNode& added, const std::vector<NodeProto>& current) {
  NodeProto node;
  node.set_name(added.name);
  node.set_op_type(added.op_type);
  node.set_domain(added.domain);
  for (const std::string& input : added.inputs) node.add_input(input);
  for (const std::string& output : added.outputs) node.add_output(output);
  for (const NewNode::Attribute& attribute : added.attributes)
    Fill(*node.add_attribute(), attribute);
  if (added.attributes_of >= 0)
    node.mutable_attribute()->MergeFrom(
        current[static_cast<size_t>(added.attributes_of)].attribute());
  return node;
}

}  // namespace

void ModelEditor::SetAttribute(int node, const std::string& name, std::vector<int64_t> values,
                               bool list) {
  NodeProto& proto = state_->current[static_cast<size_t>(node)];
  AttributeProto made;
  if (list) {
    Fill(made, {name, std::move(values)});
  } else {
    Fill(made, {name, values.empty() ? 0 : values[0]});
  }
  for (AttributeProto& attribute : *proto.mutable_attribute()) {
    if (attribute.name() != name) continue;
    attribute = std::move(made);
    return;
  }
  *proto.add_attribute() = std::move(made);
}

void ModelEditor::AddBefore(int node, const NewNode& added) {
  state_->before[static_cast<size_t>(node)].push_back(ProtoOf(added, state_->current));
}

void ModelEditor::AddAfter(int node, const NewNode& added) {
  state_->after[static_cast<size_t>(node)].push_back(ProtoOf(added, state_->current));
}

void ModelEditor::AddLast(const NewNode& added) {
  state_->last.push_back(ProtoOf(added, state_->current));
}

void ModelEditor::Replace(int node, const NewNode& with) {
  NodeProto& proto = state_->current[static_cast<size_t>(node)];
  NodeProto made = ProtoOf(with, state_->current);
  made.set_name(proto.name());
  made.set_doc_string(proto.doc_string());
  *made.mutable_output() = proto.output();
  proto = std::move(made);
}

std::vector<int> ModelEditor::ReadersOf(const std::string& tensor) const {
  std::vector<int> readers;
  for (size_t i = 0; i < state_->current.size(); ++i) {
    const auto& inputs = state_->current[i].input();
    if (std::find(inputs.begin(), inputs.end(), tensor) != inputs.end())
      readers.push_back(static_cast<int>(i));
  }
  return readers;
}

bool ModelEditor::ReadBySubgraph(const std::string& tensor) const {
  return state_->from_within.contains(tensor);
}

bool ModelEditor::IsOutput(const std::string& tensor) const {
  const auto& outputs = state_->graph().output();
  return std::any_of(outputs.begin(), outputs.end(),
                     [&](const auto& output) { return output.name() == tensor; });
}

}  // namespace tessera::onnx_import
