#include "testing/imports/node_variations.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera::testing {
namespace {

using onnx::AttributeProto;
using onnx::TensorProto;

constexpr int64_t kMostConstant = 64;  // elements

int64_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

template <class T>
std::vector<double> FromRaw(const std::string& raw) {
  std::vector<T> values(raw.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), raw.data(), values.size() * sizeof(T));
  return {values.begin(), values.end()};
}

// Of the types that are edited; else none.
std::vector<double> ElementsOf(const TensorProto& tensor) {
  const std::string& raw = tensor.raw_data();
  const auto typed = [](const auto& field) {
    return std::vector<double>(field.begin(), field.end());
  };
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return raw.empty() ? typed(tensor.float_data()) : FromRaw<float>(raw);
    case TensorProto::DOUBLE:
      return raw.empty() ? typed(tensor.double_data()) : FromRaw<double>(raw);
    case TensorProto::INT64:
      return raw.empty() ? typed(tensor.int64_data()) : FromRaw<int64_t>(raw);
    case TensorProto::INT32:
      return raw.empty() ? typed(tensor.int32_data()) : FromRaw<int32_t>(raw);
    case TensorProto::INT8:
      return raw.empty() ? typed(tensor.int32_data()) : FromRaw<int8_t>(raw);
    case TensorProto::UINT8:
      return raw.empty() ? typed(tensor.int32_data()) : FromRaw<uint8_t>(raw);
    default:
      return {};
  }
}

TensorProto TensorOf(int type, const std::vector<int64_t>& shape,
                     const std::vector<double>& values) {
  TensorProto tensor;
  tensor.set_data_type(type);
  for (const int64_t size : shape) tensor.add_dims(size);
  const int64_t count = CountOf(shape);
  for (int64_t i = 0; i < count; ++i) {
    const double value = values.empty() ? 0 : values[static_cast<size_t>(i) % values.size()];
    const bool whole = std::abs(value) < 1e15;  // NaN is none
    SetValue(tensor, whole ? static_cast<int64_t>(value) : 0, value);
  }
  return tensor;
}

template <class List, class T>
void EditList(List& list, T item, Random& random) {
  const int size = list.size();
  switch (size == 0 ? 0 : random.Below(5)) {
    case 0:
      list.Add(std::move(item));
      return;
    case 1:
      list.RemoveLast();
      return;
    case 2:
      list.SwapElements(static_cast<int>(random.Below(size)), static_cast<int>(random.Below(size)));
      return;
    default:
      *list.Mutable(static_cast<int>(random.Below(size))) = std::move(item);
  }
}

}  // namespace

NodeVariations::NodeVariations(const Schema& schema, const std::vector<NodeTest>& tests,
                               const Words& words, uint64_t seed)
    : schema_(schema),
      tests_(tests),
      words_(words),
      random_(seed, absl::StrCat("near ", schema.domain, ".", schema.name, ".", schema.version)) {
  constexpr size_t kLeast = 80, kPerTest = 4, kMost = 240;
  count_ = tests.empty() ? 0
                         : static_cast<int>(std::min(
                               kMost, std::max(tests.size(), kLeast + kPerTest * tests.size())));
}

Variation NodeVariations::Next() {
  const bool as_it_is = next_ < tests_.size();
  Node node = NodeOf(as_it_is ? tests_[next_++] : random_.Of(tests_));
  const int64_t edits = as_it_is ? 0 : 1 + random_.Below(3);
  for (int64_t i = 0; i < edits; ++i) Edit(node);
  return ModelOf(node);
}

const SchemaValue* NodeVariations::SchemaOf(size_t input) const {
  if (schema_.inputs.empty()) return nullptr;
  if (input < schema_.inputs.size()) return &schema_.inputs[input];
  const SchemaValue& last = schema_.inputs.back();
  return last.arity == SchemaValue::kMany ? &last : nullptr;
}

