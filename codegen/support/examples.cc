#include "codegen/support/examples.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace tessera::ops {
namespace {

using Json = nlohmann::json;

double FloatOf(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string name = json.get<std::string>();
  const double magnitude = name.find("nan") != std::string::npos
                               ? std::numeric_limits<double>::quiet_NaN()
                               : std::numeric_limits<double>::infinity();
  return name[0] == '-' ? -magnitude : magnitude;
}

ir::DType DTypeOf(const Json& json) { return *ir::DTypeFromName(json.get<std::string>()); }

Literal LiteralOf(const Json& json) {
  Literal literal;
  literal.present = !json.is_null();
  if (!literal.present) return literal;
  literal.dtype = DTypeOf(json.at("dtype"));
  literal.shape = json.at("shape").get<std::vector<int64_t>>();
  literal.random = !json.contains("values");
  if (literal.random) return literal;
  for (const Json& value : json.at("values")) literal.values.push_back(FloatOf(value));
  return literal;
}

std::vector<Literal> LiteralsOf(const Json& json) {
  std::vector<Literal> literals;
  for (const Json& each : json) literals.push_back(LiteralOf(each));
  return literals;
}

ir::Attribute AttributeOf(const Json& json) {
  if (json.is_null()) return {};
  const std::string kind = json.begin().key();
  const Json& value = json.begin().value();
  if (kind == "dtype") return DTypeOf(value);
  if (kind == "int") return value.get<int64_t>();
  if (kind == "ints") return value.get<std::vector<int64_t>>();
  if (kind == "float") return FloatOf(value);
  if (kind == "dim") return solver::Expr(value.get<int64_t>());
  if (kind == "floats") {
    std::vector<double> floats;
    for (const Json& each : value) floats.push_back(FloatOf(each));
    return floats;
  }
  std::vector<solver::Expr> dims;
  for (const Json& each : value) dims.emplace_back(each.get<int64_t>());
  return dims;
}

Example ExampleOf(const Json& json) {
  Example example;
  example.line = json.at("line");
  example.reject = json.contains("rejected_by");
  if (example.reject) example.constraint = json.at("rejected_by");
  example.operands = LiteralsOf(json.at("operands"));
  for (const Json& attr : json.at("attrs")) example.attrs.push_back(AttributeOf(attr));
  example.results = LiteralsOf(json.at("results"));
  example.tolerance = json.value("tolerance", example.tolerance);
  return example;
}

Pattern PatternOf(const Json& json) {
  Pattern pattern;
  if (json.contains("name") || json.contains("pack")) {
    pattern.kind = json.contains("pack") ? Pattern::kPack : Pattern::kName;
    pattern.text = json.contains("pack") ? json.at("pack") : json.at("name");
    pattern.optional = json.value("optional", false);
  } else if (json.contains("number")) {
    pattern.kind = Pattern::kNumber;
    pattern.number = FloatOf(json.at("number"));
  } else if (json.contains("op")) {
    pattern.kind = Pattern::kOp;
    pattern.text = json.at("op");
    pattern.dialect = json.at("dialect");
    pattern.bound = json.at("bound");
    for (const Json& operand : json.at("operands")) pattern.operands.push_back(PatternOf(operand));
    pattern.attr_names = json.at("attr_names");
    for (const Json& literal : json.at("attr_literals"))
      pattern.attr_literals.emplace_back(literal[0], AttributeOf(literal[1]));
  }
  return pattern;
}

RewriteExample RewriteOf(const Json& json) {
  RewriteExample example;
  example.rewrite = json.at("rewrite");
  example.line = json.at("line");
  example.pattern = PatternOf(json.at("pattern"));
  for (const Json& operand : json.at("operands"))
    example.operands.emplace_back(operand[0], LiteralsOf(operand[1]));
  for (const Json& attr : json.at("attrs"))
    example.attrs.emplace_back(attr[0], AttributeOf(attr[1]));
  return example;
}

}  // namespace

std::vector<OpExamples> ReadExamples(const std::vector<std::string_view>& definitions) {
  std::vector<OpExamples> all;
  for (const std::string_view text : definitions) {
    const Json json = Json::parse(text);
    OpExamples& op = all.emplace_back();
    op.dialect = json.at("dialect");
    op.op = json.at("op");
    op.file = json.at("file");
    op.builder = json.at("builder");
    for (const Json& each : json.at("examples")) op.examples.push_back(ExampleOf(each));
    for (const Json& each : json.at("rewrites")) op.rewrites.push_back(RewriteOf(each));
    for (const Json& each : json.at("keeps")) op.keeps.push_back(RewriteOf(each));
  }
  return all;
}

}  // namespace tessera::ops
