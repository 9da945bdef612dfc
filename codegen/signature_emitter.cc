#include "codegen/signature_emitter.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_printer.h"
#include "codegen/info_emitter.h"
#include "codegen/pattern_emitter.h"
#include "codegen/program.h"

namespace tessera::codegen {
namespace {

// Literals in what an expression says of sizes, attributes and elements.
struct Numbers {
  std::set<int64_t> integers;
  std::set<double> floats;

  void Collect(const NodePtr& node) {
    if (node == nullptr) return;
    if (node->kind == Node::kInt) integers.insert(node->int_value);
    if (node->kind == Node::kFloat) floats.insert(node->float_value);
    for (const NodePtr& child : node->children) Collect(child);
    for (const auto& [name, child] : node->named) Collect(child);
    for (const Binder& binder : node->binders) {
      Collect(binder.from);
      Collect(binder.to);
    }
  }
};

std::string OperandCode(const Op& op, const Operand& operand) {
  const TypeVariable* variable = nullptr;
  for (const TypeVariable& type : op.types) {
    if (operand.classes.size() == 1 && operand.classes[0] == type.name) variable = &type;
  }
  std::string set = DTypeSetCode(variable == nullptr ? operand.classes : variable->classes);
  std::vector<std::string> dims;
  for (const FormEntry& entry : operand.form.dims)
    dims.push_back(absl::StrCat("{", Quote(entry.name), ", ", entry.pack ? "true" : "false", ", ",
                                entry.literal, "}"));
  return absl::StrCat("{", Quote(variable == nullptr ? "" : variable->name), ", ",
                      set.empty() ? "0" : set, ", {", absl::StrJoin(dims, ", "), "}, ",
                      Quote(operand.form.rank_name), ", ",
                      operand.form.kind == Form::kAny ? "true" : "false", "}");
}

// `X` of `len(X)`, `n` of `n`; other lengths have no name.
std::string LengthOf(const AttributeDecl& attribute) {
  if (!attribute.list || attribute.length == nullptr) return "";
  const Node& length = *attribute.length;
  if (length.kind == Node::kName) return length.text;
  if (length.kind == Node::kCall && length.text == "len" && length.children.size() == 1)
    return length.children[0]->text;
  return "";
}

std::string LoweringCode(const LowerClause& lower) {
  std::vector<std::string> clauses;
  for (const ClauseItem& item : lower.items) {
    if (item.kind == ClauseItem::kLet) continue;
    clauses.push_back(
        absl::StrCat("{", LineOf(item.place), ", ",
                     Quote(item.condition == nullptr ? "" : ExpressionText(item.condition)), ", ",
                     item.value == nullptr ? "true" : "false", "}"));
  }
  return absl::StrCat("{", Quote(lower.target), ", {", absl::StrJoin(clauses, ", "), "}}");
}

std::string RewriteCode(const Op& op, const RewriteDecl& rewrite) {
  std::vector<std::string> conjuncts;
  if (rewrite.guard != nullptr) {
    for (const NodePtr& conjunct : ConjunctsOf(rewrite.guard))
      conjuncts.push_back(Quote(ExpressionText(conjunct)));
  }
  return absl::StrCat("{", Quote(absl::StrCat(op.name, ".", rewrite.name)), ", {",
                      absl::StrJoin(conjuncts, ", "), "}, ", rewrite.ordered ? "true" : "false",
                      "}");
}

Numbers NumbersOf(const Op& op) {
  Numbers numbers;
  for (const Statement& statement : op.statements) numbers.Collect(statement.value);
  for (const AttributeDecl& attribute : op.attributes) {
    numbers.Collect(attribute.default_value);
    numbers.Collect(attribute.where);
  }
  for (const RefStatement& ref : op.refs) numbers.Collect(ref.value);
  for (const LowerClause& lower : op.lowers) {
    for (const ClauseItem& item : lower.items) {
      numbers.Collect(item.condition);
      if (item.kind == ClauseItem::kLet) numbers.Collect(item.value);
    }
  }
  for (const RewriteDecl& rewrite : op.rewrites) {
    numbers.Collect(rewrite.pattern);
    numbers.Collect(rewrite.guard);
  }
  return numbers;
}

std::string SignatureCode(const Op& op) {
  std::vector<std::string> operands, attributes, lowerings, rewrites, floats;
  for (const Operand& operand : op.inputs) operands.push_back(OperandCode(op, operand));
  for (const AttributeDecl& attribute : op.attributes)
    attributes.push_back(absl::StrCat("{", Quote(LengthOf(attribute)), "}"));
  for (const LowerClause& lower : op.lowers) lowerings.push_back(LoweringCode(lower));
  for (const RewriteDecl& rewrite : op.rewrites) rewrites.push_back(RewriteCode(op, rewrite));
  const Numbers numbers = NumbersOf(op);
  for (const double number : numbers.floats)
    floats.push_back(absl::StrCat(number, number == static_cast<int64_t>(number) ? ".0" : ""));
  return absl::StrCat(
      "{", Quote(op.dialect), ", ", Quote(op.name), ", ", Quote(op.stem + ".op"), ", ",
      op.commutes ? "true" : "false", ",\n     {", absl::StrJoin(operands, ", "), "},\n     {",
      absl::StrJoin(attributes, ", "), "},\n     {", absl::StrJoin(lowerings, ", "), "},\n     {",
      absl::StrJoin(rewrites, ", "), "},\n     {", absl::StrJoin(numbers.integers, ", "), "}, {",
      absl::StrJoin(floats, ", "), "}}");
}

}  // namespace

std::string EmitSignatures(const std::vector<const File*>& files, const std::string& title) {
  std::string code =
      "// Generated: the signatures of all definitions.\n#include <vector>\n\n#include "
      "\"codegen/support/signatures.h\"\n\nnamespace tessera::ops {\nnamespace {\n\n";
  std::vector<std::string> names;
  // One function per op: a single one would take the compiler very long.
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      names.push_back(op.name);
      absl::StrAppend(&code, "Signature Of", op.name, "() {\n  return ", SignatureCode(op),
                      ";\n}\n\n");
    }
  }
  absl::StrAppend(&code, "}  // namespace\n\nconst std::vector<Signature>& ", title,
                  "Signatures();\nconst std::vector<Signature>& ", title,
                  "Signatures() {\n  static const auto* all = new std::vector<Signature>{\n");
  for (const std::string& name : names) absl::StrAppend(&code, "      Of", name, "(),\n");
  absl::StrAppend(&code, "  };\n  return *all;\n}\n\n}  // namespace tessera::ops\n");
  return code;
}

}  // namespace tessera::codegen
