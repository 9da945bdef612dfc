#include "codegen/example_emitter.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::codegen {
namespace {

std::string DTypeCode(const std::string& dtype) {
  return absl::StrCat("ir::DType::k", dtype == "bool" ? "Bool" : absl::AsciiStrToUpper(dtype));
}

class ExampleEmitter {
 public:
  ExampleEmitter(const Program& program, const Op& op, Diagnostics& diagnostics)
      : program_(program), op_(op), diagnostics_(diagnostics) {}

  std::string Run() {
    std::vector<std::string> examples, rewrites;
    for (const Example& example : op_.examples) examples.push_back(EmitExample(example));
    for (const RewriteDecl& rewrite : op_.rewrites) {
      for (const Example& example : rewrite.examples)
        rewrites.push_back(EmitRewrite(rewrite, example, "rewrites"));
      for (const Example& example : rewrite.keeps)
        rewrites.push_back(EmitRewrite(rewrite, example, "keeps"));
    }
    return absl::StrCat("  {\n    OpExamples op;\n    op.dialect = \"", op_.dialect,
                        "\";\n    op.op = \"", op_.name, "\";\n    op.file = \"", op_.stem,
                        ".op\";\n    op.builder = ", op_.builder ? "true" : "false", ";\n",
                        absl::StrJoin(examples, ""), absl::StrJoin(rewrites, ""),
                        "    all->push_back(std::move(op));\n  }\n");
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

  bool Number(const NodePtr& node, std::string* code) {
    switch (node->kind) {
      case Node::kInt:
        *code = absl::StrCat(node->text, ".0");
        return true;
      case Node::kFloat:
        *code = node->text;
        return true;
      case Node::kUnary:
        if (node->text != "-" || !Number(node->children[0], code)) return false;
        *code = "-" + *code;
        return true;
      case Node::kName:
        if (node->text == "true" || node->text == "false")
          *code = node->text == "true" ? "1.0" : "0.0";
        else if (node->text == "inf")
          *code = "std::numeric_limits<double>::infinity()";
        else if (node->text == "nan")
          *code = "std::numeric_limits<double>::quiet_NaN()";
        else
          return false;
        return true;
      default:
        return false;
    }
  }

  bool Collect(const NodePtr& node, size_t depth, std::vector<int64_t>& shape,
               std::vector<std::string>& values) {
    if (node->kind != Node::kList) {
      std::string code;
      if (depth != shape.size() || !Number(node, &code)) return false;
      values.push_back(code);
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

  std::string Literal(const NodePtr& node, const std::string& dtype) {
    if (node->kind == Node::kAs) return Literal(node->children[0], node->text);
    if (node->kind == Node::kUnary && node->children[0]->kind == Node::kAs) {  // `-1 as i32`
      auto negative = std::make_shared<Node>(*node);
      negative->children = {node->children[0]->children[0]};
      return Literal(negative, node->children[0]->text);
    }
    if (node->kind == Node::kName && node->text == "none") return "Literal{false}";
    if (node->kind == Node::kIndex && node->children[0]->kind == Node::kName &&
        IsDTypeName(node->children[0]->text)) {
      std::vector<std::string> dims;
      for (size_t i = 1; i < node->children.size(); ++i) dims.push_back(node->children[i]->text);
      return absl::StrCat("Literal{true, true, ", DTypeCode(node->children[0]->text), ", {",
                          absl::StrJoin(dims, ", "), "}, {}}");
    }
    std::vector<int64_t> shape;
    std::vector<std::string> values;
    if (!Collect(node, 0, shape, values)) {
      Error(node->place,
            "a tensor literal is a number, nested lists of equal length, or `f32[2, 3]`");
      return "Literal{}";
    }
    return absl::StrCat("Literal{true, false, ", DTypeCode(dtype), ", {",
                        absl::StrJoin(shape, ", "), "}, {", absl::StrJoin(values, ", "), "}}");
  }

  std::string AttributeCode(const AttributeDecl& attribute, const NodePtr& node) {
    std::string code;
    if (attribute.kind == "enum") {
      const auto at =
          std::find(attribute.enum_names.begin(), attribute.enum_names.end(), node->text);
      if (at == attribute.enum_names.end())
        Error(node->place, absl::StrCat("`", node->text, "` is not a value of `", attribute.name,
                                        "`", Suggestion(node->text, attribute.enum_names)));
      return absl::StrCat("ir::Attribute(int64_t{", at - attribute.enum_names.begin(), "})");
    }
    if (attribute.kind == "dtype") {
      if (!IsDTypeName(node->text))
        Error(node->place, absl::StrCat("`", node->text, "` is not a dtype"));
      return absl::StrCat("ir::Attribute(", DTypeCode(node->text), ")");
    }
    const std::string type = attribute.kind == "dim"     ? "solver::Expr"
                             : attribute.kind == "float" ? "double"
                                                         : "int64_t";
    const auto item = [&](const NodePtr& value) {
      std::string number;
      if (!Number(value, &number)) Error(value->place, "a number is needed");
      return attribute.kind == "float" ? number
             : attribute.kind == "dim"
                 ? absl::StrCat("solver::Expr(static_cast<int64_t>(", number, "))")
                 : absl::StrCat("static_cast<int64_t>(", number, ")");
    };
    if (!attribute.list) return absl::StrCat("ir::Attribute(", item(node), ")");
    if (node->kind != Node::kList) {
      Error(node->place, absl::StrCat("`", attribute.name, "` is a list"));
      return "ir::Attribute()";
    }
    std::vector<std::string> items;
    for (const NodePtr& child : node->children) items.push_back(item(child));
    return absl::StrCat("ir::Attribute(std::vector<", type, ">{", absl::StrJoin(items, ", "), "})");
  }

  std::string EmitExample(const Example& example) {
    std::map<std::string, NodePtr> items;
    for (const ExampleItem& item : example.items) items[item.name] = item.value;
    std::string code =
        absl::StrCat("    {\n      Example e;\n      e.line = ", Line(example.place), ";\n");
    if (example.reject)
      absl::StrAppend(&code, "      e.reject = true;\n      e.constraint = \"", example.constraint,
                      "\";\n");
    if (example.tolerance > 0)
      absl::StrAppend(&code, "      e.tolerance = ", example.tolerance, ";\n");
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
          for (const NodePtr& child : value->children)
            absl::StrAppend(&code, "      e.operands.push_back(", Literal(child, dtype), ");\n");
        }
      } else {
        absl::StrAppend(&code, "      e.operands.push_back(",
                        value == nullptr ? "Literal{false}" : Literal(value, dtype), ");\n");
      }
    }
    for (const AttributeDecl& attribute : op_.attributes) {
      const NodePtr value = take(attribute.name);
      absl::StrAppend(&code, "      e.attrs.push_back(",
                      value == nullptr ? "ir::Attribute()" : AttributeCode(attribute, value),
                      ");\n");
    }
    // Of results that an example states some and omits others; without any it states none.
    const bool states = std::any_of(op_.outputs.begin(), op_.outputs.end(),
                                    [&](const Operand& r) { return items.count(r.name) != 0; });
    for (const Operand& result : op_.outputs) {
      const NodePtr value = take(result.name);
      if (value == nullptr && states && result.arity != Operand::kVariadic)
        absl::StrAppend(&code, "      e.results.push_back(Literal{false});\n");
      if (value != nullptr && result.arity == Operand::kVariadic && value->kind == Node::kList) {
        for (const NodePtr& child : value->children)
          absl::StrAppend(&code, "      e.results.push_back(",
                          Literal(child, DefaultDType(result.classes)), ");\n");
        continue;
      }
      if (value != nullptr)
        absl::StrAppend(&code, "      e.results.push_back(",
                        Literal(value, DefaultDType(result.classes)), ");\n");
    }
    for (const auto& [name, node] : items)
      Error(node->place,
            absl::StrCat("`", op_.name, "` has no operand, attribute or result `", name, "`"));
    return code + "      op.examples.push_back(std::move(e));\n    }\n";
  }

