#include "codegen/import_facts.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_printer.h"

namespace tessera::codegen {
namespace {

constexpr int kOpen = 1 << 20;  // of a clause without `until`

struct Opsets {
  int since = 1, until = kOpen;
};

// Where a comparison of `opset` with a number holds, and where it does not; a pair of ranges, since
// `==` leaves two.
struct Division {
  Opsets yes, no;
};

std::optional<Division> DivisionBy(const NodePtr& condition, Opsets within) {
  if (condition->kind != Node::kBinary || condition->children[0]->kind != Node::kName ||
      condition->children[0]->text != "opset" || condition->children[1]->kind != Node::kInt)
    return std::nullopt;
  const int n = static_cast<int>(condition->children[1]->int_value);
  const auto below = [&](int bound) { return Opsets{within.since, std::min(within.until, bound)}; };
  const auto from = [&](int bound) { return Opsets{std::max(within.since, bound), within.until}; };
  if (condition->text == ">=") return Division{from(n), below(n - 1)};
  if (condition->text == ">") return Division{from(n + 1), below(n)};
  if (condition->text == "<=") return Division{below(n), from(n + 1)};
  if (condition->text == "<") return Division{below(n - 1), from(n)};
  return std::nullopt;
}

class Reads {
 public:
  void Visit(const NodePtr& node, Opsets opsets) {
    if (node == nullptr) return;
    if (node->kind == Node::kCoalesce && Reader(*node->children[0])) {
      Add(node->children[0], node->children[1], opsets);
      Visit(node->children[1], opsets);
      return;
    }
    if (node->kind == Node::kCall && Reader(*node)) {
      Add(node, nullptr, opsets);
      return;
    }
    if (node->kind == Node::kTernary) {
      if (const std::optional<Division> division = DivisionBy(node->children[0], opsets)) {
        Visit(node->children[1], division->yes);
        Visit(node->children[2], division->no);
        return;
      }
    }
    if (node->kind == Node::kBinary && (node->text == "&&" || node->text == "||")) {
      if (const std::optional<Division> division = DivisionBy(node->children[0], opsets)) {
        Visit(node->children[1], node->text == "&&" ? division->yes : division->no);
        return;
      }
    }
    for (const NodePtr& child : node->children) Visit(child, opsets);
    for (const auto& [name, child] : node->named) Visit(child, opsets);
    for (const Binder& binder : node->binders) {
      Visit(binder.from, opsets);
      Visit(binder.to, opsets);
    }
  }

  std::vector<AttributeRead> Take() { return std::move(reads_); }

 private:
  static bool Reader(const Node& node) {
    return node.kind == Node::kCall && !node.children.empty() &&
           (absl::StartsWith(node.text, "attr_") || node.text == "has_attr");
  }

  void Add(const NodePtr& call, const NodePtr& otherwise, Opsets opsets) {
    reads_.push_back(
        {call->children[0]->text, call->text, call, otherwise, opsets.since, opsets.until});
  }

  std::vector<AttributeRead> reads_;
};

// A literal, or empty.
std::string LiteralText(const NodePtr& node) {
  switch (node->kind) {
    case Node::kInt:
    case Node::kFloat:
      return node->text;
    case Node::kString:
      return absl::StrCat("\"", node->text, "\"");
    case Node::kName:
      // A schema has numbers for yes and no.
      if (node->text == "true") return "1";
      if (node->text == "false") return "0";
      return IsDTypeName(node->text) ? node->text : "";
    case Node::kList: {
      std::vector<std::string> items;
      for (const NodePtr& child : node->children) {
        items.push_back(LiteralText(child));
        if (items.back().empty()) return "";
      }
      return absl::StrCat("[", absl::StrJoin(items, ","), "]");
    }
    case Node::kUnary: {
      const std::string text = node->text == "-" ? LiteralText(node->children[0]) : "";
      return text.empty() ? "" : "-" + text;
    }
    default:
      return "";
  }
}

std::string DefaultText(const AttributeRead& read, const std::set<std::string>& asked) {
  if (read.otherwise == nullptr) return asked.count(read.name) != 0 ? "?" : "!";
  const std::string literal = LiteralText(read.otherwise);
  return literal.empty() ? absl::StrCat("~", ExpressionText(read.otherwise))
                         : absl::StrCat("=", literal);
}

std::vector<std::string> DTypesOf(const Op& op, const std::vector<std::string>& classes) {
  for (const TypeVariable& type : op.types) {
    if (classes.size() == 1 && classes[0] == type.name) return DTypesIn(type.classes);
  }
  return DTypesIn(classes);
}

class Table {
 public:
  void Add(const Op& op, const OnnxClause& clause) {
    key_ = absl::StrCat(OriginOf(clause.place).source->path, ":", LineOf(clause.place), "\t",
                        op.name, "\t", clause.domain.empty() ? "ai.onnx" : clause.domain, "\t",
                        clause.name, "\t", clause.since, "\t", clause.until);
    Row({"clause"});
    Attributes(clause);
    if (!clause.function.empty()) return;
    std::vector<std::string> inputs = clause.inputs;
    if (!clause.has_inputs) {
      for (const Operand& operand : op.inputs)
        inputs.push_back(operand.name + (operand.arity == Operand::kVariadic ? "..." : ""));
    }
    for (std::string name : inputs) Input(op, clause, name);
    if (clause.term == nullptr) Results(op, inputs);
  }

