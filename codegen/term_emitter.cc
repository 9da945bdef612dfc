#include "codegen/term_emitter.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "codegen/decisions.h"
#include "codegen/expression_emitter.h"
#include "codegen/import_facts.h"
#include "codegen/pattern_emitter.h"
#include "codegen/term_expressions.h"

namespace tessera::codegen {
namespace {

class ClauseEmitter : public TermExpressions {
 public:
  using TermExpressions::TermExpressions;

  // Declares C++ variables for the operands, from a span `operands`.
  void OperandVariables(const std::string& source) {
    BindOperandNames("s.");
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      const Operand& operand = op_.inputs[i];
      const std::string name = "v_" + operand.name;
      if (operand.arity == Operand::kVariadic) {
        Line(absl::StrCat("[[maybe_unused]] const Values ", name, "(", source,
                          ".begin() + std::min<size_t>(", i, ", ", source, ".size()), ", source,
                          ".end());"));
        Bind(operand.name, {.kind = Kind::kValues, .code = name});
      } else {
        Line(absl::StrCat("[[maybe_unused]] ir::Value* const ", name, " = ", i, " < ", source,
                          ".size() ? ", source, "[", i, "] : nullptr;"));
        Bind(operand.name, {.kind = Kind::kValue, .code = name});
      }
    }
    operands_bound_ = true;
  }

  void BindDerived() {
    BindAttributes("s.");
    for (const Statement& statement : op_.statements) {
      if (statement.kind == Statement::kRequire) continue;
      Typed value = Probe([&] {
        return statement.binders.empty()
                   ? Emit(statement.value)
                   : Comprehension(statement.binders, statement.value, statement.place);
      });
      const std::string code = "s." + Member(statement.name);
      if (value.kind == Kind::kProp ||
          (statement.kind == Statement::kShape && value.kind == Kind::kHost))
        value.kind = Kind::kDim;
      if (value.kind == Kind::kList) {
        Bind(statement.name,
             ListOf(code, statement.kind == Statement::kShape ? Kind::kDim : value.item));
      } else {
        value.code = code;
        Bind(statement.name, value);
      }
    }
  }

  void Let(const ClauseItem& item) {
    Typed value = item.binders.empty() ? Emit(item.value)
                                       : Comprehension(item.binders, item.value, item.place);
    if (value.kind == Kind::kProp) value = {.kind = Kind::kDim, .code = AsDim(value, item.place)};
    Bind(item.name, Store(value, item.name));
  }

  void Return(const NodePtr& term) {
    std::vector<std::string> codes;
    if (term->kind == Node::kListFor) {
      // One result per term of the list.
      Line("Values list;");
      Loops(term->binders, 0, [&] {
        const Typed item = Emit(term->children[0]);
        if (item.kind != Kind::kValue && item.kind != Kind::kError)
          Error(term->place, "a list of terms is needed");
        Line(absl::StrCat("list.push_back(", item.code, ");"));
      });
      Line("return list;");
      return;
    }
    if (term->kind == Node::kList && term->text == "()") {
      for (const NodePtr& child : term->children) codes.push_back(Emit(child).code);
    } else {
      const Typed value = Emit(term);
      if (value.kind == Kind::kValue && !value.length.empty()) {
        Line(absl::StrCat("return ", value.length, ";"));
        return;
      }
      if (value.kind != Kind::kValue) {
        if (value.kind != Kind::kError) Error(term->place, "a term is needed");
        return;
      }
      codes.push_back(value.code);
    }
    Line(absl::StrCat("return Values{", absl::StrJoin(codes, ", "), "};"));
  }

  std::string Builder() {
    asks_target_ = true;
    OperandVariables("operands");
    Line(absl::StrCat(op_.name, "Shape<Expr> s;"));
    Line("if (!BindShape(s, operands, attrs, b)) return {};");
    BindDerived();
    for (const ClauseItem& item : op_.body_lets) Let(item);
    Return(op_.body);
    return absl::StrCat("Values ", op_.name,
                        "Build(absl::Span<ir::Value* const> operands, [[maybe_unused]] "
                        "absl::Span<const ir::Attribute> attrs, ir::TermBuilder& b) {\n",
                        TakeBlock(), "}\n\n");
  }