  // Declares what each name of the pattern is while emitting it.
  std::string EmitPattern(const NodePtr& node, const std::string& bound) {
    if (node->kind == Node::kBind) return EmitPattern(node->children[0], node->text);
    if (node->kind == Node::kSpread) {
      leaves_.insert(node->children[0]->text);
      return absl::StrCat("Pattern{Pattern::kPack, \"", node->children[0]->text, "\"}");
    }
    if (node->kind == Node::kName) {
      leaves_.insert(node->text);
      if (node->text == "_") return "Pattern{Pattern::kName, \"_\"}";
      return absl::StrCat("Pattern{Pattern::kName, \"", node->text, "\", \"\", \"\", 0, ",
                          node->optional ? "true" : "false", "}");
    }
    std::string number;
    if (Number(node, &number))
      return absl::StrCat("Pattern{Pattern::kNumber, \"\", \"\", \"\", ", number, "}");
    const Op* target =
        node->kind == Node::kCall ? program_.FindOp(op_.dialect, node->text) : nullptr;
    if (target == nullptr) return "Pattern{}";
    std::vector<std::string> operands, names, literals;
    for (const NodePtr& child : node->children) operands.push_back(EmitPattern(child, ""));
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
          literals.push_back(absl::StrCat("{", i, ", ", AttributeCode(attribute, value), "}"));
        } else {
          names.push_back(absl::StrCat("{", i, ", \"", value->text, "\"}"));
          attributes_.emplace(value->text, &attribute);
        }
      }
    }
    return absl::StrCat("Pattern{Pattern::kOp, \"", node->text, "\", \"", target->dialect, "\", \"",
                        bound, "\", 0, false, {", absl::StrJoin(operands, ", "), "}, {",
                        absl::StrJoin(names, ", "), "}, {", absl::StrJoin(literals, ", "), "}}");
  }

  // `list`: where the examples of a rewrite go, or those that it leaves as they are.
  std::string EmitRewrite(const RewriteDecl& rewrite, const Example& example,
                          const std::string& list) {
    attributes_.clear();
    leaves_.clear();
    blank_ = std::any_of(example.items.begin(), example.items.end(),
                         [](const ExampleItem& item) { return item.name == "_"; });
    const std::string pattern = EmitPattern(rewrite.pattern, "");
    std::string code = absl::StrCat(
        "    {\n      RewriteExample e;\n      e.rewrite = \"", op_.name, ".", rewrite.name,
        "\";\n      e.line = ", Line(example.place), ";\n      e.pattern = ", pattern, ";\n");
    for (const ExampleItem& item : example.items) {
      const auto attribute = attributes_.find(item.name);
      const bool tensor = item.value->kind == Node::kAs || (item.value->kind == Node::kIndex);
      if (attribute != attributes_.end() && !(item.name == "_" && tensor)) {
        absl::StrAppend(&code, "      e.attrs.emplace_back(\"", item.name, "\", ",
                        AttributeCode(*attribute->second, item.value), ");\n");
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
      std::vector<std::string> literals;
      const bool pack = item.value->kind == Node::kList && !item.value->children.empty() &&
                        (item.value->children[0]->kind == Node::kIndex ||
                         item.value->children[0]->kind == Node::kAs);
      if (pack) {
        for (const NodePtr& child : item.value->children) literals.push_back(Literal(child, "f32"));
      } else {
        literals.push_back(Literal(item.value, "f32"));
      }
      absl::StrAppend(&code, "      e.operands.push_back({\"", item.name, "\", {",
                      absl::StrJoin(literals, ", "), "}});\n");
    }
    return absl::StrCat(code, "      op.", list, ".push_back(std::move(e));\n    }\n");
  }

  const Program& program_;
  const Op& op_;
  Diagnostics& diagnostics_;
  std::map<std::string, const AttributeDecl*> attributes_;
  std::set<std::string> leaves_;  // of the pattern
  bool blank_ = false;            // the example has a value for `_`
};

