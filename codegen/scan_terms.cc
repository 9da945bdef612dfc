// `scan(x in X, h = h0: (next, y))`: a recurrence as a term.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/term_expressions.h"

namespace tessera::codegen {
namespace {

void CollectNames(const NodePtr& node, std::set<std::string>& names) {
  if (node == nullptr) return;
  if (node->kind == Node::kName) names.insert(node->text);
  for (const NodePtr& child : node->children) CollectNames(child, names);
  for (const auto& [key, child] : node->named) CollectNames(child, names);
  for (const Binder& binder : node->binders) {
    CollectNames(binder.from, names);
    CollectNames(binder.to, names);
  }
}

}  // namespace

Typed TermExpressions::Tuple(const Node& node) {
  std::vector<std::string> codes;
  for (const NodePtr& child : node.children) {
    const Typed item = Emit(child);
    if (item.kind == Kind::kError) return {};
    if (item.kind != Kind::kValue) return Error(child->place, "a term is needed");
    codes.push_back(item.code);
  }
  const std::string tuple = Unique("tuple");
  Line(absl::StrCat("const Values ", tuple, " = {", absl::StrJoin(codes, ", "), "};"));
  return {.kind = Kind::kValue, .code = absl::StrCat("ResultAt(", tuple, ", 0)"), .length = tuple};
}

// A function of the dialect, on values that C++ names.
std::string TermExpressions::PieceOfScan(const std::string& function,
                                         const std::vector<Typed>& arguments, Place place) {
  const Function* found = program_.FindFunction(dialect_, function);
  if (found == nullptr) {
    Error(place, absl::StrCat("`scan` needs a function `", function, "` in the prelude"));
    return "nullptr";
  }
  Node call;
  call.kind = Node::kCall;
  call.text = function;
  call.place = place;
  Push();
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto name = std::make_shared<Node>();
    name->kind = Node::kName;
    name->text = absl::StrCat("argument ", i);
    name->place = place;
    Bind(name->text, arguments[i]);
    call.children.push_back(name);
  }
  const Typed piece = Expand(*found, call);
  Pop();
  return piece.kind == Kind::kValue ? piece.code : "nullptr";
}

Typed TermExpressions::Steps(const Node& node) {
  if (node.binders.size() != 1 || node.named.empty())
    return Error(node.place, "a `scan` over a range has one range, and a state");
  const std::string states = Unique("states"), collected = Unique("collected");
  Line(absl::StrCat("Values ", states, ";"));
  for (const auto& [name, init] : node.named) {
    const Typed typed = Emit(init);
    if (typed.kind != Kind::kValue && typed.kind != Kind::kError)
      Error(init->place, "a term is needed");
    Line(absl::StrCat(states, ".push_back(", typed.code, ");"));
  }
  Line(absl::StrCat("std::vector<Values> ", collected, ";"));
  const size_t count = node.named.size();
  Loops(node.binders, 0, [&] {
    size_t next = 0;
    for (const auto& [name, init] : node.named) {
      const std::string local = Unique(Member(name));
      Line(absl::StrCat("[[maybe_unused]] ir::Value* const ", local, " = ", states, "[", next++,
                        "];"));
      Bind(name, {.kind = Kind::kValue, .code = local});
    }
    const NodePtr& body = node.children[0];
    const Typed result = Emit(body);
    if (result.kind == Kind::kError) return;
    if (result.kind != Kind::kValue) {
      Error(body->place, "a term is needed");
      return;
    }
    const std::string step = Unique("step"), i = Unique("i");
    Line(absl::StrCat(
        "const Values ", step, " = ",
        result.length.empty() ? absl::StrCat("Values{", result.code, "}") : result.length, ";"));
    for (size_t state = 0; state < count; ++state)
      Line(absl::StrCat(states, "[", state, "] = ResultAt(", step, ", ", state, ");"));
    Line(absl::StrCat(collected, ".resize(", step, ".size() - std::min<size_t>(", count, ", ", step,
                      ".size()));"));
    Line(absl::StrCat("for (size_t ", i, " = ", count, "; ", i, " < ", step, ".size(); ++", i, ") ",
                      collected, "[", i, " - ", count, "].push_back(", step, "[", i, "]);"));
  });
  const std::string results = Unique("results"), entries = Unique("entries");
  Line(absl::StrCat("Values ", results, " = ", states, ";"));
  Line(absl::StrCat("for (const Values& ", entries, " : ", collected, ") {"));
  const std::string stack =
      PieceOfScan("scan_stack", {{.kind = Kind::kValues, .code = entries}}, node.place);
  Line(absl::StrCat(results, ".push_back(", stack, ");"));
  Line("}");
  return {
      .kind = Kind::kValue, .code = absl::StrCat("ResultAt(", results, ", 0)"), .length = results};
}