  std::string Lowering(const LowerClause& lower) {
    dialect_ = lower.target;
    asks_target_ = true;
    OperandVariables("operands");
    BindDerived();
    const std::vector<Decision> decisions = DecisionsOf(lower, program_);
    for (size_t i = 0; i < decisions.size(); ++i)
      decisions_.emplace(decisions[i].node.get(), Numbered{i, decisions[i]});
    bool closed = false;
    int clause = 0;
    for (const ClauseItem& item : lower.items) {
      if (closed) Error(item.place, "nothing is reached after `otherwise`");
      if (item.kind == ClauseItem::kLet) {
        Let(item);
      } else if (item.kind == ClauseItem::kWhen) {
        const std::string guard = Guard(item.condition);
        Line(absl::StrCat("if (", guard, ") {"));
        Push();
        Outcome(item, clause++);
        Pop();
        Line("}");
      } else {
        Outcome(item, clause++);
        closed = true;
      }
    }
    if (!closed) Error(lower.place, "`lower` ends in `otherwise => ...`");
    return absl::StrCat(
        "Values ", op_.name, "Lower_", lower.target,
        "(ir::Operation& op, ir::TermBuilder& b) {\n  const absl::Span<ir::Value* const> operands "
        "= op.operands();\n  ",
        op_.name, "Shape<Expr> s;\n  if (!BindShape(s, operands, op.attrs(), b)) return {};\n",
        TakeBlock(), "}\n\n");
  }

  void Outcome(const ClauseItem& item, int clause) {
    Line(absl::StrCat("b.Took(", clause, ");"));
    if (item.value != nullptr) {
      if (item.assumes_finite) Line("if (!b.AssumeFinite()) return {};");
      Return(item.value);
      return;
    }
    std::string message;
    const std::string before = Capture([&] { message = Message(item.message); });
    block_ += before;
    Line(absl::StrCat("b.Refuse(", message, ");"));
    Line("return {};");
  }

  // Numbers of ATen have 64 bits.
  std::string Aten(const AtenClause& clause, size_t number) {
    wide_numbers_ = true;
    return Import(clause, number, "Aten");
  }

  std::string Import(const OnnxClause& clause, size_t number, const std::string& from = "Import") {
    import_ = true;
    const std::string head = absl::StrCat("Values ", op_.name, from, number,
                                          "(ir::ImportNode& node, ir::TermBuilder& b) {\n");
    Inputs(clause);
    Line(absl::StrCat("[[maybe_unused]] ", op_.name, "Shape<Expr> s;"));
    Line("BindNames(s, operands, b);");
    Bind("opset", Host("int64_t{node.opset()}"));
    std::vector<std::string> attributes;
    for (const ClauseItem& item : clause.items) {
      if (item.kind == ClauseItem::kLet) {
        Let(item);
      } else if (item.kind == ClauseItem::kRequire) {
        Require(item);
      } else {
        Assign(item, attributes);
      }
    }
    Line("if (node.failed()) return {};");
    Kinds(clause);
    if (clause.term == nullptr) Unassigned(clause);
    if (clause.term != nullptr) {
      if (!attributes.empty())
        Error(clause.place, "a clause either assigns attributes or states a term");
      Return(clause.term);
    } else {
      std::vector<std::string> operands;
      Line("Values arguments;");
      for (const Operand& operand : op_.inputs) {
        const Typed* value = Find(operand.name);
        if (value == nullptr) continue;
        Line(value->kind == Kind::kValues
                 ? absl::StrCat("Append(arguments, ", value->code, ");")
                 : absl::StrCat("arguments.push_back(", value->code, ");"));
      }
      Line(absl::StrCat("return b.Create(\"", op_.dialect, "\", \"", op_.name, "\", arguments, {",
                        absl::StrJoin(attributes, ", "), "});"));
    }
    return absl::StrCat(head, TakeBlock(), "}\n\n");
  }

 protected:
  // What decides in a lowering may be supposed otherwise.
  bool Special(const NodePtr& pointer, Typed& out) override {
    auto decision = decisions_.extract(pointer.get());
    if (decision.empty()) return TermExpressions::Special(pointer, out);
    const auto [number, as] = decision.mapped();
    out = as.moves ? Moved(pointer, number) : Emit(pointer);
    if ((as.holds || as.fails) && (out.kind == Kind::kBool || out.kind == Kind::kProp))
      out.code = absl::StrCat("b.Decided(", number, ", ", out.code, ")");
    decisions_.insert(std::move(decision));
    return true;
  }

