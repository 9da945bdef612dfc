#include "codegen/example_emitter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "codegen/table_source.h"

namespace tessera::codegen {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinities.
Json OfFloat(double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

class ExampleEmitter {
 public:
  ExampleEmitter(const Program& program, const Op& op, Diagnostics& diagnostics)
      : program_(program), op_(op), diagnostics_(diagnostics) {}

  Json Run() {
    Json examples = Json::array(), rewrites = Json::array(), keeps = Json::array();
    for (const Example& example : op_.examples) examples.push_back(OfExample(example));
    for (const RewriteDecl& rewrite : op_.rewrites) {
      for (const Example& example : rewrite.examples)
        rewrites.push_back(OfRewrite(rewrite, example));
      for (const Example& example : rewrite.keeps) keeps.push_back(OfRewrite(rewrite, example));
    }
    return {{"dialect", op_.dialect}, {"op", op_.name},       {"file", op_.stem + ".op"},
            {"builder", op_.builder}, {"examples", examples}, {"rewrites", rewrites},
            {"keeps", keeps}};
  }

 private:
  // In the op's file: of what stands in another, the op's own.
  int Line(Place place) const {
    const bool here = OriginOf(place).source == OriginOf(op_.place).source;
    return LineOf(here ? place : op_.place);
  }

  void Error(Place place, const std::string& message) { diagnostics_.Error(place, message); }

  // The dtype of a literal that does not say its own.
  std::string DefaultDType(const std::vector<std::string>& classes) const {
    std::vector<std::string> set;
    for (const TypeVariable& type : op_.types) {
      if (classes.size() == 1 && classes[0] == type.name) set = DTypesIn(type.classes);
    }
    if (set.empty()) set = DTypesIn(classes);
    if (set.empty() || std::find(set.begin(), set.end(), "f32") != set.end()) return "f32";
    return set[0];
  }

  static std::optional<double> Number(const NodePtr& node) {
    switch (node->kind) {
      case Node::kInt:
      case Node::kFloat:
        return std::strtod(node->text.c_str(), nullptr);
      case Node::kUnary: {
        const std::optional<double> value =
            node->text == "-" ? Number(node->children[0]) : std::nullopt;
        return value.has_value() ? std::optional<double>(-*value) : std::nullopt;
      }
      case Node::kName:
        if (node->text == "true") return 1;
        if (node->text == "false") return 0;
        if (node->text == "inf") return std::numeric_limits<double>::infinity();
        if (node->text == "nan") return std::numeric_limits<double>::quiet_NaN();
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  static bool Collect(const NodePtr& node, size_t depth, std::vector<int64_t>& shape,
                      Json& values) {
    if (node->kind != Node::kList) {
      const std::optional<double> value = Number(node);
      if (depth != shape.size() || !value.has_value()) return false;
      values.push_back(OfFloat(*value));
      return true;
    }
    if (depth == shape.size()) {
      if (!values.empty()) return false;
      shape.push_back(static_cast<int64_t>(node->children.size()));
    }
    if (shape[depth] != static_cast<int64_t>(node->children.size())) return false;
    for (const NodePtr& child : node->children) {
      if (!Collect(child, depth + 1, shape, values)) return false;
    }
    return true;
  }

  // Null: absent. Without `values`: seeded ones.
  Json OfLiteral(const NodePtr& node, const std::string& dtype) {
    if (node->kind == Node::kAs) return OfLiteral(node->children[0], node->text);
    if (node->kind == Node::kUnary && node->children[0]->kind == Node::kAs) {  // `-1 as i32`
      auto negative = std::make_shared<Node>(*node);
      negative->children = {node->children[0]->children[0]};
      return OfLiteral(negative, node->children[0]->text);
    }
    if (node->kind == Node::kName && node->text == "none") return nullptr;
    if (node->kind == Node::kIndex && node->children[0]->kind == Node::kName &&
        IsDTypeName(node->children[0]->text)) {
      std::vector<int64_t> dims;
      for (size_t i = 1; i < node->children.size(); ++i)
        dims.push_back(node->children[i]->int_value);
      return {{"dtype", node->children[0]->text}, {"shape", dims}};
    }
    std::vector<int64_t> shape;
    Json values = Json::array();
    if (!Collect(node, 0, shape, values)) {
      Error(node->place,
            "a tensor literal is a number, nested lists of equal length, or `f32[2, 3]`");
    }
    return {{"dtype", dtype}, {"shape", shape}, {"values", values}};
  }

  // `{KIND: value}`; null: absent.
  Json OfAttribute(const AttributeDecl& attribute, const NodePtr& node) {
    if (attribute.kind == "enum") {
      const auto at =
          std::find(attribute.enum_names.begin(), attribute.enum_names.end(), node->text);
      if (at == attribute.enum_names.end())
        Error(node->place, absl::StrCat("`", node->text, "` is not a value of `", attribute.name,
                                        "`", Suggestion(node->text, attribute.enum_names)));
      return {{"int", at - attribute.enum_names.begin()}};
    }
    if (attribute.kind == "dtype") {
      if (!IsDTypeName(node->text))
        Error(node->place, absl::StrCat("`", node->text, "` is not a dtype"));
      return {{"dtype", node->text}};
    }
    const bool whole = attribute.kind != "float";
    const std::string kind = attribute.kind == "dim" ? "dim" : whole ? "int" : "float";
    const auto item = [&](const NodePtr& value) -> Json {
      const std::optional<double> number = Number(value);
      if (!number.has_value()) {
        Error(value->place, "a number is needed");
        return 0;
      }
      if (!whole) return OfFloat(*number);
      if (value->kind == Node::kInt) return value->int_value;
      return static_cast<int64_t>(*number);
    };
    if (!attribute.list) return {{kind, item(node)}};
    if (node->kind != Node::kList) {
      Error(node->place, absl::StrCat("`", attribute.name, "` is a list"));
      return nullptr;
    }
    Json items = Json::array();
    for (const NodePtr& child : node->children) items.push_back(item(child));
    return {{kind + "s", items}};
  }

  Json OfExample(const Example& example) {
    std::map<std::string, NodePtr> items;
    for (const ExampleItem& item : example.items) items[item.name] = item.value;
    Json operands = Json::array(), attrs = Json::array(), results = Json::array();
    const auto take = [&](const std::string& name) {
      const auto found = items.find(name);
      NodePtr node = found == items.end() ? nullptr : found->second;
      if (node != nullptr) items.erase(found);
      return node;
    };
    for (const Operand& operand : op_.inputs) {
      const NodePtr value = take(operand.name);
      const std::string dtype = DefaultDType(operand.classes);
      if (operand.arity == Operand::kVariadic) {
        if (value != nullptr && value->kind != Node::kList) {
          Error(value->place, "a variadic operand is a list of tensors");
        } else if (value != nullptr) {
          for (const NodePtr& child : value->children) operands.push_back(OfLiteral(child, dtype));
        }
      } else {
        operands.push_back(value == nullptr ? Json(nullptr) : OfLiteral(value, dtype));
      }
    }
    for (const AttributeDecl& attribute : op_.attributes) {
      const NodePtr value = take(attribute.name);
      attrs.push_back(value == nullptr ? Json(nullptr) : OfAttribute(attribute, value));
    }
    // Of results that an example states some and omits others; without any it states none.
    const bool states = std::any_of(op_.outputs.begin(), op_.outputs.end(),
                                    [&](const Operand& r) { return items.count(r.name) != 0; });
    for (const Operand& result : op_.outputs) {
      const NodePtr value = take(result.name);
      const std::string dtype = DefaultDType(result.classes);
      const bool variadic = result.arity == Operand::kVariadic;
      if (value == nullptr) {
        if (states && !variadic) results.push_back(nullptr);
      } else if (variadic && value->kind == Node::kList) {
        for (const NodePtr& child : value->children) results.push_back(OfLiteral(child, dtype));
      } else {
        results.push_back(OfLiteral(value, dtype));
      }
    }
    for (const auto& [name, node] : items)
      Error(node->place,
            absl::StrCat("`", op_.name, "` has no operand, attribute or result `", name, "`"));
    Json of = {{"line", Line(example.place)},
               {"operands", operands},
               {"attrs", attrs},
               {"results", results}};
    if (example.reject) of["rejected_by"] = example.constraint;
    if (example.tolerance > 0) of["tolerance"] = example.tolerance;
    return of;
  }

  // Declares what each name of the pattern is while emitting it.
  Json OfPattern(const NodePtr& node, const std::string& bound) {
    if (node->kind == Node::kBind) return OfPattern(node->children[0], node->text);
    if (node->kind == Node::kSpread) {
      leaves_.insert(node->children[0]->text);
      return {{"pack", node->children[0]->text}};
    }
    if (node->kind == Node::kName) {
      leaves_.insert(node->text);
      Json of = {{"name", node->text}};
      if (node->optional && node->text != "_") of["optional"] = true;
      return of;
    }
    if (const std::optional<double> number = Number(node); number.has_value())
      return {{"number", OfFloat(*number)}};
    const Op* target =
        node->kind == Node::kCall ? program_.FindOp(op_.dialect, node->text) : nullptr;
    if (target == nullptr) return Json::object();
    Json operands = Json::array(), names = Json::array(), literals = Json::array();
    for (const NodePtr& child : node->children) operands.push_back(OfPattern(child, ""));
    for (const auto& [name, value] : node->named) {
      // Of any value: the default, where the example says none.
      if (value->kind == Node::kName && value->text == "_" && !blank_) continue;
      for (size_t i = 0; i < target->attributes.size(); ++i) {
        const AttributeDecl& attribute = target->attributes[i];
        if (attribute.name != name) continue;
        const bool is_enum = std::find(attribute.enum_names.begin(), attribute.enum_names.end(),
                                       value->text) != attribute.enum_names.end();
        const bool literal = value->kind != Node::kName || is_enum ||
                             (attribute.kind == "dtype" && IsDTypeName(value->text)) ||
                             IsLiteralName(value->text);
        if (literal) {
          literals.push_back(Json::array({i, OfAttribute(attribute, value)}));
        } else {
          names.push_back(Json::array({i, value->text}));
          attributes_.emplace(value->text, &attribute);
        }
      }
    }
    return {{"op", node->text},     {"dialect", target->dialect}, {"bound", bound},
            {"operands", operands}, {"attr_names", names},        {"attr_literals", literals}};
  }

  Json OfRewrite(const RewriteDecl& rewrite, const Example& example) {
    attributes_.clear();
    leaves_.clear();
    blank_ = std::any_of(example.items.begin(), example.items.end(),
                         [](const ExampleItem& item) { return item.name == "_"; });
    const Json pattern = OfPattern(rewrite.pattern, "");
    Json attrs = Json::array(), operands = Json::array();
    for (const ExampleItem& item : example.items) {
      const auto attribute = attributes_.find(item.name);
      const bool tensor = item.value->kind == Node::kAs || (item.value->kind == Node::kIndex);
      if (attribute != attributes_.end() && !(item.name == "_" && tensor)) {
        attrs.push_back(Json::array({item.name, OfAttribute(*attribute->second, item.value)}));
        continue;
      }
      if (leaves_.count(item.name) == 0) {
        Error(
            item.value->place,
            absl::StrCat("the pattern of `", rewrite.name, "` names no operand or attribute `",
                         item.name, "`", Suggestion(item.name, {leaves_.begin(), leaves_.end()})));
        continue;
      }
      // A list of tensors is for a pack.
      Json literals = Json::array();
      const bool pack = item.value->kind == Node::kList && !item.value->children.empty() &&
                        (item.value->children[0]->kind == Node::kIndex ||
                         item.value->children[0]->kind == Node::kAs);
      if (pack) {
        for (const NodePtr& child : item.value->children)
          literals.push_back(OfLiteral(child, "f32"));
      } else {
        literals.push_back(OfLiteral(item.value, "f32"));
      }
      operands.push_back(Json::array({item.name, literals}));
    }
    return {{"rewrite", absl::StrCat(op_.name, ".", rewrite.name)},
            {"line", Line(example.place)},
            {"pattern", pattern},
            {"operands", operands},
            {"attrs", attrs}};
  }

  const Program& program_;
  const Op& op_;
  Diagnostics& diagnostics_;
  std::map<std::string, const AttributeDecl*> attributes_;
  std::set<std::string> leaves_;  // of the pattern
  bool blank_ = false;            // the example has a value for `_`
};

}  // namespace

std::string EmitExamples(const Program& program, const std::vector<const File*>& files,
                         const std::string& title, Diagnostics& diagnostics) {
  std::vector<std::string> texts;
  for (const File* file : files) {
    for (const Op& op : file->ops)
      texts.push_back(ExampleEmitter(program, op, diagnostics).Run().dump());
  }
  return EmitTable({"the examples of all definitions",
                    {"vector"},
                    "codegen/support/examples.h",
                    "",
                    "const std::vector<OpExamples>&",
                    title + "Examples",
                    ReadingBody(texts, "OpExamples", "ReadExamples")});
}

}  // namespace tessera::codegen