  std::string text() { return std::move(text_); }

 private:
  void Row(const std::vector<std::string>& columns) {
    absl::StrAppend(&text_, key_, "\t", absl::StrJoin(columns, "\t"), "\n");
  }

  void Attributes(const OnnxClause& clause) {
    const std::vector<AttributeRead> reads = AttributeReadsOf(clause);
    std::set<std::string> asked;
    for (const AttributeRead& read : reads) {
      if (read.reader == "has_attr") asked.insert(read.name);
    }
    for (const AttributeRead& read : reads)
      Row({"attribute", read.name, read.reader, absl::StrCat(std::max(read.since, clause.since)),
           absl::StrCat(std::min(read.until, clause.until)), DefaultText(read, asked)});
  }

  void Input(const Op& op, const OnnxClause& clause, std::string name) {
    const bool many = absl::EndsWith(name, "...");
    if (many) name.resize(name.size() - 3);
    std::string arity = many ? "many" : "-", dtypes = "-";
    for (const Operand& operand : op.inputs) {
      if (operand.name != name || clause.term != nullptr || Assigns(clause, name)) continue;
      if (!many) arity = operand.arity == Operand::kOptional ? "optional" : "one";
      dtypes = absl::StrJoin(DTypesOf(op, operand.classes), ",");
    }
    Row({"input", name, arity, dtypes});
  }

  static bool Assigns(const OnnxClause& clause, const std::string& name) {
    return std::any_of(clause.items.begin(), clause.items.end(), [&](const ClauseItem& item) {
      return item.kind == ClauseItem::kAssign && item.name == name;
    });
  }

  void Results(const Op& op, const std::vector<std::string>& inputs) {
    for (const Operand& result : op.outputs) {
      std::string dtypes = "-";
      for (const Operand& operand : op.inputs) {
        const auto at = std::find_if(inputs.begin(), inputs.end(), [&](const std::string& name) {
          return name == operand.name || name == operand.name + "...";
        });
        if (dtypes == "-" && at != inputs.end() && operand.classes == result.classes)
          dtypes = absl::StrCat("as ", at - inputs.begin());
      }
      const std::vector<std::string> own = DTypesOf(op, result.classes);
      if (dtypes == "-" && !own.empty()) dtypes = absl::StrJoin(own, ",");
      Row({"result", result.name, dtypes});
    }
  }

  std::string text_, key_;
};

}  // namespace

std::vector<AttributeRead> AttributeReadsOf(const OnnxClause& clause) {
  if (!clause.function.empty()) {
    std::vector<AttributeRead> reads;
    for (const std::string& name : clause.inputs) reads.push_back({name, "extern", {}, {}});
    return reads;
  }
  Reads reads;
  for (const ClauseItem& item : clause.items) {
    for (const Binder& binder : item.binders) {
      reads.Visit(binder.from, {});
      reads.Visit(binder.to, {});
    }
    reads.Visit(item.condition, {});
    reads.Visit(item.value, {});
  }
  reads.Visit(clause.term, {});
  return reads.Take();
}

std::string EmitImports(const std::vector<const File*>& files) {
  Table table;
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      for (const OnnxClause& clause : op.onnx) table.Add(op, clause);
    }
  }
  return table.text();
}

}  // namespace tessera::codegen