NodeVariations::Node NodeVariations::NodeOf(const NodeTest& test) {
  const onnx::GraphProto& graph = test.model.graph();
  Node node;
  for (const AttributeProto& attribute : graph.node(0).attribute()) {
    if (schema_.Find(attribute.name()) != nullptr) node.attributes.push_back(attribute);
  }
  const auto& names = graph.node(0).input();
  for (int i = 0; i < names.size() && SchemaOf(static_cast<size_t>(i)) != nullptr; ++i) {
    Value& value = node.inputs.emplace_back();
    value.name = names[i];
    for (int k = 0; k < graph.input_size(); ++k) {
      if (graph.input(k).name() != names[i]) continue;
      value.data = test.inputs[static_cast<size_t>(k)];
      value.type = graph.input(k).type().tensor_type().elem_type();
      for (const auto& dim : graph.input(k).type().tensor_type().shape().dim())
        value.shape.push_back(dim.has_dim_value() ? dim.dim_value() : 2);
    }
    for (const TensorProto& tensor : graph.initializer()) {
      if (tensor.name() != names[i]) continue;
      value.data = tensor;
      value.type = tensor.data_type();
      value.constant = true;
    }
    if (!value.data.has_value()) continue;
    value.shape.assign(value.data->dims().begin(), value.data->dims().end());
    const bool likely = IsIndex(value.type) || value.shape.size() < 2;
    if (CountOf(value.shape) <= kMostConstant && (i > 0 || value.shape.empty()))
      value.constant = value.constant || (likely ? !random_.OneIn(4) : random_.OneIn(4));
  }
  node.outputs =
      std::max(1, std::min(graph.node(0).output_size(), static_cast<int>(schema_.outputs.size())));
  return node;
}

Variation NodeVariations::ModelOf(const Node& node) const {
  Variation variation;
  onnx::ModelProto& model = variation.model;
  model.set_ir_version(8);
  onnx::OperatorSetIdProto& opset = *model.add_opset_import();
  opset.set_version(schema_.version);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("sample");
  onnx::NodeProto& made = *graph.add_node();
  made.set_op_type(schema_.name);
  made.set_name("node");
  if (schema_.domain != "ai.onnx") {
    opset.set_domain(schema_.domain);
    made.set_domain(schema_.domain);
  }
  for (const AttributeProto& attribute : node.attributes) *made.add_attribute() = attribute;
  for (const Value& value : node.inputs) {
    made.add_input(value.name);
    const auto named = [&](const auto& other) { return other.name() == value.name; };
    if (value.name.empty() || std::any_of(graph.input().begin(), graph.input().end(), named) ||
        std::any_of(graph.initializer().begin(), graph.initializer().end(), named))
      continue;
    if (value.constant && value.data.has_value()) {
      *graph.add_initializer() = *value.data;
      graph.mutable_initializer()->rbegin()->set_name(value.name);
      continue;
    }
    onnx::ValueInfoProto& info = *graph.add_input();
    info.set_name(value.name);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(value.type);
    tensor.mutable_shape();
    for (const int64_t size : value.shape) tensor.mutable_shape()->add_dim()->set_dim_value(size);
    variation.inputs.push_back(value.data);
  }
  while (made.input_size() > 0 && made.input(made.input_size() - 1).empty())
    made.mutable_input()->RemoveLast();
  for (int i = 0; i < node.outputs; ++i) {
    made.add_output(absl::StrCat("out", i));
    graph.add_output()->set_name(absl::StrCat("out", i));
  }
  return variation;
}

void NodeVariations::Edit(Node& node) {
  switch (random_.Below(11)) {
    case 0:
    case 1:
      return EditShape(node);
    case 2:
      return EditType(node);
    case 3:
      return EditPresence(node);
    case 4:
    case 5:
      return EditElement(node);
    case 6:
      node.outputs = 1 + static_cast<int>(random_.Below(
                             std::max<int64_t>(1, static_cast<int64_t>(schema_.outputs.size()))));
      return;
    default:
      return EditAttribute(node);
  }
}

