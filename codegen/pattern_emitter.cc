#include "codegen/pattern_emitter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_printer.h"

namespace tessera::codegen {
namespace {

// All orders of more would take too long to try.
constexpr int kMostOrders = 6;

}  // namespace

std::vector<NodePtr> ConjunctsOf(const NodePtr& guard) {
  if (guard->kind != Node::kBinary || guard->text != "&&") return {guard};
  std::vector<NodePtr> conjuncts = ConjunctsOf(guard->children[0]);
  const std::vector<NodePtr> more = ConjunctsOf(guard->children[1]);
  conjuncts.insert(conjuncts.end(), more.begin(), more.end());
  return conjuncts;
}

std::string PatternEmitter::Run(const RewriteDecl& rewrite) {
  operands_bound_ = true;
  ordered_ = rewrite.ordered;
  NodePtr pattern = rewrite.pattern;
  if (pattern->kind == Node::kBind) pattern = pattern->children[0];
  if (pattern->kind != Node::kCall) {
    Error(rewrite.place, "a pattern starts with an op");
    return "";
  }
  Line("const ir::Operation* const op_root = &root;");
  matched_.push_back("op_root");
  if (rewrite.pattern->kind == Node::kBind)
    Bind(rewrite.pattern->text, {.kind = Kind::kValue, .code = "root.result(0)"});
  const size_t errors = diagnostics_.size();
  MatchCall(*pattern, "op_root");
  if (diagnostics_.size() > errors) return "";  // what the rest names may be bound nowhere
  for (const ClauseItem& item : rewrite.lets) {
    Typed value = item.binders.empty() ? Emit(item.value)
                                       : Comprehension(item.binders, item.value, item.place);
    Bind(item.name, Store(value, item.name));
  }
  if (rewrite.guard != nullptr) {
    const std::vector<NodePtr> conjuncts = ConjunctsOf(rewrite.guard);
    for (size_t i = 0; i < conjuncts.size(); ++i) {
      const std::string holds = Guard(conjuncts[i]);
      RejectIf(absl::StrCat("!b.ok() || !b.Holds(", i, ", ", holds, ")"));
    }
  }
  std::vector<std::string> locations;
  for (const std::string& op : matched_) locations.push_back(absl::StrCat("&", op, "->location()"));
  Line(absl::StrCat("b.rewriter().SetLocation(ir::Location::Merge({",
                    absl::StrJoin(locations, ", "), "}));"));
  std::vector<std::string> values;
  if (rewrite.replacement->kind == Node::kList && rewrite.replacement->text == "()") {
    for (const NodePtr& child : rewrite.replacement->children) values.push_back(Emit(child).code);
  } else {
    const Typed value = Emit(rewrite.replacement);
    if (value.kind != Kind::kValue) {
      if (value.kind != Kind::kError) Error(rewrite.replacement->place, "a replacement is a term");
    } else {
      values.push_back(value.code);
    }
  }
  for (const auto& [target, carried] : carried_) {
    for (const Carried& call : carried) {
      if (!call.taken)
        Error(call.place,
              absl::StrCat("`..` of `", target->name, "` is dropped: no `", target->name,
                           "` of the replacement has it; name the attributes, with `_` "
                           "where any value will do"));
    }
  }
  Line("if (!b.ok()) return {};");
  Line(absl::StrCat("return Values{", absl::StrJoin(values, ", "), "};"));
  for (size_t i = closers_.size(); i-- > 0;) Line(closers_[i]);
  const std::string function = absl::StrCat(op_.name, "_", rewrite.name);
  const std::string parameters = "(ir::Operation& root, ir::TermBuilder& b";
  if (orders_ == 0)
    return absl::StrCat("// ", rewrite.name, "\nValues ", function, parameters, ") {\n",
                        TakeBlock(), "}\n\n");
  if (orders_ > kMostOrders)
    Error(rewrite.place,
          absl::StrCat("the pattern has ", orders_, " operations that commute, at most ",
                       kMostOrders, " can be tried in every order"));
  const std::string matcher = absl::StrCat(
      "// ", rewrite.name, "; a bit of `order` is set where two operands change places.\nValues ",
      function, "InOrder", parameters, ", unsigned order) {\n", TakeBlock(), "}\n\n");
  Line(absl::StrCat("for (unsigned order = 0; order < ", 1 << orders_, "; ++order) {"));
  Line(absl::StrCat("  Values values = ", function, "InOrder(root, b, order);"));
  Line("  if (!b.ok() || !values.empty()) return values;");
  Line("}");
  Line("return {};");
  return absl::StrCat(matcher, "Values ", function, parameters, ") {\n", TakeBlock(), "}\n\n");
}

std::string PatternEmitter::OperandCode(const std::string& op, size_t index, int bit) {
  if (bit < 0) return absl::StrCat(op, "->operand(", index, ")");
  return absl::StrCat(op, "->operand(", index, " ^ (order >> ", bit, " & 1))");
}

void PatternEmitter::MatchCall(const Node& call, const std::string& op) {
  const Op* target = program_.FindOp(dialect_, call.text);
  if (target == nullptr || target->builder) {
    Error(call.place,
          absl::StrCat("unknown op `", call.text, "`", Suggestion(call.text, program_.OpNames())));
    return;
  }
  const bool variadic =
      !target->inputs.empty() && target->inputs.back().arity == Operand::kVariadic;
  // Attributes before nested operands, so that a name bound by an outer op is compared by the inner
  // one.
  for (const auto& [name, pattern] : call.named) {
    const AttributeDecl* declaration = nullptr;
    std::vector<std::string> known;
    size_t index = 0;
    for (size_t i = 0; i < target->attributes.size(); ++i) {
      known.push_back(target->attributes[i].name);
      if (target->attributes[i].name != name) continue;
      declaration = &target->attributes[i];
      index = i;
    }
    if (declaration == nullptr) {
      Error(pattern->place, absl::StrCat("`", call.text, "` has no attribute `", name, "`",
                                         Suggestion(name, known)));
      continue;
    }
    MatchAttribute(pattern, absl::StrCat(op, "->attr(", index, ")"), *declaration);
  }
  Unnamed(call, *target, op);
  if (variadic) {
    MatchVariadic(call, *target, op);
    return;
  }
  if (call.children.size() > target->inputs.size()) {
    Error(call.place, absl::StrCat("`", call.text, "` has ", target->inputs.size(), " operand(s)"));
    return;
  }
  const bool orders = target->commutes && !ordered_ && call.children.size() == 2 &&
                      ExpressionText(call.children[0]) != ExpressionText(call.children[1]);
  const int bit = orders ? orders_++ : -1;
  for (size_t i = 0; i < call.children.size(); ++i)
    MatchValue(call.children[i], OperandCode(op, i, bit));
  for (size_t i = call.children.size(); i < target->inputs.size(); ++i)
    RejectIf(absl::StrCat(op, "->operand(", i, ") != nullptr"));
}

// Every attribute is named, or all others are carried over.
void PatternEmitter::Unnamed(const Node& call, const Op& target, const std::string& op) {
  if (call.rest) {
    carried_[&target].push_back({op, call.place});
    return;
  }
  std::vector<std::string> unnamed;
  for (const AttributeDecl& attribute : target.attributes) {
    const bool named = std::any_of(call.named.begin(), call.named.end(), [&](const auto& pattern) {
      return pattern.first == attribute.name;
    });
    if (!named) unnamed.push_back(absl::StrCat("`", attribute.name, "`"));
  }
  if (!unnamed.empty())
    Error(call.place,
          absl::StrCat("the pattern does not say what ", absl::StrJoin(unnamed, ", "), " of `",
                       target.name, "` may be: `name: _` for any value, `..` to carry them over"));
}

void PatternEmitter::MatchVariadic(const Node& call, const Op& target, const std::string& op) {
  const size_t first = target.inputs.size() - 1;
  const std::string operands = op + "->operands()";
  std::vector<NodePtr> patterns(
      call.children.begin() + static_cast<std::ptrdiff_t>(std::min(first, call.children.size())),
      call.children.end());
  for (size_t i = 0; i < first && i < call.children.size(); ++i)
    MatchValue(call.children[i], absl::StrCat(op, "->operand(", i, ")"));
  const auto is_pack = [](const NodePtr& node) {
    return node->kind == Node::kSpread && node->children[0]->kind == Node::kName;
  };
  const auto packs = std::count_if(patterns.begin(), patterns.end(), is_pack);
  const auto bind_pack = [&](const NodePtr& pattern, const std::string& from,
                             const std::string& to) {
    const std::string name = Unique(pattern->children[0]->text);
    Line(absl::StrCat("const Values ", name, "(", operands, ".begin() + ", from, ", ", operands,
                      ".begin() + ", to, ");"));
    Bind(pattern->children[0]->text, {.kind = Kind::kValues, .code = name});
  };
  if (packs == 0) {
    RejectIf(absl::StrCat(operands, ".size() != ", first + patterns.size()));
    for (size_t i = 0; i < patterns.size(); ++i)
      MatchValue(patterns[i], absl::StrCat(operands, "[", first + i, "]"));
    return;
  }
  if (packs == 1) {
    if (first + patterns.size() > 1)
      RejectIf(absl::StrCat(operands, ".size() < ", first + patterns.size() - 1));
    bool after = false;
    for (size_t i = 0; i < patterns.size(); ++i) {
      const size_t behind = patterns.size() - 1 - i;
      if (is_pack(patterns[i])) {
        bind_pack(patterns[i], absl::StrCat(first + i),
                  absl::StrCat("(", operands, ".size() - ", behind, ")"));
        after = true;
      } else {
        MatchValue(patterns[i],
                   after ? absl::StrCat(operands, "[", operands, ".size() - ", behind + 1, "]")
                         : absl::StrCat(operands, "[", first + i, "]"));
      }
    }
    return;
  }
  if (patterns.size() != 3 || packs != 2 || is_pack(patterns[1])) {
    Error(call.place, "a variadic pattern has at most one pack, or one operand between two packs");
    return;
  }
  const std::string at = Unique("at");
  const std::string found = Unique("found");
  Line(absl::StrCat("for (size_t ", at, " = ", first, "; ", at, " < ", operands, ".size(); ++", at,
                    ") {"));
  Line(absl::StrCat("const Values ", found, " = [&]() -> Values {"));
  closers_.push_back(
      absl::StrCat("}(); if (!b.ok() || !", found, ".empty()) return ", found, "; } return {};"));
  // The packs are copies: only where what stands between them is what was looked for, or going
  // through many operands would be quadratic.
  MatchValue(patterns[1], absl::StrCat(operands, "[", at, "]"));
  bind_pack(patterns[0], absl::StrCat(first), at);
  bind_pack(patterns[2], absl::StrCat("(", at, " + 1)"), absl::StrCat(operands, ".size()"));
}

void PatternEmitter::MatchValue(const NodePtr& pattern, const std::string& value) {
  switch (pattern->kind) {
    case Node::kName: {
      if (pattern->text == "_") {
        if (!pattern->optional) RejectIf(value + " == nullptr");
        return;
      }
      if (const Typed* bound = Find(pattern->text)) {
        RejectIf(absl::StrCat(value, " != ", bound->code));
        return;
      }
      const std::string name = Unique(pattern->text);
      Line(absl::StrCat("[[maybe_unused]] ir::Value* const ", name, " = ", value, ";"));
      if (!pattern->optional) RejectIf(name + " == nullptr");
      Bind(pattern->text, {.kind = Kind::kValue, .code = name});
      return;
    }
    case Node::kBind: {
      const std::string name = Unique(pattern->text);
      Line(absl::StrCat("[[maybe_unused]] ir::Value* const ", name, " = ", value, ";"));
      Bind(pattern->text, {.kind = Kind::kValue, .code = name});
      MatchValue(pattern->children[0], name);
      return;
    }
    case Node::kCall: {
      const Op* target = program_.FindOp(dialect_, pattern->text);
      const std::string op = Unique("op");
      Line(absl::StrCat("const ir::Operation* const ", op, " = ", value,
                        " == nullptr ? nullptr : ", value, "->producer();"));
      RejectIf(absl::StrCat(op, " == nullptr || ", value, "->result_index() != 0 || ", op,
                            "->info().name != \"", pattern->text, "\" || ", op,
                            "->info().dialect != \"", target == nullptr ? "" : target->dialect,
                            "\""));
      matched_.push_back(op);
      MatchCall(*pattern, op);
      return;
    }
    case Node::kInt:
    case Node::kFloat:
      RejectIf(absl::StrCat("!ir::IsSplat(", value, ", ", pattern->text, ")"));
      return;
    default:
      Error(pattern->place, "a pattern is a name, `_`, an op or a number");
  }
}

void PatternEmitter::MatchAttribute(const NodePtr& pattern, const std::string& attribute,
                                    const AttributeDecl& declaration) {
  const Place place = pattern->place;
  if (pattern->kind == Node::kName && pattern->text == "_") return;
  if (declaration.kind == "enum") {
    const auto at =
        std::find(declaration.enum_names.begin(), declaration.enum_names.end(), pattern->text);
    if (pattern->kind == Node::kName && at != declaration.enum_names.end()) {
      RejectIf(absl::StrCat("std::get<int64_t>(", attribute,
                            ") != ", at - declaration.enum_names.begin()));
      return;
    }
  }
  const bool truth = pattern->text == "true" || pattern->text == "false";
  if (pattern->kind == Node::kName && !truth && Find(pattern->text) == nullptr &&
      !(declaration.kind == "dtype" && IsDTypeName(pattern->text)) &&
      !IsLiteralName(pattern->text)) {
    attributes_[pattern->text] = attribute;
    const std::string name = Unique(pattern->text);
    const auto declare = [&](const std::string& type, const std::string& code) {
      Line(absl::StrCat("[[maybe_unused]] const ", type, " ", name, " = ", code, ";"));
    };
    if (declaration.list) {
      const Kind item = declaration.kind == "dim"     ? Kind::kDim
                        : declaration.kind == "float" ? Kind::kFloat
                                                      : Kind::kHost;
      const std::string type = declaration.kind == "dim"     ? "std::vector<Expr>"
                               : declaration.kind == "float" ? "std::vector<double>"
                                                             : "std::vector<int64_t>";
      declare(type, absl::StrCat("std::get<", type, ">(", attribute, ")"));
      Bind(pattern->text, ListOf(name, item));
    } else if (declaration.kind == "enum") {
      declare("int64_t", absl::StrCat("std::get<int64_t>(", attribute, ")"));
      Bind(pattern->text,
           {.kind = Kind::kEnum, .code = name, .enum_names = declaration.enum_names});
    } else if (declaration.kind == "bool") {
      declare("bool", absl::StrCat("std::get<int64_t>(", attribute, ") != 0"));
      Bind(pattern->text, {.kind = Kind::kBool, .code = name});
    } else if (declaration.kind == "dtype") {
      declare("ir::DType", absl::StrCat("std::get<ir::DType>(", attribute, ")"));
      Bind(pattern->text, {.kind = Kind::kDType, .code = name});
    } else {
      const std::string type = declaration.kind == "dim"     ? "Expr"
                               : declaration.kind == "float" ? "double"
                                                             : "int64_t";
      declare(type, absl::StrCat("std::get<", type, ">(", attribute, ")"));
      Bind(pattern->text, {.kind = declaration.kind == "dim"     ? Kind::kDim
                                   : declaration.kind == "float" ? Kind::kFloat
                                                                 : Kind::kHost,
                           .code = name});
    }
    return;
  }
  if (pattern->kind == Node::kName) {
    const auto bound = attributes_.find(pattern->text);
    if (bound != attributes_.end()) {
      RejectIf(absl::StrCat("!(", attribute, " == ", bound->second, ")"));
      return;
    }
  }
  const Typed value = Emit(pattern);
  if (value.kind == Kind::kError) return;
  if (declaration.kind == "dtype") {
    RejectIf(absl::StrCat("std::get<ir::DType>(", attribute, ") != ", value.code));
  } else if (declaration.list) {
    const std::string type =
        declaration.kind == "dim" ? "std::vector<Expr>" : "std::vector<int64_t>";
    RejectIf(absl::StrCat("std::get<", type, ">(", attribute, ") != ",
                          declaration.kind == "dim"
                              ? absl::StrCat("ToExprs(", AsVector(value, place), ")")
                              : AsVector(value, place)));
  } else if (declaration.kind == "dim") {
    RejectIf(absl::StrCat("!(std::get<Expr>(", attribute, ") == ", AsDim(value, place), ")"));
  } else if (declaration.kind == "float") {
    RejectIf(absl::StrCat("std::get<double>(", attribute, ") != ", AsFloat(value, place)));
  } else {
    RejectIf(absl::StrCat(
        "std::get<int64_t>(", attribute, ") != ",
        AsHost(value.kind == Kind::kBool ? Host(absl::StrCat("int64_t{", value.code, "}")) : value,
               place)));
  }
}

}  // namespace tessera::codegen
