#include "testing/imports/node_sampler.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera::testing {
namespace {

using onnx::AttributeProto;
using onnx::TensorProto;

}  // namespace

NodeSampler::NodeSampler(const Schema& schema, const std::vector<const ops::Example*>& examples,
                         const Words& words, uint64_t seed)
    : schema_(schema),
      examples_(examples),
      words_(words),
      random_(seed, absl::StrCat(schema.domain, ".", schema.name, ".", schema.version)) {
  for (const SchemaAttribute& attribute : schema.attributes)
    possible_ = possible_ && (!attribute.required || CanMake(attribute));
}

onnx::ModelProto NodeSampler::Next() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  onnx::OperatorSetIdProto& opset = *model.add_opset_import();
  if (schema_.domain != "ai.onnx") opset.set_domain(schema_.domain);
  opset.set_version(schema_.version);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("sample");
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(schema_.name);
  node.set_name("node");
  if (schema_.domain != "ai.onnx") node.set_domain(schema_.domain);
  types_.clear();
  const ops::Example* const example = examples_.empty() ? nullptr : random_.Of(examples_);
  size_t index = 0;
  for (const SchemaValue& value : schema_.inputs) {
    const bool optional = value.arity == SchemaValue::kOptional;
    if (optional && random_.OneIn(2)) {
      node.add_input("");
      ++index;
      continue;
    }
    const int64_t times = value.arity == SchemaValue::kMany ? 1 + random_.Below(3) : 1;
    for (int64_t i = 0; i < times; ++i) AddInput(value, index++, example, graph, node);
  }
  while (node.input_size() > 0 && node.input(node.input_size() - 1).empty())
    node.mutable_input()->RemoveLast();
  for (const SchemaAttribute& attribute : schema_.attributes) {
    if (attribute.required || random_.OneIn(2)) AddAttribute(attribute, words_, random_, node);
  }
  for (size_t i = 0; i < schema_.outputs.size(); ++i) {
    if (i > 0 && schema_.outputs[i].arity != SchemaValue::kOne && random_.OneIn(2)) break;
    const std::string name = absl::StrCat("out", i);
    node.add_output(name);
    graph.add_output()->set_name(name);
  }
  return model;
}

void NodeSampler::AddInput(const SchemaValue& value, size_t index, const ops::Example* example,
                           onnx::GraphProto& graph, onnx::NodeProto& node) {
  const std::string name = absl::StrCat("in", index);
  node.add_input(name);
  int type = 0;
  const auto known = std::find_if(types_.begin(), types_.end(),
                                  [&](const auto& pair) { return pair.first == value.type; });
  const ops::Literal* literal =
      example != nullptr && index < example->operands.size() && !random_.OneIn(4)
          ? &example->operands[index]
          : nullptr;
  if (literal != nullptr && !literal->present) literal = nullptr;
  if (known != types_.end()) {
    type = known->second;
  } else {
    std::vector<int> allowed;
    for (const auto& [text, number] : ElementTypes()) {
      if (value.types.count(text) > 0) allowed.push_back(number);
    }
    if (allowed.empty()) allowed.push_back(TensorProto::FLOAT);
    type = random_.OneIn(4) ? random_.Of(allowed) : allowed[0];
    types_.emplace_back(value.type, type);
  }
  static const auto* shapes = new std::vector<std::vector<int64_t>>{
      {}, {1}, {2}, {3}, {2, 3}, {3, 2}, {1, 4, 4}, {1, 2, 4, 4}, {2, 2, 3, 3}, {2, 4, 1}};
  std::vector<int64_t> values, shape;
  if (literal != nullptr) {
    shape = literal->shape;
  } else if (IsIndex(type) && index > 0) {
    values = SmallIntegers(random_);
    shape = {static_cast<int64_t>(values.size())};
    if (values.size() == 1 && random_.OneIn(2)) shape.clear();
  } else {
    shape = random_.Of(*shapes);
  }
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  const bool constant = index > 0 && (IsIndex(type) ? !random_.OneIn(4) : random_.OneIn(3));
  if (!constant || count > 64) {
    onnx::ValueInfoProto& info = *graph.add_input();
    info.set_name(name);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (const int64_t size : shape) tensor.mutable_shape()->add_dim()->set_dim_value(size);
    return;
  }
  TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (const int64_t size : shape) tensor.add_dims(size);
  for (int64_t i = 0; i < count; ++i) {
    const bool stated =
        literal != nullptr && !literal->random && static_cast<size_t>(i) < literal->values.size();
    const double real = stated ? literal->values[static_cast<size_t>(i)] : random_.Real();
    const int64_t whole = !values.empty() ? values[static_cast<size_t>(i)]
                          : stated        ? static_cast<int64_t>(real)
                                          : random_.Below(4);
    SetValue(tensor, whole, real);
  }
}

onnx::ModelProto Spelled(const onnx::ModelProto& model, const Schema& schema) {
  onnx::ModelProto spelled = model;
  onnx::NodeProto& node = *spelled.mutable_graph()->mutable_node(0);
  for (const SchemaAttribute& known : schema.attributes) {
    const bool there = std::any_of(node.attribute().begin(), node.attribute().end(),
                                   [&](const AttributeProto& a) { return a.name() == known.name; });
    if (there || !known.otherwise.has_value()) continue;
    AttributeProto attribute;
    attribute.set_name(known.name);
    int64_t whole = 0;
    float real = 0;
    if (known.kind == "int" && absl::SimpleAtoi(*known.otherwise, &whole)) {
      attribute.set_type(AttributeProto::INT);
      attribute.set_i(whole);
    } else if (known.kind == "float" && absl::SimpleAtof(*known.otherwise, &real)) {
      attribute.set_type(AttributeProto::FLOAT);
      attribute.set_f(real);
    } else if (known.kind == "string") {
      attribute.set_type(AttributeProto::STRING);
      attribute.set_s(*known.otherwise);
    } else {
      continue;
    }
    *node.add_attribute() = attribute;
  }
  return spelled;
}

}  // namespace tessera::testing
