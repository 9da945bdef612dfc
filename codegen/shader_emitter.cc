#include "codegen/shader_emitter.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "codegen/clause_parser.h"
#include "codegen/info_emitter.h"
#include "codegen/table_source.h"

namespace tessera::codegen {
namespace {

// Those that follow from the constants alone.
bool IsFixed(const std::string& amount) {
  return amount == "workgroup" || amount == "tile" || amount == "shared";
}

// The dims of operands, each once.
std::vector<std::string> SizesOf(const Op& op) {
  std::vector<std::string> sizes;
  for (const Operand& operand : op.inputs) {
    for (const FormEntry& entry : operand.form.dims) {
      if (std::find(sizes.begin(), sizes.end(), entry.name) == sizes.end())
        sizes.push_back(entry.name);
    }
  }
  return sizes;
}

// Expressions as C++ of doubles; `steps` of integers and of sizes that are expressions.
class Amount {
 public:
  Amount(const Op& op, const std::string& name, Diagnostics& diagnostics)
      : op_(op), name_(name), sizes_(SizesOf(op)), diagnostics_(diagnostics) {}

  std::string Code(const NodePtr& node) {
    switch (node->kind) {
      case Node::kInt:
        return name_ == "steps" ? absl::StrCat("solver::Expr(", node->int_value, ")")
                                : absl::StrCat(node->int_value, ".0");
      case Node::kName:
        return Name(*node);
      case Node::kBinary:
        if (node->text == "+" || node->text == "-" || node->text == "*")
          return absl::StrCat("(", Code(node->children[0]), " ", node->text, " ",
                              Code(node->children[1]), ")");
        break;
      case Node::kCall:
        if (const auto found = Functions().find(node->text);
            found != Functions().end() && node->children.size() == 2)
          return absl::StrCat(found->second, "(", Code(node->children[0]), ", ",
                              Code(node->children[1]), ")");
        break;
      default:
        break;
    }
    diagnostics_.Error(node->place, absl::StrCat("`", name_,
                                                 "` of a shader is a sum, a difference, a product, "
                                                 "`floordiv`, `ceildiv`, `min` or `max`"));
    return "0";
  }

 private:
  static const std::map<std::string, std::string>& Functions() {
    static const std::map<std::string, std::string> kFunctions = {{"floordiv", "ir::FloorDiv"},
                                                                  {"ceildiv", "ir::CeilDiv"},
                                                                  {"min", "std::min"},
                                                                  {"max", "std::max"}};
    return kFunctions;
  }

  std::string Name(const Node& node) {
    std::vector<std::string> known;
    for (size_t i = 0; i < op_.shader->constants.size(); ++i) {
      if (op_.shader->constants[i].name == node.text)
        return name_ == "steps" ? absl::StrCat("solver::Expr(c[", i, "])")
                                : absl::StrCat("c[", i, "]");
      known.push_back(op_.shader->constants[i].name);
    }
    for (size_t i = 0; i < sizes_.size() && !IsFixed(name_); ++i) {
      if (sizes_[i] == node.text) return absl::StrCat("s[", i, "]");
      known.push_back(sizes_[i]);
    }
    diagnostics_.Error(node.place, absl::StrCat("`", name_, "` does not know `", node.text, "`",
                                                Suggestion(node.text, known)));
    return "0";
  }

  const Op& op_;
  const std::string name_;
  const std::vector<std::string> sizes_;
  Diagnostics& diagnostics_;
};

void CheckShader(const Op& op, Diagnostics& diagnostics) {
  const ShaderDecl& shader = *op.shader;
  if (op.builder || op.outputs.size() != 1)
    diagnostics.Error(shader.place,
                      absl::StrCat("`", op.name, "` with a shader is no op of one result"));
  for (const Operand& operand : op.inputs) {
    const bool named =
        std::all_of(operand.form.dims.begin(), operand.form.dims.end(),
                    [](const FormEntry& entry) { return !entry.name.empty() && !entry.pack; });
    if (operand.arity != Operand::kRequired || operand.form.kind != Form::kDims || !named)
      diagnostics.Error(operand.place, absl::StrCat("operand `", operand.name,
                                                    "` of a shader has no list of named dims"));
  }
  for (const ShaderDecl::Constant& constant : shader.constants) {
    const bool numbers =
        constant.values->kind == Node::kList && !constant.values->children.empty() &&
        std::all_of(
            constant.values->children.begin(), constant.values->children.end(),
            [](const NodePtr& value) { return value->kind == Node::kInt && value->int_value > 0; });
    if (!numbers)
      diagnostics.Error(constant.place, absl::StrCat("the values of `", constant.name,
                                                     "` are no list of positive integers"));
  }
  for (const std::string& name : ShaderAmounts()) {
    const auto found = shader.amounts.find(name);
    if (found == shader.amounts.end()) {
      diagnostics.Error(shader.place, absl::StrCat("the shader of `", op.name,
                                                   "` does not say its `", name, "`"));
      continue;
    }
    Amount amount(op, name, diagnostics);
    if (name != "tile") {
      amount.Code(found->second);
    } else if (found->second->kind != Node::kList || op.outputs.empty() ||
               found->second->children.size() != op.outputs[0].form.dims.size()) {
      diagnostics.Error(found->second->place,
                        absl::StrCat("`tile` is no list of a length for each dim of the result"));
    } else {
      for (const NodePtr& length : found->second->children) amount.Code(length);
    }
  }
}

std::string Strings(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts)
    absl::StrAppend(&list, list.empty() ? "" : ", ", Quote(text));
  return list;
}

class ShaderCode {
 public:
  ShaderCode(const Op& op, Diagnostics& diagnostics) : op_(op), diagnostics_(diagnostics) {}

