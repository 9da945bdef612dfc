#include "testing/imports/node_values.h"

#include <algorithm>

namespace tessera::testing {

using onnx::AttributeProto;
using onnx::TensorProto;

const std::vector<std::pair<std::string, int>>& ElementTypes() {
  static const auto* types = new std::vector<std::pair<std::string, int>>{
      {"f32", TensorProto::FLOAT},    {"i64", TensorProto::INT64},   {"i32", TensorProto::INT32},
      {"bool", TensorProto::BOOL},    {"u8", TensorProto::UINT8},    {"i8", TensorProto::INT8},
      {"f64", TensorProto::DOUBLE},   {"f16", TensorProto::FLOAT16}, {"u16", TensorProto::UINT16},
      {"i16", TensorProto::INT16},    {"u32", TensorProto::UINT32},  {"u64", TensorProto::UINT64},
      {"bf16", TensorProto::BFLOAT16}};
  return *types;
}

bool IsIndex(int type) { return type == TensorProto::INT64 || type == TensorProto::INT32; }

namespace {

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

}  // namespace

// The order of an expression's evaluation is not the machine's to choose: one statement per draw.
std::vector<int64_t> SmallIntegers(Random& random) {
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

std::string Word(const std::string& attribute, const Words& words, Random& random) {
  const auto known = words.find(attribute);
  const bool fits = known != words.end() && !random.OneIn(4);
  return fits ? random.Of(known->second) : random.Of(Strings());
}

bool AddAttribute(const SchemaAttribute& schema, const Words& words, Random& random,
                  onnx::NodeProto& node) {
  if (!CanMake(schema)) return false;
  static const auto* reals = new std::vector<double>{0, 0.5, 1, 2, 0.01, -0.75};
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(schema.name);
  if (schema.kind == "int") {
    attribute.set_type(AttributeProto::INT);
    attribute.set_i(random.OneIn(2) ? random.Below(2) : random.Below(7) - 2);
  } else if (schema.kind == "ints") {
    attribute.set_type(AttributeProto::INTS);
    for (const int64_t value : SmallIntegers(random)) attribute.add_ints(value);
  } else if (schema.kind == "float") {
    attribute.set_type(AttributeProto::FLOAT);
    attribute.set_f(static_cast<float>(random.Of(*reals)));
  } else if (schema.kind == "floats") {
    attribute.set_type(AttributeProto::FLOATS);
    for (int64_t i = random.Below(5); i > 0; --i)
      attribute.add_floats(static_cast<float>(random.Of(*reals)));
  } else if (schema.kind == "string") {
    attribute.set_type(AttributeProto::STRING);
    attribute.set_s(Word(schema.name, words, random));
  } else if (schema.kind == "strings") {
    attribute.set_type(AttributeProto::STRINGS);
    for (int64_t i = random.Below(4); i > 0; --i)
      attribute.add_strings(Word(schema.name, words, random));
  } else {
    attribute.set_type(AttributeProto::TENSOR);
    attribute.mutable_t()->set_data_type(TensorProto::FLOAT);
    attribute.mutable_t()->add_dims(1);
    attribute.mutable_t()->add_float_data(static_cast<float>(random.Of(*reals)));
  }
  return true;
}

}  // namespace tessera::testing