void NodeVariations::EditAttribute(Node& node) {
  if (schema_.attributes.empty()) return EditShape(node);
  const SchemaAttribute& chosen = random_.Of(schema_.attributes);
  const auto found =
      std::find_if(node.attributes.begin(), node.attributes.end(),
                   [&](const AttributeProto& known) { return known.name() == chosen.name; });
  if (found == node.attributes.end()) {
    onnx::NodeProto scratch;
    if (AddAttribute(chosen, words_, random_, scratch))
      node.attributes.push_back(scratch.attribute(0));
  } else if (!chosen.required && random_.OneIn(3)) {
    node.attributes.erase(found);
  } else {
    EditValueOf(*found);
  }
}

void NodeVariations::EditValueOf(AttributeProto& attribute) {
  static const auto* reals = new std::vector<float>{0, 0.5, 1, 2, 0.01F, -0.75};
  switch (attribute.type()) {
    case AttributeProto::INT:
      attribute.set_i(random_.OneIn(2) ? attribute.i() + 1 - 2 * random_.Below(2)
                                       : random_.Below(5) - 1);
      return;
    case AttributeProto::FLOAT:
      attribute.set_f(random_.OneIn(2) ? random_.Of(*reals) : attribute.f() * 2);
      return;
    case AttributeProto::STRING:
      attribute.set_s(Word(attribute.name(), words_, random_));
      return;
    case AttributeProto::INTS: {
      const auto& list = attribute.ints();
      const int64_t near = list.empty() ? 0 : list[static_cast<int>(random_.Below(list.size()))];
      const int64_t item = random_.OneIn(2) ? random_.Below(4) : near + 1 - 2 * random_.Below(2);
      return EditList(*attribute.mutable_ints(), item, random_);
    }
    case AttributeProto::FLOATS:
      return EditList(*attribute.mutable_floats(), random_.Of(*reals), random_);
    case AttributeProto::STRINGS: {
      auto& list = *attribute.mutable_strings();
      if (list.empty() || random_.OneIn(4)) {
        list.Add(Word(attribute.name(), words_, random_));
      } else {
        *list.Mutable(static_cast<int>(random_.Below(list.size()))) =
            Word(attribute.name(), words_, random_);
      }
      return;
    }
    default:
      return;
  }
}

void NodeVariations::EditShape(Node& node) {
  if (node.inputs.empty()) return EditAttribute(node);
  Value& chosen =
      node.inputs[static_cast<size_t>(random_.Below(static_cast<int64_t>(node.inputs.size())))];
  const auto reshape = [&](Value& value, const std::vector<int64_t>& shape) {
    if (value.name.empty() || CountOf(shape) > 4096) return;
    value.shape = shape;
    if (!value.data.has_value()) return;
    const std::vector<double> elements = ElementsOf(*value.data);
    if (elements.empty()) {
      value.data.reset();
      value.constant = false;
    } else {
      value.data = TensorOf(value.type, shape, elements);
    }
  };
  if (chosen.shape.empty() || random_.OneIn(4)) {
    std::vector<int64_t> shape = chosen.shape;
    if (shape.empty() || random_.OneIn(2)) {
      shape.insert(shape.begin(), 1 + random_.Below(2));
    } else {
      shape.erase(shape.begin());
    }
    return reshape(chosen, shape);
  }
  // Alone, or with all that have this size.
  const auto axis = static_cast<size_t>(random_.Below(static_cast<int64_t>(chosen.shape.size())));
  const int64_t old = chosen.shape[axis];
  const int64_t size = random_.OneIn(3) ? 1 : std::max<int64_t>(1, old + 1 - 2 * random_.Below(2));
  if (random_.OneIn(2)) {
    std::vector<int64_t> shape = chosen.shape;
    shape[axis] = size;
    return reshape(chosen, shape);
  }
  for (Value& value : node.inputs) {
    std::vector<int64_t> shape = value.shape;
    std::replace(shape.begin(), shape.end(), old, size);
    if (shape != value.shape) reshape(value, shape);
  }
}

