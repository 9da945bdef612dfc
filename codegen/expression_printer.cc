#include "codegen/expression_printer.h"

#include "absl/strings/str_cat.h"

namespace tessera::codegen {
namespace {

// How tightly a form binds, loosest first; the levels are those of the parser.
enum Level {
  kTernary,
  kCoalesce,
  kOr,
  kAnd,
  kCompare,
  kConcat,
  kAdd,
  kMultiply,
  kUnary,
  kPrimary,
  kAtom
};

Level BinaryLevel(const std::string& op) {
  if (op == "||") return kOr;
  if (op == "&&") return kAnd;
  if (op == "++") return kConcat;
  if (op == "+" || op == "-") return kAdd;
  if (op == "*" || op == "/") return kMultiply;
  return kCompare;
}

// Written without parentheses, up to the end of what it is in.
bool IsQuantifier(const Node& node) {
  return node.kind == Node::kFold && (node.text == "forall" || node.text == "exists");
}

Level LevelOf(const Node& node) {
  switch (node.kind) {
    case Node::kTernary:
      return kTernary;
    case Node::kCoalesce:
      return kCoalesce;
    case Node::kBinary:
      return BinaryLevel(node.text);
    case Node::kUnary:
      return kUnary;
    case Node::kIndex:
    case Node::kMember:
    case Node::kAs:
      return kPrimary;
    case Node::kFold:
      return IsQuantifier(node) ? kTernary : kAtom;
    default:
      return kAtom;
  }
}

std::string Text(const NodePtr& node);

std::string At(const NodePtr& node, Level level) {
  return LevelOf(*node) < level ? absl::StrCat("(", Text(node), ")") : Text(node);
}

std::string List(const std::vector<NodePtr>& nodes, size_t from = 0) {
  std::string text;
  for (size_t i = from; i < nodes.size(); ++i)
    absl::StrAppend(&text, i == from ? "" : ", ", Text(nodes[i]));
  return text;
}

std::string Call(const Node& node) {
  std::string text = List(node.children);
  for (const auto& [name, value] : node.named)
    absl::StrAppend(&text, text.empty() ? "" : ", ", name, ": ", Text(value));
  if (node.rest) absl::StrAppend(&text, text.empty() ? "" : ", ", "..");
  return absl::StrCat(node.text, "(", text, ")");
}

std::string Text(const NodePtr& pointer) {
  const Node& node = *pointer;
  const auto child = [&](size_t i, Level level) { return At(node.children[i], level); };
  switch (node.kind) {
    case Node::kInt:
    case Node::kFloat:
      return node.text;
    case Node::kString:
      return absl::StrCat("\"", node.text, "\"");
    case Node::kName:
      return absl::StrCat(node.text, node.optional ? "?" : "");
    case Node::kUnary:
      return absl::StrCat(node.text, child(0, kUnary));
    case Node::kBinary:
    case Node::kCoalesce: {
      const Level level = LevelOf(node);
      return absl::StrCat(child(0, level), " ", node.text, " ",
                          child(1, static_cast<Level>(level + 1)));
    }
    case Node::kTernary:
      return absl::StrCat(child(0, kCoalesce), " ? ", child(1, kTernary), " : ",
                          child(2, kTernary));
    case Node::kCall:
      return Call(node);
    case Node::kIndex:
      return absl::StrCat(child(0, kPrimary), "[", List(node.children, 1), "]");
    case Node::kMember:
      return absl::StrCat(child(0, kPrimary), ".", node.text);
    case Node::kAs:
      return absl::StrCat(child(0, kPrimary), " as ", node.text);
    case Node::kList:
      return node.text == "()" ? absl::StrCat("(", List(node.children), ")")
                               : absl::StrCat("[", List(node.children), "]");
    case Node::kListFor:
      return absl::StrCat("[for ", BinderText(node.binders), ": ", Text(node.children[0]), "]");
    case Node::kFold: {
      const std::string inner =
          absl::StrCat(BinderText(node.binders), ": ", Text(node.children[0]));
      return IsQuantifier(node) ? absl::StrCat(node.text, " ", inner)
                                : absl::StrCat(node.text, "(", inner, ")");
    }
    case Node::kScan: {
      std::string text = BinderText(node.binders);
      for (const auto& [name, init] : node.named)
        absl::StrAppend(&text, text.empty() ? "" : ", ", name, " = ", Text(init));
      return absl::StrCat("scan(", text, ": ", Text(node.children[0]), ")");
    }
    case Node::kSpread:
      return absl::StrCat(Text(node.children[0]), "...");
    case Node::kBroadcast:
      return absl::StrCat("broadcast ", Text(node.children[0]), "...");
    case Node::kBind:
      return absl::StrCat(Text(node.children[0]), ":", node.text);
  }
  return "";
}

}  // namespace

std::string BinderText(const std::vector<Binder>& binders) {
  std::string text;
  for (const Binder& binder : binders) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", binder.name, binder.pack ? "..." : "", " in ",
                    At(binder.from, kCoalesce));
    if (binder.to) absl::StrAppend(&text, "..", At(binder.to, kCoalesce));
  }
  return text;
}

std::string ExpressionText(const NodePtr& node) { return Text(node); }

}  // namespace tessera::codegen