 private:
  struct Numbered {
    size_t number;
    Decision as;
  };

  Typed Moved(const NodePtr& pointer, size_t number) {
    const Node& node = *pointer;
    Typed right;
    const Typed left = Probe([&] {
      right = Emit(node.children[1]);
      return Emit(node.children[0]);
    });
    const auto is_integer = [](const Typed& typed) {
      return typed.kind == Kind::kHost || typed.kind == Kind::kDim;
    };
    if (!is_integer(left) || !is_integer(right)) return Emit(pointer);
    const Typed a = Emit(node.children[0]);
    Typed b = Emit(node.children[1]);
    b.code = absl::StrCat("(", b.code, " + ", b.kind == Kind::kDim ? "Expr" : "", "(b.Moved(",
                          number, ")))");
    return Compare(node.text, a, b, node.place);
  }

  // What has no default has to come from the node.
  void Unassigned(const OnnxClause& clause) {
    for (const AttributeDecl& attribute : op_.attributes) {
      const bool assigned =
          std::any_of(clause.items.begin(), clause.items.end(), [&](const ClauseItem& item) {
            return item.kind == ClauseItem::kAssign && item.name == attribute.name;
          });
      if (!assigned && attribute.default_value == nullptr)
        Error(clause.place, absl::StrCat("the clause leaves attribute `", attribute.name, "` of `",
                                         op_.name, "` open, which has no default"));
    }
  }

  // In one opset an attribute has one type.
  void Kinds(const OnnxClause& clause) {
    const std::vector<AttributeRead> reads = AttributeReadsOf(clause);
    for (const AttributeRead& read : reads) {
      for (const AttributeRead* other = reads.data(); other != &read; ++other) {
        const bool asks = read.reader == "has_attr" || other->reader == "has_attr";
        if (!asks && other->name == read.name && other->reader != read.reader &&
            other->since <= read.until && read.since <= other->until)
          Error(read.node->place, absl::StrCat("`", read.name, "` is read by `", other->reader,
                                               "` and by `", read.reader, "`"));
      }
    }
  }

  // Variables of the node's inputs; those named like operands are the operands.
  void Inputs(const OnnxClause& clause) {
    std::vector<std::string> names;
    if (clause.has_inputs) {
      names = clause.inputs;
    } else {
      for (const Operand& operand : op_.inputs)
        names.push_back(operand.name + (operand.arity == Operand::kVariadic ? "..." : ""));
    }
    BindOperandNames("s.");
    for (const Operand& operand : op_.inputs)
      Bind(operand.name,
           {.kind = operand.arity == Operand::kVariadic ? Kind::kValues : Kind::kValue,
            .code = operand.arity == Operand::kVariadic ? "Values{}"
                                                        : "static_cast<ir::Value*>(nullptr)"});
    bool variadic = false;
    for (size_t i = 0; i < names.size(); ++i) {
      std::string name = names[i];
      const bool pack = absl::EndsWith(name, "...");
      if (pack) name.resize(name.size() - 3);
      if (pack) {
        variadic = true;
        Line(absl::StrCat("Values v_", name, ";"));
        Line(absl::StrCat("for (int i = ", i, "; i < node.input_count(); ++i) v_", name,
                          ".push_back(node.Input(i));"));
        Bind(name, {.kind = Kind::kValues, .code = "v_" + name});
      } else {
        Line(absl::StrCat("[[maybe_unused]] ir::Value* v_", name, " = node.Input(", i, ");"));
        Bind(name, {.kind = Kind::kValue, .code = "v_" + name});
      }
    }
    if (!variadic) {
      Line(absl::StrCat("if (node.input_count() > ", names.size(), ") {"));
      Line(absl::StrCat("  node.Fail(absl::StrCat(\"\", node.input_count(), \" inputs, at most ",
                        names.size(), " have a meaning\"));"));
      Line("  return {};");
      Line("}");
    }
    Line("Values operands;");
    for (const Operand& operand : op_.inputs) {
      const Typed& value = *Find(operand.name);
      Line(value.kind == Kind::kValues ? absl::StrCat("Append(operands, ", value.code, ");")
                                       : absl::StrCat("operands.push_back(", value.code, ");"));
    }
    operands_bound_ = true;
  }

