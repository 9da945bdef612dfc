#include "codegen/expression_parser.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera::codegen {
namespace {

constexpr int kMaxDepth = 200;

std::shared_ptr<Node> Make(Node::Kind kind, std::string text, Place place,
                           std::vector<NodePtr> children = {}) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->text = std::move(text);
  node->place = place;
  node->children = std::move(children);
  return node;
}

// Binary operators by level, loosest first; `??` is a level of its own between `?:` and `||`.
const std::vector<std::vector<absl::string_view>>& Levels() {
  static const std::vector<std::vector<absl::string_view>> kLevels = {
      {"??"}, {"||"}, {"&&"}, {"==", "!=", "<", "<=", ">", ">="}, {"++"}, {"+", "-"}, {"*", "/"}};
  return kLevels;
}

bool IsFold(absl::string_view name) {
  return name == "sum" || name == "product" || name == "min" || name == "max" || name == "any" ||
         name == "all" || name == "forall" || name == "exists";
}

}  // namespace

bool ExpressionParser::Accept(absl::string_view text) {
  if (!At(text)) return false;
  Next();
  return true;
}

void ExpressionParser::Expect(absl::string_view text) {
  if (!Accept(text)) Fail(absl::StrCat("expected `", text, "`, found `", Peek().text, "`"));
}

void ExpressionParser::Fail(absl::string_view message) {
  if (!failed_) diagnostics_.Error(Here(), message);
  failed_ = true;
  position_ = tokens_.size() - 1;
}

std::string ExpressionParser::Name(absl::string_view what) {
  if (Peek().kind != Token::kName) {
    Fail(absl::StrCat("expected ", what, ", found `", Peek().text, "`"));
    return "";
  }
  std::string text = Peek().text;
  Next();
  return text;
}

std::string ExpressionParser::String(absl::string_view what) {
  if (Peek().kind != Token::kString) {
    Fail(absl::StrCat("expected ", what, " in quotes, found `", Peek().text, "`"));
    return "";
  }
  std::string text = Peek().text;
  Next();
  return text;
}

MessageText ExpressionParser::Message(absl::string_view what) {
  const Place quote = Here();
  return {String(what), {quote.source, quote.offset + 1}};
}

int ExpressionParser::SignedInt() {
  const bool negative = Accept("-");
  int value = 0;
  if (Peek().kind != Token::kInt || !absl::SimpleAtoi(Peek().text, &value)) {
    Fail(absl::StrCat("expected an integer, found `", Peek().text, "`"));
    return 0;
  }
  Next();
  return negative ? -value : value;
}

NodePtr ExpressionParser::Expression() {
  if (++depth_ > kMaxDepth) Fail("expression nested too deeply");
  NodePtr node = failed_ ? Make(Node::kInt, "0", Here()) : Ternary();
  --depth_;
  return node;
}

NodePtr ExpressionParser::Ternary() {
  NodePtr condition = Binary(0);
  const Place place = Here();
  if (At("?") && Peek(1).text != "," && Peek(1).text != ")") {
    Next();
    // Of several results only the first would be chosen.
    const auto choice = [&] {
      NodePtr value = Expression();
      if (value->kind == Node::kList && value->text == "()")
        Fail("a condition chooses one value; of several results each has its own condition");
      return value;
    };
    NodePtr yes = choice();
    Expect(":");
    NodePtr no = choice();
    return Make(Node::kTernary, "?", place, {condition, yes, no});
  }
  return condition;
}

NodePtr ExpressionParser::Binary(int level) {
  if (level == static_cast<int>(Levels().size())) return Unary();
  NodePtr left = Binary(level + 1);
  while (!failed_) {
    const auto& operators = Levels()[static_cast<size_t>(level)];
    if (Peek().kind != Token::kPunct ||
        std::find(operators.begin(), operators.end(), Peek().text) == operators.end())
      return left;
    const std::string text = Peek().text;
    const Place place = Here();
    Next();
    NodePtr right = Binary(level + 1);
    left = Make(text == "??" ? Node::kCoalesce : Node::kBinary, text, place, {left, right});
  }
  return left;
}

NodePtr ExpressionParser::Unary() {
  if (++depth_ > kMaxDepth) Fail("expression nested too deeply");
  const Place place = Here();
  NodePtr node;
  if (Accept("-")) {
    node = Make(Node::kUnary, "-", place, {Unary()});
  } else if (Accept("!")) {
    node = Make(Node::kUnary, "!", place, {Unary()});
  } else {
    node = Primary();
  }
  --depth_;
  return node;
}

NodePtr ExpressionParser::Primary() {
  NodePtr node = Atom();
  while (!failed_) {
    const Place place = Here();
    if (Accept("[")) {
      auto index = Make(Node::kIndex, "[]", place, {node});
      while (!At("]") && !failed_) {
        if (At("broadcast") && Peek(1).kind == Token::kName) {
          const Place broadcast = Here();
          Next();
          NodePtr inner = Expression();
          Expect("...");
          index->children.push_back(Make(Node::kBroadcast, "broadcast", broadcast, {inner}));
        } else {
          NodePtr inner = Expression();
          if (Accept("...")) inner = Make(Node::kSpread, "...", inner->place, {inner});
          index->children.push_back(inner);
        }
        if (!Accept(",")) break;
      }
      Expect("]");
      node = index;
    } else if (At(".") && Peek(1).kind == Token::kInt) {
      Next();
      node = Make(Node::kMember, Peek().text, place, {node});
      Next();
    } else if (At("as")) {
      Next();
      node = Make(Node::kAs, Name("dtype"), place, {node});
    } else {
      return node;
    }
  }
  return node;
}