std::string AddFunction(const File& file, const std::string& stem) {
  return absl::StrCat("AddExamplesOf_", file.dialect, "_", stem);
}

}  // namespace

std::string EmitExamples(const Program& program, const File& file, const std::string& stem,
                         Diagnostics& diagnostics) {
  // One function per op: a single one would take the compiler very long.
  std::string code =
      absl::StrCat("// Generated from ", stem,
                   ".op.\n#include <limits>\n#include <utility>\n#include <vector>\n\n#include "
                   "\"codegen/support/examples.h\"\n\nnamespace tessera::ops {\nnamespace {\n\n");
  for (const Op& op : file.ops)
    absl::StrAppend(&code, "void Add", op.name, "(std::vector<OpExamples>* all) {\n",
                    ExampleEmitter(program, op, diagnostics).Run(), "}\n\n");
  const std::string function = AddFunction(file, stem);
  absl::StrAppend(&code, "}  // namespace\n\nvoid ", function,
                  "(std::vector<OpExamples>* all);\nvoid ", function,
                  "([[maybe_unused]] std::vector<OpExamples>* all) {\n");
  for (const Op& op : file.ops) absl::StrAppend(&code, "  Add", op.name, "(all);\n");
  return absl::StrCat(code, "}\n\n}  // namespace tessera::ops\n");
}

std::string EmitExampleIndex(const std::vector<std::pair<const File*, std::string>>& files,
                             const std::string& title) {
  std::string declarations, calls;
  for (const auto& [file, stem] : files) {
    const std::string function = AddFunction(*file, stem);
    absl::StrAppend(&declarations, "void ", function, "(std::vector<OpExamples>* all);\n");
    absl::StrAppend(&calls, "    ", function, "(list);\n");
  }
  return absl::StrCat(
      "// Generated: the examples of all definitions.\n#include <vector>\n\n#include "
      "\"codegen/support/examples.h\"\n\nnamespace tessera::ops {\n\n",
      declarations, "\nconst std::vector<OpExamples>& ", title,
      "Examples();\nconst std::vector<OpExamples>& ", title,
      "Examples() {\n  static const auto* all = [] {\n    auto* list = new "
      "std::vector<OpExamples>();\n",
      calls, "    return list;\n  }();\n  return *all;\n}\n\n}  // namespace tessera::ops\n");
}

}  // namespace tessera::codegen
