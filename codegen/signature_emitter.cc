#include "codegen/signature_emitter.h"

#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "codegen/decisions.h"
#include "codegen/expression_printer.h"
#include "codegen/pattern_emitter.h"
#include "codegen/program.h"
#include "codegen/table_source.h"

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

using Json = nlohmann::ordered_json;

Json OfOperand(const Op& op, const Operand& operand) {
  const TypeVariable* variable = nullptr;
  for (const TypeVariable& type : op.types) {
    if (operand.classes.size() == 1 && operand.classes[0] == type.name) variable = &type;
  }
  Json dims = Json::array();
  for (const FormEntry& entry : operand.form.dims)
    dims.push_back({{"name", entry.name}, {"pack", entry.pack}, {"literal", entry.literal}});
  return {{"type", variable == nullptr ? "" : variable->name},
          {"dtypes", DTypesIn(variable == nullptr ? operand.classes : variable->classes)},
          {"dims", dims},
          {"rank", operand.form.rank_name},
          {"free", operand.form.kind == Form::kAny}};
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

Json OfLowering(const LowerClause& lower, const Program& program) {
  Json clauses = Json::array();
  for (const ClauseItem& item : lower.items) {
    if (item.kind == ClauseItem::kLet) continue;
    clauses.push_back({{"line", LineOf(item.place)},
                       {"guard", item.condition == nullptr ? "" : ExpressionText(item.condition)},
                       {"refuses", item.value == nullptr}});
  }
  Json decisions = Json::array();
  for (const Decision& decision : DecisionsOf(lower, program)) {
    decisions.push_back({{"text", ExpressionText(decision.node)},
                         {"function", decision.function},
                         {"holds", decision.holds},
                         {"fails", decision.fails},
                         {"moves", decision.moves}});
  }
  return {{"target", lower.target}, {"clauses", clauses}, {"decisions", decisions}};
}

Json OfRewrite(const Op& op, const RewriteDecl& rewrite) {
  Json conjuncts = Json::array();
  if (rewrite.guard != nullptr) {
    for (const NodePtr& conjunct : ConjunctsOf(rewrite.guard))
      conjuncts.push_back(ExpressionText(conjunct));
  }
  return {{"name", absl::StrCat(op.name, ".", rewrite.name)},
          {"conjuncts", conjuncts},
          {"ordered", rewrite.ordered}};
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

Json OfOp(const Op& op, const Program& program) {
  Json operands = Json::array(), attributes = Json::array(), lowerings = Json::array();
  Json rewrites = Json::array();
  for (const Operand& operand : op.inputs) operands.push_back(OfOperand(op, operand));
  for (const AttributeDecl& attribute : op.attributes) attributes.push_back(LengthOf(attribute));
  for (const LowerClause& lower : op.lowers) lowerings.push_back(OfLowering(lower, program));
  for (const RewriteDecl& rewrite : op.rewrites) rewrites.push_back(OfRewrite(op, rewrite));
  const Numbers numbers = NumbersOf(op);
  return {{"dialect", op.dialect},   {"op", op.name},        {"file", op.stem + ".op"},
          {"commutes", op.commutes}, {"operands", operands}, {"attribute_lengths", attributes},
          {"lowerings", lowerings},  {"rewrites", rewrites}, {"integers", numbers.integers},
          {"floats", numbers.floats}};
}

}  // namespace

std::string EmitSignatures(const Program& program, const std::vector<const File*>& files,
                           const std::string& title) {
  std::vector<std::string> texts;
  for (const File* file : files) {
    for (const Op& op : file->ops) texts.push_back(OfOp(op, program).dump());
  }
  return EmitTable({"the signatures of all definitions",
                    {"vector"},
                    "codegen/support/signatures.h",
                    "",
                    "const std::vector<Signature>&",
                    title + "Signatures",
                    ReadingBody(texts, "Signature", "ReadSignatures")});
}

}  // namespace tessera::codegen