  // What speaks of sizes is an obligation like those of a definition, anything else a check.
  void Require(const ClauseItem& item) {
    Line("if (node.failed()) return {};");
    std::string message;
    const std::string before = Capture([&] { message = Message(item.message); });
    if (Probe([&] { return Emit(item.condition); }).kind != Kind::kProp) {
      Line(absl::StrCat("if (!(", Guard(item.condition), ")) {"));
      block_ += before;
      Line(absl::StrCat("  node.Fail(", message, ");"));
    } else {
      const std::string checker = Unique("required");
      Line(absl::StrCat("ir::Checker<Expr> ", checker, "(b.rewriter().graph().context());"));
      const std::string outer = std::exchange(guard_checker_, checker);
      const std::string holds = Emit(item.condition).code;
      guard_checker_ = outer;
      Line(absl::StrCat(checker, ".Require(\"", item.name.empty() ? "import" : item.name, "\", ",
                        holds, ", [&] {"));
      block_ += before;
      Line(absl::StrCat("  return ", message, ";"));
      Line("});");
      Line(absl::StrCat("b.Owe(", checker, ", \"", op_.name, "\");"));
      Line("if (!b.ok()) {");
    }
    Line("  return {};");
    Line("}");
  }

  void Assign(const ClauseItem& item, std::vector<std::string>& attributes) {
    for (const Operand& operand : op_.inputs) {
      if (operand.name != item.name) continue;
      const Typed value = Emit(item.value);
      if (value.kind != Kind::kValue && value.kind != Kind::kValues) {
        if (value.kind != Kind::kError)
          Error(item.place, absl::StrCat("`", item.name, "` is an operand, a term is needed"));
        return;
      }
      Bind(item.name, Store(value, item.name));
      return;
    }
    for (const AttributeDecl& attribute : op_.attributes) {
      if (attribute.name != item.name) continue;
      Typed value;
      const std::string code = AttributeCode(attribute, item.value, &value, item.name);
      attributes.push_back(absl::StrCat("{\"", attribute.name, "\", ", code, "}"));
      if (value.kind != Kind::kError) Bind(item.name, value);
      return;
    }
    std::vector<std::string> known;
    for (const AttributeDecl& attribute : op_.attributes) known.push_back(attribute.name);
    for (const Operand& operand : op_.inputs) known.push_back(operand.name);
    Error(item.place, absl::StrCat("`", op_.name, "` has no operand or attribute `", item.name, "`",
                                   Suggestion(item.name, known)));
  }

  std::map<const Node*, Numbered> decisions_;
};

}  // namespace

std::set<std::string> AttributesRead(const OnnxClause& clause) {
  std::set<std::string> names;
  for (const AttributeRead& read : AttributeReadsOf(clause)) names.insert(read.name);
  return names;
}

std::string RootOf(const RewriteDecl& rewrite) {
  return rewrite.pattern->kind == Node::kBind ? rewrite.pattern->children[0]->text
                                              : rewrite.pattern->text;
}

std::string EmitBuilder(const Program& program, const Op& op, Diagnostics& diagnostics) {
  if (op.body == nullptr) {
    diagnostics.Error(op.place, absl::StrCat("builder `", op.name, "` has no `body`"));
    return "";
  }
  return ClauseEmitter(program, op, diagnostics).Builder();
}

std::string EmitImport(const Program& program, const Op& op, size_t clause,
                       Diagnostics& diagnostics) {
  return ClauseEmitter(program, op, diagnostics).Import(op.onnx[clause], clause);
}

std::string EmitAten(const Program& program, const Op& op, size_t clause,
                     Diagnostics& diagnostics) {
  return ClauseEmitter(program, op, diagnostics).Aten(op.aten[clause], clause);
}

std::string EmitRewrite(const Program& program, const Op& op, const RewriteDecl& rewrite,
                        Diagnostics& diagnostics) {
  return PatternEmitter(program, op, diagnostics).Run(rewrite);
}

std::string EmitLowering(const Program& program, const Op& op, const LowerClause& lower,
                         Diagnostics& diagnostics) {
  return ClauseEmitter(program, op, diagnostics).Lowering(lower);
}

}  // namespace tessera::codegen
