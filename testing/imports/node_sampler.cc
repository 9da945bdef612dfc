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

// Names as in the table of schemas, in the order in which they are preferred.
const std::vector<std::pair<std::string, int>>& Types() {
  static const auto* types = new std::vector<std::pair<std::string, int>>{
      {"f32", TensorProto::FLOAT},    {"i64", TensorProto::INT64},   {"i32", TensorProto::INT32},
      {"bool", TensorProto::BOOL},    {"u8", TensorProto::UINT8},    {"i8", TensorProto::INT8},
      {"f64", TensorProto::DOUBLE},   {"f16", TensorProto::FLOAT16}, {"u16", TensorProto::UINT16},
      {"i16", TensorProto::INT16},    {"u32", TensorProto::UINT32},  {"u64", TensorProto::UINT64},
      {"bf16", TensorProto::BFLOAT16}};
  return *types;
}

bool IsIndex(int type) { return type == TensorProto::INT64 || type == TensorProto::INT32; }

const std::vector<std::string>& Strings() {
  // Every word that an attribute of ONNX takes, and one that none does.
  static const auto* strings = new std::vector<std::string>{"NOTSET",
                                                            "SAME_UPPER",
                                                            "SAME_LOWER",
                                                            "VALID",
                                                            "constant",
                                                            "reflect",
                                                            "edge",
                                                            "wrap",
                                                            "nearest",
                                                            "linear",
                                                            "cubic",
                                                            "bilinear",
                                                            "bicubic",
                                                            "zeros",
                                                            "border",
                                                            "DCR",
                                                            "CRD",
                                                            "LEFT",
                                                            "RIGHT",
                                                            "forward",
                                                            "reverse",
                                                            "none",
                                                            "mean",
                                                            "sum",
                                                            "add",
                                                            "mul",
                                                            "min",
                                                            "max",
                                                            "half_pixel",
                                                            "align_corners",
                                                            "asymmetric",
                                                            "avg",
                                                            "floor",
                                                            "ceil",
                                                            "tanh",
                                                            "bidirectional",
                                                            "reflection",
                                                            "stretch",
                                                            "Sigmoid",
                                                            "Tanh",
                                                            "Relu",
                                                            "output_half_pixel",
                                                            "not_larger",
                                                            "not_smaller",
                                                            "split",
                                                            "unknown",
                                                            "tf_crop_and_resize",
                                                            "half_pixel_symmetric",
                                                            "pytorch_half_pixel",
                                                            "round_prefer_floor",
                                                            "round_prefer_ceil"};
  return *strings;
}

// The order of an expression's evaluation is not the machine's to choose: one statement per draw.
std::vector<int64_t> Integers(Random& random) {
  static const auto* often = new std::vector<std::vector<int64_t>>{
      {0},          {1},          {-1},         {2},          {0, 1},    {1, 0},
      {1, 1},       {2, 2},       {2, 1},       {3, 3},       {0, 2, 1}, {1, 2},
      {1, 1, 1, 1}, {0, 0, 1, 1}, {0, 1, 0, 2}, {0, 2, 3, 1}, {2, 3},    {-1, 2}};
  if (!random.OneIn(4)) return random.Of(*often);
  std::vector<int64_t> values(static_cast<size_t>(random.Below(4)));
  for (int64_t& value : values) value = random.Below(6) - 2;
  return values;
}

void SetValue(TensorProto& tensor, int64_t value, double real) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return tensor.add_float_data(static_cast<float>(real));
    case TensorProto::DOUBLE:
      return tensor.add_double_data(real);
    case TensorProto::INT64:
      return tensor.add_int64_data(value);
    case TensorProto::UINT32:
    case TensorProto::UINT64:
      return tensor.add_uint64_data(static_cast<uint64_t>(std::max<int64_t>(value, 0)));
    case TensorProto::FLOAT16:
    case TensorProto::BFLOAT16:
      return tensor.add_int32_data(value == 0 ? 0 : 0x3c00);
    case TensorProto::BOOL:
      return tensor.add_int32_data(static_cast<int32_t>(value & 1));
    case TensorProto::INT8:
    case TensorProto::INT16:
    case TensorProto::INT32:
      return tensor.add_int32_data(static_cast<int32_t>(value));
    default:
      return tensor.add_int32_data(static_cast<int32_t>(std::max<int64_t>(value, 0)));
  }
}

bool CanMake(const SchemaAttribute& attribute) {
  return attribute.kind == "int" || attribute.kind == "ints" || attribute.kind == "float" ||
         attribute.kind == "floats" || attribute.kind == "string" || attribute.kind == "strings" ||
         attribute.kind == "tensor";
}

}  // namespace

NodeSampler::NodeSampler(const Schema& schema, const std::vector<const ops::Example*>& examples,
                         uint64_t seed)
    : schema_(schema),
      examples_(examples),
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
    if (attribute.required || random_.OneIn(2)) AddAttribute(attribute, node);
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
    for (const auto& [text, number] : Types()) {
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
    values = Integers(random_);
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

bool NodeSampler::AddAttribute(const SchemaAttribute& schema, onnx::NodeProto& node) {
  if (!CanMake(schema)) return false;
  static const auto* reals = new std::vector<double>{0, 0.5, 1, 2, 0.01, -0.75};
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(schema.name);
  if (schema.kind == "int") {
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(random_.Below(7) - 2);
  } else if (schema.kind == "ints") {
    attribute.set_type(AttributeProto::INTS);
    for (const int64_t value : Integers(random_)) attribute.add_ints(value);
  } else if (schema.kind == "float") {
    attribute.set_type(AttributeProto::FLOAT);
    attribute.set_f(static_cast<float>(random_.Of(*reals)));
  } else if (schema.kind == "floats") {
    attribute.set_type(AttributeProto::FLOATS);
    for (int64_t i = random_.Below(5); i > 0; --i)
      attribute.add_floats(static_cast<float>(random_.Of(*reals)));
  } else if (schema.kind == "string") {
    attribute.set_type(AttributeProto::STRING);
    attribute.set_s(random_.Of(Strings()));
  } else if (schema.kind == "strings") {
    attribute.set_type(AttributeProto::STRINGS);
    for (int64_t i = random_.Below(4); i > 0; --i) attribute.add_strings(random_.Of(Strings()));
  } else {
    attribute.set_type(AttributeProto::TENSOR);
    attribute.mutable_t()->set_data_type(TensorProto::FLOAT);
    attribute.mutable_t()->add_dims(1);
    attribute.mutable_t()->add_float_data(static_cast<float>(random_.Of(*reals)));
  }
  return true;
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