Typed TermExpressions::Scan(const Node& node) {
  for (const Binder& binder : node.binders) {
    if (binder.to != nullptr) return Steps(node);
  }
  const NodePtr& body = node.children[0];
  const std::string term = Unique("scan");
  Line(absl::StrCat("ir::ScanTerm ", term, ";"));
  const auto given = [&](const NodePtr& value, const char* member) {
    const Typed typed = Emit(value);
    if (typed.kind != Kind::kValue && typed.kind != Kind::kError)
      Error(value->place, "a term is needed");
    Line(absl::StrCat(term, ".", member, ".push_back(", typed.code, ");"));
  };
  for (const Binder& binder : node.binders) given(binder.from, "scanned");
  for (const auto& [name, init] : node.named) given(init, "states");
  // What the body reads from outside goes in with the rest: it may become a graph of its own.
  std::set<std::string> mentioned;
  CollectNames(body, mentioned);
  for (const Binder& binder : node.binders) mentioned.erase(binder.name);
  for (const auto& [name, init] : node.named) mentioned.erase(name);
  std::vector<std::string> captured;
  for (const std::string& name : mentioned) {
    const Typed* found = Find(name);
    if (found == nullptr || found->kind != Kind::kValue) continue;
    captured.push_back(name);
    Line(absl::StrCat(term, ".captured.push_back(", found->code, ");"));
  }
  const auto value = [](const std::string& code) {
    return Typed{.kind = Kind::kValue, .code = code};
  };
  Line(
      absl::StrCat(term, ".entry = [&](ir::Value* entry_of, ir::Value* entry_at) -> ir::Value* {"));
  const std::string entry =
      PieceOfScan("scan_entry", {value("entry_of"), value("entry_at")}, node.place);
  Line(absl::StrCat("return ", entry, ";"));
  Line("};");
  Line(absl::StrCat(term, ".stack = [&](const Values& entries) -> ir::Value* {"));
  const std::string stack =
      PieceOfScan("scan_stack", {{.kind = Kind::kValues, .code = "entries"}}, node.place);
  Line(absl::StrCat("return ", stack, ";"));
  Line("};");
  Line(absl::StrCat(term, ".step = [&](const Values& here) -> Values {"));
  Push();
  size_t next = 0;
  const auto bind = [&](const std::string& name) {
    const std::string local = Unique(Member(name));
    Line(absl::StrCat("[[maybe_unused]] ir::Value* const ", local, " = here[", next++, "];"));
    Bind(name, value(local));
  };
  for (const Binder& binder : node.binders) bind(binder.name);
  for (const auto& [name, init] : node.named) bind(name);
  for (const std::string& name : captured) bind(name);
  const Typed result = Emit(body);
  if (result.kind == Kind::kValue) {
    Line(absl::StrCat(
        "return ",
        result.length.empty() ? absl::StrCat("Values{", result.code, "}") : result.length, ";"));
  } else if (result.kind != Kind::kError) {
    Error(body->place, "a term is needed");
  }
  Pop();
  Line("};");
  const std::string results = Unique("results");
  Line(absl::StrCat("const Values ", results, " = ir::Scan(b, ", term, ");"));
  return {
      .kind = Kind::kValue, .code = absl::StrCat("ResultAt(", results, ", 0)"), .length = results};
}

}  // namespace tessera::codegen