void NodeVariations::EditType(Node& node) {
  const auto at = static_cast<size_t>(
      random_.Below(std::max<int64_t>(1, static_cast<int64_t>(node.inputs.size()))));
  const SchemaValue* const chosen = at < node.inputs.size() ? SchemaOf(at) : nullptr;
  if (chosen == nullptr) return;
  std::vector<int> allowed;
  for (const auto& [text, number] : ElementTypes()) {
    if (chosen->types.count(text) > 0) allowed.push_back(number);
  }
  if (allowed.empty()) return;
  const int type = random_.Of(allowed);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    Value& value = node.inputs[i];
    const SchemaValue* const schema = SchemaOf(i);
    if (schema == nullptr || value.name.empty() || schema->type != chosen->type) continue;
    value.type = type;
    if (value.data.has_value()) value.data = TensorOf(type, value.shape, ElementsOf(*value.data));
  }
}

void NodeVariations::EditPresence(Node& node) {
  const size_t at = static_cast<size_t>(
      random_.Below(std::max<int64_t>(1, static_cast<int64_t>(schema_.inputs.size()))));
  const SchemaValue* const schema = SchemaOf(at);
  if (schema == nullptr) return;
  if (schema->arity == SchemaValue::kMany) {
    if (node.inputs.empty()) return;
    if (node.inputs.size() > 1 && random_.OneIn(2)) {
      node.inputs.pop_back();
    } else {
      node.inputs.push_back(node.inputs.back());
      node.inputs.back().name = absl::StrCat("more", node.inputs.size());
    }
    return;
  }
  if (schema->arity != SchemaValue::kOptional) return;
  if (at < node.inputs.size() && !node.inputs[at].name.empty()) {
    node.inputs[at] = Value();
    return;
  }
  if (node.inputs.empty()) return;
  while (node.inputs.size() <= at) node.inputs.emplace_back();
  // Like another, in its own type.
  Value value =
      node.inputs[static_cast<size_t>(random_.Below(static_cast<int64_t>(node.inputs.size())))];
  value.name = absl::StrCat("given", at);
  for (const auto& [text, number] : ElementTypes()) {
    if (schema->types.count(text) == 0) continue;
    if (schema->types.count("f32") == 0 || value.type == 0) value.type = number;
    break;
  }
  if (random_.OneIn(2)) value.shape.assign(random_.OneIn(2) ? 0 : 1, 1);
  value.data = TensorOf(value.type, value.shape, {1, 0, 2, 1, 3});
  value.constant = CountOf(value.shape) <= kMostConstant && random_.OneIn(2);
  node.inputs[at] = std::move(value);
}

void NodeVariations::EditElement(Node& node) {
  std::vector<Value*> known;
  for (Value& value : node.inputs) {
    if (!value.name.empty() && value.data.has_value() && CountOf(value.shape) <= kMostConstant &&
        !ElementsOf(*value.data).empty())
      known.push_back(&value);
  }
  if (known.empty()) return EditAttribute(node);
  Value& value = *random_.Of(known);
  if (random_.OneIn(4)) {
    value.constant = !value.constant;
    return;
  }
  std::vector<double> elements = ElementsOf(*value.data);
  double& element =
      elements[static_cast<size_t>(random_.Below(static_cast<int64_t>(elements.size())))];
  element = random_.OneIn(2) ? element + 1 - 2 * static_cast<double>(random_.Below(2))
                             : static_cast<double>(random_.Below(4));
  value.data = TensorOf(value.type, value.shape, elements);
}

}  // namespace tessera::testing