  // Definitions that `entry` refers to; that goes into the table.
  std::string Run(const std::string& source, std::string& entry) {
    const ShaderDecl& shader = *op_.shader;
    std::string text =
        absl::StrCat("constexpr char k", op_.name, "Source[] = R\"glsl(", source, ")glsl\";\n");
    std::string constants, operands;
    for (const ShaderDecl::Constant& constant : shader.constants) {
      std::vector<int64_t> values;
      for (const NodePtr& value : constant.values->children) values.push_back(value->int_value);
      const std::string list = absl::StrCat("k", op_.name, "_", constant.name);
      absl::StrAppend(&text, "constexpr int64_t ", list, "[] = {", absl::StrJoin(values, ", "),
                      "};\n");
      absl::StrAppend(&constants, "{", Quote(constant.name), ", ", list, "}, ");
    }
    for (const Operand& operand : op_.inputs) {
      std::vector<std::string> dims;
      for (const FormEntry& entry_of : operand.form.dims) dims.push_back(entry_of.name);
      const std::string list = absl::StrCat("k", op_.name, "_", operand.name, "Dims");
      absl::StrAppend(&text, "constexpr std::string_view ", list, "[] = {", Strings(dims), "};\n");
      absl::StrAppend(&operands, "{", Quote(operand.name), ", ", list, "}, ");
    }
    absl::StrAppend(&text, "constexpr ir::ShaderConstant k", op_.name, "Constants[] = {", constants,
                    "};\nconstexpr ir::ShaderOperand k", op_.name, "Operands[] = {", operands,
                    "};\nconstexpr std::string_view k", op_.name, "Sizes[] = {",
                    Strings(SizesOf(op_)), "};\n");
    std::string tile;
    for (const NodePtr& length : shader.amounts.at("tile")->children)
      absl::StrAppend(&tile, Function("tile", length), ", ");
    absl::StrAppend(&text, "constexpr ir::ShaderAmount k", op_.name, "Lengths[] = {", tile, "};\n");
    const auto prefixed = [&](const char* what) { return absl::StrCat("k", op_.name, what); };
    entry = absl::StrCat("      {", Quote(op_.dialect), ", ", Quote(op_.name), ", ",
                         prefixed("Source"), ", ", prefixed("Constants"), ", ",
                         prefixed("Operands"), ", ", Quote(op_.outputs[0].name), ", ",
                         prefixed("Sizes"), ", ", prefixed("Lengths"));
    for (const char* name : {"workgroup", "shared", "loads", "multiplies", "exchanges"})
      absl::StrAppend(&entry, ",\n       ", Function(name, shader.amounts.at(name)));
    absl::StrAppend(&entry, ",\n       ", Steps(shader.amounts.at("steps")));
    absl::StrAppend(&entry, ",\n       ", shader.matrices ? "true" : "false", "},\n");
    return text;
  }

 private:
  std::string Steps(const NodePtr& value) {
    return absl::StrCat(
        "[]([[maybe_unused]] absl::Span<const int64_t> c, [[maybe_unused]] absl::Span<const "
        "solver::Expr> s) -> solver::Expr { return ",
        Amount(op_, "steps", diagnostics_).Code(value), "; }");
  }
  std::string Function(const std::string& name, const NodePtr& value) {
    return absl::StrCat(
        "[]([[maybe_unused]] absl::Span<const double> c, [[maybe_unused]] absl::Span<const double> "
        "s) -> double { return ",
        Amount(op_, name, diagnostics_).Code(value), "; }");
  }

  const Op& op_;
  Diagnostics& diagnostics_;
};

}  // namespace

void CheckShaders(const File& file, Diagnostics& diagnostics) {
  for (const Op& op : file.ops) {
    if (op.shader.has_value()) CheckShader(op, diagnostics);
  }
}

std::string EmitShaders(const std::vector<std::pair<const File*, std::string>>& files_and_texts,
                        const std::string& title, Diagnostics& diagnostics) {
  for (const auto& [file, source] : files_and_texts) CheckShaders(*file, diagnostics);
  if (!diagnostics.empty()) return "";
  std::string definitions, entries;
  for (const auto& [file, source] : files_and_texts) {
    for (const Op& op : file->ops) {
      if (!op.shader.has_value()) continue;
      std::string entry;
      absl::StrAppend(&definitions, ShaderCode(op, diagnostics).Run(source, entry));
      absl::StrAppend(&entries, entry);
    }
  }
  return EmitTable({absl::StrCat("kernels that are written by hand for ops of `", title, "`"),
                    {"algorithm"},
                    "codegen/support/shader.h",
                    definitions,
                    "absl::Span<const ir::Shader>",
                    title + "Shaders",
                    absl::StrCat("  static const ir::Shader kShaders[] = {\n", entries,
                                 "  };\n  return kShaders;\n")});
}

}  // namespace tessera::codegen
