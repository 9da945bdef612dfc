#include "codegen/manual_emitter.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_printer.h"

namespace tessera::codegen {
namespace {

std::string Code(const std::string& text) { return absl::StrCat("`", text, "`"); }

// In a cell of a table a bar ends the cell, even inside code.
std::string Cell(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string FormText(const Form& form) {
  if (form.kind == Form::kRank) return absl::StrCat(" rank ", form.rank_name);
  if (form.kind == Form::kLike) return absl::StrCat(" like ", form.like);
  if (form.kind == Form::kAny) return "";
  std::vector<std::string> entries;
  for (const FormEntry& entry : form.dims) {
    entries.push_back(entry.expression     ? ExpressionText(entry.expression)
                      : entry.name.empty() ? absl::StrCat(entry.literal)
                                           : absl::StrCat(entry.name, entry.pack ? "..." : ""));
  }
  return absl::StrCat("[", absl::StrJoin(entries, ", "), "]");
}

std::string OperandText(const char* keyword, const Operand& operand) {
  static constexpr const char* kArity[] = {"", "?", "..."};
  const std::string type =
      operand.type.empty() ? absl::StrJoin(operand.classes, " | ") : operand.type;
  return absl::StrCat(keyword, operand.name, kArity[operand.arity], " : ", type,
                      FormText(operand.form),
                      operand.elements         ? " elements"
                      : operand.known_elements ? " elements?"
                                               : "",
                      "\n");
}

std::string AttributeText(const AttributeDecl& attribute) {
  std::string text = absl::StrCat("attr ", attribute.name, " : ", attribute.kind);
  if (attribute.kind == "enum")
    absl::StrAppend(&text, " {", absl::StrJoin(attribute.enum_names, ", "), "}");
  if (attribute.list) absl::StrAppend(&text, "[", ExpressionText(attribute.length), "]");
  if (attribute.default_value)
    absl::StrAppend(&text, " = ", ExpressionText(attribute.default_value));
  if (attribute.where) absl::StrAppend(&text, " where ", ExpressionText(attribute.where));
  return text + "\n";
}

std::string SignatureText(const Op& op) {
  std::string text;
  for (const TypeVariable& type : op.types)
    absl::StrAppend(&text, "type ", type.name, " : ", absl::StrJoin(type.classes, " | "), "\n");
  for (const Operand& input : op.inputs) text += OperandText("in   ", input);
  for (const AttributeDecl& attribute : op.attributes) text += AttributeText(attribute);
  for (const Operand& output : op.outputs) text += OperandText("out  ", output);
  return text;
}

std::string DefinitionText(const char* keyword, const std::string& name,
                           const std::vector<Binder>& binders, const NodePtr& value) {
  return absl::StrCat(keyword, name,
                      binders.empty() ? "" : absl::StrCat("[", BinderText(binders), "]"), " = ",
                      ExpressionText(value), "\n");
}

std::string IndexText(const RefIndex& index) {
  std::string text = absl::StrCat(index.name, index.pack ? "..." : "");
  if (index.order != RefIndex::kAnyOrder) text += " scan";
  if (index.order == RefIndex::kBackward) text += " reverse";
  if (index.list) absl::StrAppend(&text, " in ", ExpressionText(index.list));
  if (index.axis) {
    absl::StrAppend(&text, " with ", ExpressionText(index.axis),
                    " += ", ExpressionText(index.shift));
  }
  return text;
}

std::string RefText(const RefStatement& ref) {
  if (ref.kind == RefStatement::kExtern) return absl::StrCat("extern ", ref.function, "\n");
  if (ref.kind == RefStatement::kFast) return "";
  std::vector<std::string> indices;
  for (const RefIndex& index : ref.indices) indices.push_back(IndexText(index));
  std::string text = ref.kind == RefStatement::kTemp   ? "temp "
                     : ref.kind == RefStatement::kEach ? absl::StrCat("each ", ref.each, ": ")
                                                       : "";
  absl::StrAppend(&text, ref.target, "[", absl::StrJoin(indices, ", "), "]");
  if (ref.kind == RefStatement::kTemp) absl::StrAppend(&text, " : ", ref.type);
  return absl::StrCat(text, " = ", ExpressionText(ref.value), "\n");
}

std::string Fenced(const std::string& text) {
  return text.empty() ? "" : absl::StrCat("```\n", text, "```\n");
}

// Ids with what must hold and what is said otherwise. `where` bounds an
// attribute's entries.
std::string ConstraintTable(const Op& op) {
  std::string rows;
  for (const AttributeDecl& attribute : op.attributes) {
    if (!attribute.where) continue;
    absl::StrAppend(&rows, "| `where.", attribute.name, "` | ",
                    Cell(Code(ExpressionText(attribute.where))), " | `", attribute.name,
                    "` has {it} |\n");
  }
  for (const Statement& statement : op.statements) {
    if (statement.kind != Statement::kRequire) continue;
    absl::StrAppend(&rows, "| `", statement.name, "` | ",
                    Cell(Code(ExpressionText(statement.value))), " | ",
                    Cell(statement.message.text), " |\n");
  }
  return rows.empty() ? ""
                      : absl::StrCat("| constraint | holds if | else |\n|---|---|---|\n", rows);
}

std::string ShapeText(const Op& op) {
  std::string text;
  for (const Statement& statement : op.statements) {
    if (statement.kind == Statement::kRequire) continue;
    text += DefinitionText(statement.kind == Statement::kLet ? "let " : "shape ", statement.name,
                           statement.binders, statement.value);
  }
  return text;
}

std::string ImportText(const Op& op) {
  std::map<std::string, std::vector<const OnnxClause*>> by_name;
  for (const OnnxClause& clause : op.onnx)
    by_name[clause.domain.empty() ? clause.name : absl::StrCat(clause.domain, ".", clause.name)]
        .push_back(&clause);
  std::vector<std::string> texts;
  for (const auto& [name, clauses] : by_name)
    texts.push_back(absl::StrCat("`", name, "` (opsets ", OpsetText(clauses), ")"));
  return texts.empty() ? "" : absl::StrCat("From ONNX: ", absl::StrJoin(texts, ", "), ".\n\n");
}

std::string LowerText(const Program& program, const Op& op, const std::string& target,
                      const Observed& observed) {
  const TargetSupport support = SupportOf(program, op, target, observed);
  std::string text = absl::StrCat("On `", target, "`: ");
  std::vector<std::string> operators;
  for (const std::string& name : support.operators) operators.push_back(Code(name));
  switch (support.how) {
    case TargetSupport::kDirectly:
      absl::StrAppend(&text, operators.empty() ? "no operator is needed" : "directly, by ",
                      absl::StrJoin(operators, ", "));
      break;
    case TargetSupport::kComposition:
      absl::StrAppend(&text, "by composition of ", absl::StrJoin(operators, ", "));
      break;
    case TargetSupport::kSeen:
      text += "no clause of its own";
      break;
    case TargetSupport::kNot: {
      // A target may have a way without one: a kernel of what the operation computes.
      const bool has_clause =
          std::any_of(op.lowers.begin(), op.lowers.end(),
                      [&](const LowerClause& clause) { return clause.target == target; });
      text += has_clause ? "not" : "no clause of its own";
      break;
    }
  }
  for (const LowerClause& clause : op.lowers) {
    if (clause.target != target) continue;
    for (const ClauseItem& item : clause.items) {
      if (item.kind == ClauseItem::kLet || (item.value && !item.assumes_finite)) continue;
      const bool always = item.kind == ClauseItem::kOtherwise;
      const std::string when =
          always ? "otherwise" : absl::StrCat("when ", Code(ExpressionText(item.condition)));
      if (item.value) {
        absl::StrAppend(&text, "; ", when, " it is assumed that numbers are finite");
      } else {
        absl::StrAppend(&text, "; not ", when, ": ", item.message.text);
      }
    }
  }
  if (!support.places.empty())
    absl::StrAppend(&text, "; examples hold on ", absl::StrJoin(support.places, ", "));
  return text + ".\n\n";
}

std::string ExamplesText(const Op& op) {
  std::string text;
  for (const Example& example : op.examples) {
    std::vector<std::string> items;
    for (const ExampleItem& item : example.items)
      items.push_back(absl::StrCat(item.name, " = ", ExpressionText(item.value)));
    if (example.reject) {
      absl::StrAppend(&text, "reject ", example.constraint, ": ");
    }
    absl::StrAppend(&text, absl::StrJoin(items, "  "), "\n");
  }
  return text;
}

std::string RewritesText(const Op& op) {
  std::string text;
  for (const RewriteDecl& rewrite : op.rewrites) {
    absl::StrAppend(&text, rewrite.name, rewrite.late ? " late" : "",
                    rewrite.requested ? absl::StrCat(" requested (", rewrite.doc, ")") : "",
                    rewrite.assumes_finite ? " assumes finite: " : ": ",
                    ExpressionText(rewrite.pattern), "\n  => ", ExpressionText(rewrite.replacement),
                    "\n");
    if (rewrite.guard) absl::StrAppend(&text, "  when ", ExpressionText(rewrite.guard), "\n");
  }
  return text;
}

std::string Section(const Program& program, const Op& op, const std::vector<std::string>& targets,
                    const Observed& observed) {
  std::string text = absl::StrCat("## ", op.name, "\n", op.doc, "\n", Fenced(SignatureText(op)));
  const auto part = [&](const char* title, const std::string& body) {
    if (!body.empty()) absl::StrAppend(&text, title, "\n", body, "\n");
  };
  part("", ConstraintTable(op));
  part("Shape of the results:", Fenced(ShapeText(op)));
  if (op.builder) {
    std::string body;
    for (const ClauseItem& let : op.body_lets)
      body += DefinitionText("let ", let.name, let.binders, let.value);
    absl::StrAppend(&body, ExpressionText(op.body), "\n");
    part("Always expanded into:", Fenced(body));
  } else {
    std::string ref;
    for (const RefStatement& statement : op.refs) ref += RefText(statement);
    part("Value:", Fenced(ref));
  }
  text += ImportText(op);
  if (op.has_code) {
    absl::StrAppend(&text, "In the file: operator ", op.code, ", version ", op.code_version,
                    op.options.empty() ? "" : absl::StrCat(", options `", op.options, "`"),
                    ".\n\n");
  }
  for (const std::string& target : targets) {
    const bool is_of_target = op.has_code && op.dialect == target;
    if (!is_of_target) text += LowerText(program, op, target, observed);
  }
  part("Rewrites:", Fenced(RewritesText(op)));
  part("Examples:", Fenced(ExamplesText(op)));
  return text;
}

}  // namespace

std::string EmitManual(const Program& program, const std::vector<const File*>& files,
                       const std::string& title, const Observed& observed) {
  std::vector<const Op*> ops;
  for (const File* file : files) {
    for (const Op& op : file->ops) ops.push_back(&op);
  }
  std::sort(ops.begin(), ops.end(), [](const Op* a, const Op* b) { return a->name < b->name; });
  std::vector<std::string> links;
  for (const Op* op : ops)
    links.push_back(absl::StrCat("[", op->name, "](#", absl::AsciiStrToLower(op->name), ")"));
  std::string text = absl::StrCat("# ", title, "\n\n", absl::StrJoin(links, ", "), "\n\n");
  const std::vector<std::string> targets = TargetsOf(program, files);
  for (const Op* op : ops) text += Section(program, *op, targets, observed);
  while (text.size() > 1 && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

}  // namespace tessera::codegen