bool ExpressionParser::StartsBinder(size_t ahead) const {
  return Peek(ahead).kind == Token::kName &&
         (Peek(ahead + 1).text == "in" ||
          (Peek(ahead + 1).text == "..." && Peek(ahead + 2).text == "in"));
}

std::vector<Binder> ExpressionParser::Binders() {
  std::vector<Binder> binders;
  do {
    Binder binder;
    binder.place = Here();
    binder.name = Name("bound name");
    binder.pack = Accept("...");
    Expect("in");
    binder.from = Binary(0);
    if (Accept("..")) binder.to = Binary(0);
    binders.push_back(binder);
  } while (At(",") && StartsBinder(1) && Accept(","));
  return binders;
}

NodePtr ExpressionParser::Fold(std::string name, Place place, bool parenthesised) {
  auto fold = Make(Node::kFold, std::move(name), place);
  fold->binders = Binders();
  Expect(":");
  fold->children.push_back(Expression());
  if (parenthesised) Expect(")");
  return fold;
}

// `(x in X, ..., h = h0, ...: body)` after `scan`.
NodePtr ExpressionParser::Scan(Place place) {
  auto scan = Make(Node::kScan, "scan", place);
  Expect("(");
  do {
    if (StartsBinder(0)) {
      for (const Binder& binder : Binders()) scan->binders.push_back(binder);
      continue;
    }
    const std::string name = Name("state");
    Expect("=");
    scan->named.emplace_back(name, Expression());
  } while (!failed_ && Accept(","));
  Expect(":");
  scan->children.push_back(Expression());
  Expect(")");
  return scan;
}

NodePtr ExpressionParser::Atom() {
  const Token token = Peek();
  const Place place = token.place;
  if (token.kind == Token::kInt || token.kind == Token::kFloat) {
    auto node = Make(token.kind == Token::kInt ? Node::kInt : Node::kFloat, token.text, place);
    if (token.kind == Token::kInt && !absl::SimpleAtoi(token.text, &node->int_value))
      Fail(absl::StrCat("integer `", token.text, "` out of range"));
    // What is too large for a double is read as infinity.
    if (token.kind == Token::kFloat &&
        (!absl::SimpleAtod(token.text, &node->float_value) || !std::isfinite(node->float_value)))
      Fail(absl::StrCat("number `", token.text, "` out of range"));
    Next();
    return node;
  }
  if (token.kind == Token::kString) {
    Next();
    return Make(Node::kString, token.text, place);
  }
  if (Accept("(")) {
    NodePtr inner = Expression();
    if (At(",")) {  // a tuple of results
      std::vector<NodePtr> items{inner};
      while (Accept(",")) items.push_back(Expression());
      Expect(")");
      return Make(Node::kList, "()", place, items);
    }
    Expect(")");
    return inner;
  }
  if (Accept("[")) {
    if (At("for")) {
      Next();
      auto list = Make(Node::kListFor, "for", place);
      list->binders = Binders();
      Expect(":");
      list->children.push_back(Expression());
      Expect("]");
      return list;
    }
    std::vector<NodePtr> items;
    while (!At("]") && !failed_) {
      items.push_back(Expression());
      if (!Accept(",")) break;
    }
    Expect("]");
    return Make(Node::kList, "[]", place, items);
  }
  if (token.kind != Token::kName) {
    Fail(absl::StrCat("expected an expression, found `", token.text, "`"));
    return Make(Node::kInt, "0", place);
  }
  Next();
  if (IsFold(token.text)) {
    if (At("(") && StartsBinder(1)) {
      Next();
      return Fold(token.text, place, true);
    }
    if (StartsBinder(0)) return Fold(token.text, place, false);
  }
  if (token.text == "scan" && At("(") &&
      (StartsBinder(1) || (Peek(1).kind == Token::kName && Peek(2).text == "=")))
    return Scan(place);
  if (!At("(")) {
    auto name = Make(Node::kName, token.text, place);
    if (At("?") && (Peek(1).text == "," || Peek(1).text == ")")) {
      Next();
      name->optional = true;
    }
    return name;
  }
  Next();
  auto call = Make(Node::kCall, token.text, place);
  while (!At(")") && !failed_) {
    if (Accept("..")) {
      call->rest = true;
      break;
    }
    if (Peek().kind == Token::kName && Peek(1).text == ":") {
      const std::string name = Peek().text;
      Next();
      Next();
      call->named.emplace_back(name, Expression());
    } else {
      NodePtr argument = Expression();
      if (Accept("...")) argument = Make(Node::kSpread, "...", argument->place, {argument});
      if (Accept(":"))
        argument = Make(Node::kBind, Name("bound name"), argument->place, {argument});
      call->children.push_back(argument);
    }
    if (!Accept(",")) break;
  }
  Expect(")");
  return call;
}

namespace {

class Lone : private ExpressionParser {
 public:
  Lone(const Source& source, size_t begin, size_t end, Diagnostics& diagnostics)
      : ExpressionParser(source, begin, end, diagnostics) {}
  NodePtr Run() {
    NodePtr node = Expression();
    if (!AtEnd()) Fail(absl::StrCat("unexpected `", Peek().text, "` after the expression"));
    return node;
  }
};

}  // namespace

NodePtr ParseExpression(const Source& source, size_t begin, size_t end, Diagnostics& diagnostics) {
  return Lone(source, begin, end, diagnostics).Run();
}

}  // namespace tessera::codegen
