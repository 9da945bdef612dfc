#include "frontends/onnx/attributes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/quoting.h"
#include "google/protobuf/unknown_field_set.h"

namespace tessera::onnx_import {

using onnx::AttributeProto;

namespace {

// What a field holds that the protobuf classes do not have, as often as it is there.
std::vector<std::string> UnknownTexts(const google::protobuf::UnknownFieldSet& fields, int number) {
  std::vector<std::string> texts;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    if (field.number() == number &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      texts.push_back(field.length_delimited());
  }
  return texts;
}

// The last one counts.
std::string UnknownText(const google::protobuf::UnknownFieldSet& fields, int number) {
  const std::vector<std::string> texts = UnknownTexts(fields, number);
  return texts.empty() ? "" : texts.back();
}

}  // namespace

Attributes ResolveAttributes(const onnx::NodeProto& node, const Attributes* outer,
                             std::vector<std::string>& failures) {
  Attributes result;
  for (const AttributeProto& attribute : node.attribute()) {
    const AttributeProto* value = &attribute;
    if (!attribute.ref_attr_name().empty()) {
      if (outer == nullptr) {
        failures.push_back(absl::StrCat("attribute ", Quoted(attribute.name()),
                                        " refers to attribute ", Quoted(attribute.ref_attr_name()),
                                        " of a function, outside of any"));
        continue;
      }
      const auto found = outer->find(attribute.ref_attr_name());
      if (found == outer->end()) continue;
      value = found->second;
    }
    if (!result.emplace(attribute.name(), value).second) {
      failures.push_back(absl::StrCat("attribute ", Quoted(attribute.name()), " is given twice"));
    }
  }
  return result;
}

AttributeType TypeOf(const AttributeProto& attribute) {
  if (attribute.type() != AttributeProto::UNDEFINED) return attribute.type();
  if (attribute.has_f()) return AttributeProto::FLOAT;
  if (attribute.has_i()) return AttributeProto::INT;
  if (attribute.has_s()) return AttributeProto::STRING;
  if (attribute.has_t()) return AttributeProto::TENSOR;
  if (attribute.has_g()) return AttributeProto::GRAPH;
  if (attribute.floats_size() > 0) return AttributeProto::FLOATS;
  if (attribute.ints_size() > 0) return AttributeProto::INTS;
  if (attribute.strings_size() > 0) return AttributeProto::STRINGS;
  if (attribute.tensors_size() > 0) return AttributeProto::TENSORS;
  if (attribute.graphs_size() > 0) return AttributeProto::GRAPHS;
  return AttributeProto::UNDEFINED;
}

absl::string_view NameOf(AttributeType type) {
  switch (type) {
    case AttributeProto::FLOAT:
      return "a float";
    case AttributeProto::INT:
      return "an int";
    case AttributeProto::STRING:
      return "a string";
    case AttributeProto::TENSOR:
      return "a tensor";
    case AttributeProto::GRAPH:
      return "a graph";
    case AttributeProto::FLOATS:
      return "a list of floats";
    case AttributeProto::INTS:
      return "a list of ints";
    case AttributeProto::STRINGS:
      return "a list of strings";
    case AttributeProto::TENSORS:
      return "a list of tensors";
    case AttributeProto::GRAPHS:
      return "a list of graphs";
    case AttributeProto::SPARSE_TENSOR:
    case AttributeProto::SPARSE_TENSORS:
      return "a sparse tensor";
    case AttributeProto::TYPE_PROTO:
    case AttributeProto::TYPE_PROTOS:
      return "a type";
    default:
      return "of no type";
  }
}

std::vector<std::unique_ptr<AttributeProto>> DefaultAttributes(
    const onnx::FunctionProto& function) {
  constexpr int kAttributeProto = 11;
  std::vector<std::unique_ptr<AttributeProto>> defaults;
  for (const std::string& text : UnknownTexts(function.unknown_fields(), kAttributeProto)) {
    auto attribute = std::make_unique<AttributeProto>();
    if (attribute->ParseFromString(text)) defaults.push_back(std::move(attribute));
  }
  return defaults;
}

std::string OverloadOf(const onnx::FunctionProto& function) {
  constexpr int kOverload = 13;
  return UnknownText(function.unknown_fields(), kOverload);
}

std::string OverloadOf(const onnx::NodeProto& node) {
  constexpr int kOverload = 8;
  return UnknownText(node.unknown_fields(), kOverload);
}

}  // namespace tessera::onnx_import
