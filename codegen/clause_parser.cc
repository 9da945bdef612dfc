#include "codegen/clause_parser.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tessera::codegen {

const std::vector<std::string>& ShaderAmounts() {
  static const std::vector<std::string> kNames = {"workgroup",  "tile",      "shared", "loads",
                                                  "multiplies", "exchanges", "steps"};
  return kNames;
}

std::vector<Binder> ClauseParser::OptionalBinders() {
  std::vector<Binder> binders;
  if (Accept("[")) {
    binders = Binders();
    Expect("]");
  }
  return binders;
}

ClauseItem ClauseParser::ParseLet() {
  ClauseItem item;
  item.place = Here();
  Expect("let");
  item.kind = ClauseItem::kLet;
  item.name = Name("name");
  item.binders = OptionalBinders();
  Expect("=");
  item.value = Expression();
  return item;
}

ClauseItem ClauseParser::ParseClauseRequire() {
  ClauseItem item;
  item.place = Here();
  Expect("require");
  item.kind = ClauseItem::kRequire;
  // An id is a name that no expression could start with here: what follows it starts another one.
  const Token& after = Peek(1);
  if (Peek().kind == Token::kName && !At("forall") && !At("exists") &&
      (after.text == "!" || (after.kind == Token::kName && after.text != "else") ||
       after.kind == Token::kInt)) {
    item.name = Name("constraint id");
  }
  item.condition = Expression();
  Expect("else");
  item.message = Message("message");
  return item;
}

QuantizeDecl ClauseParser::ParseQuantize(Place place) {
  QuantizeDecl decl;
  decl.place = place;
  decl.kind = Name("kind");
  if (decl.kind != "weights") return decl;
  decl.weight_place = Here();
  decl.weight = Name("operand");
  Expect("axis");
  decl.axis = SignedInt();
  Expect("to");
  decl.result = SignedInt();
  if (Accept("bias")) {
    decl.bias_place = Here();
    decl.bias = Name("operand");
  }
  if (Accept("groups")) {
    decl.groups_place = Here();
    decl.groups = Name("attribute");
  }
  return decl;
}

ShaderDecl ClauseParser::ParseShader(Place place) {
  ShaderDecl shader;
  shader.place = place;
  Expect("{");
  while (!At("}") && !failed()) {
    const Place here = Here();
    if (Accept("constant")) {
      ShaderDecl::Constant constant{Name("constant"), nullptr, here};
      Expect("in");
      constant.values = Expression();
      shader.constants.push_back(std::move(constant));
      continue;
    }
    if (Accept("matrices")) {
      Expect("f16");
      if (shader.matrices) Fail("`matrices` is said twice");
      shader.matrices = true;
      continue;
    }
    const std::string name = Name("what of the shader is said");
    Expect("=");
    const NodePtr value = Expression();
    const auto& names = ShaderAmounts();
    if (std::find(names.begin(), names.end(), name) == names.end() ||
        !shader.amounts.emplace(name, value).second) {
      Fail(absl::StrCat("nothing is known of a shader's `", name, "`, or it is said twice",
                        Suggestion(name, names)));
    }
  }
  Expect("}");
  return shader;
}

OnnxClause ClauseParser::ParseOnnx(Place place) {
  OnnxClause clause;
  clause.place = place;
  clause.name = String("ONNX op");
  if (Accept("domain")) clause.domain = String("domain");
  if (Accept("since")) clause.since = SignedInt();
  if (Accept("until")) clause.until = SignedInt();
  if (Accept("extern")) {
    ParseImportFunction(clause);
    return clause;
  }
  if (Accept("(")) {
    clause.has_inputs = true;
    while (!At(")") && !failed()) {
      std::string name = Name("input");
      if (Accept("...")) name += "...";
      Accept("?");
      clause.inputs.push_back(name);
      if (!Accept(",")) break;
    }
    Expect(")");
  }
  ParseImportBody(clause);
  return clause;
}

void ClauseParser::ParseImportFunction(OnnxClause& clause) {
  clause.header = String("header");
  clause.function = Name("function");
  clause.inputs.clear();
  // The attributes that the function reads.
  Expect("(");
  while (!At(")") && !failed()) {
    clause.inputs.push_back(Name("attribute"));
    if (!Accept(",")) break;
  }
  Expect(")");
}

void ClauseParser::ParseImportBody(OnnxClause& clause) {
  if (Accept("{")) {
    while (!At("}") && !failed()) {
      if (At("let")) {
        clause.items.push_back(ParseLet());
      } else if (At("require")) {
        clause.items.push_back(ParseClauseRequire());
      } else if (Accept("=>")) {
        clause.term = Expression();
      } else {
        ClauseItem item;
        item.place = Here();
        item.kind = ClauseItem::kAssign;
        item.name = Name("attribute or operand");
        Expect("=");
        item.value = Expression();
        clause.items.push_back(item);
      }
    }
    Expect("}");
  }
  if (Accept("=>")) clause.term = Expression();
}

std::vector<AtenClause> ClauseParser::ParseAten(Place place) {
  AtenClause clause;
  clause.place = place;
  clause.has_inputs = true;
  std::vector<std::pair<std::string, bool>> overloads;  // and whether `written` stands before it
  do {
    const bool written = Accept("written");
    overloads.emplace_back(String("overload of ATen"), written);
  } while (Accept(","));
  clause.view = Accept("view");
  clause.parts = Accept("parts");
  clause.linear = !clause.parts && Accept("linear");
  clause.complex = !clause.parts && !clause.linear && Accept("complex");
  Expect("(");
  while (!At(")") && !failed()) {
    std::string argument = Name("argument");
    const std::string whole = argument;
    if (Accept("[")) {
      absl::StrAppend(&argument, "[", SignedInt(), "]");
      Expect("]");
    }
    std::string name = Accept("as") ? Name("input") : whole;
    if (Accept("...")) name += "...";
    clause.arguments.push_back(std::move(argument));
    clause.inputs.push_back(std::move(name));
    if (!Accept(",")) break;
  }
  Expect(")");
  if (Accept("extern")) {
    if (!clause.inputs.empty() && absl::EndsWith(clause.inputs.back(), "..."))
      clause.arguments.back() += "...";
    ParseImportFunction(clause);
  } else {
    ParseImportBody(clause);
  }
  std::vector<AtenClause> clauses;
  for (auto& [overload, written] : overloads) {
    clauses.push_back(clause);
    clauses.back().name = std::move(overload);
    clauses.back().written = written;
    // What a view does to elements, and what writes over it, is done to their parts.
    clauses.back().parts |= !clause.complex && !clause.linear && (clause.view || written);
  }
  return clauses;
}

RewriteDecl ClauseParser::ParseRewrite(Place place) {
  RewriteDecl rewrite;
  rewrite.place = place;
  rewrite.name = Name("rewrite name");
  rewrite.late = Accept("late");
  if (Accept("requested")) {
    rewrite.requested = true;
    rewrite.doc = String("what a user is told of it");
  }
  rewrite.assumes_finite = ParseAssumesFinite();
  Expect("{");
  while (At("let")) rewrite.lets.push_back(ParseLet());
  rewrite.pattern = Expression();
  while (At("let")) rewrite.lets.push_back(ParseLet());
  Expect("=>");
  rewrite.replacement = Expression();
  if (Accept("when")) rewrite.guard = Expression();
  while ((At("example") || At("keeps")) && !failed()) {
    const Place place_of_example = Here();
    std::vector<Example>& examples = At("keeps") ? rewrite.keeps : rewrite.examples;
    Next();
    examples.push_back(ParseExample(false, place_of_example));
  }
  Expect("}");
  return rewrite;
}

bool ClauseParser::ParseAssumesFinite() {
  if (!Accept("assumes")) return false;
  Expect("finite");
  return true;
}

LowerClause ClauseParser::ParseLower(Place place) {
  LowerClause lower;
  lower.place = place;
  lower.target = Name("target");
  Expect("{");
  while (!At("}") && !failed()) {
    ClauseItem item;
    item.place = Here();
    if (At("let")) {
      item = ParseLet();
    } else if (Accept("when")) {
      item.kind = ClauseItem::kWhen;
      item.condition = Expression();
      item.assumes_finite = ParseAssumesFinite();
      Expect("=>");
      if (Accept("unsupported")) {
        item.message = Message("reason");
      } else {
        item.value = Expression();
      }
    } else {
      item.kind = ClauseItem::kOtherwise;
      if (Accept("otherwise")) {
        item.assumes_finite = ParseAssumesFinite();
        Expect("=>");
      }
      if (Accept("unsupported")) {
        item.message = Message("reason");
      } else {
        item.value = Expression();
      }
    }
    lower.items.push_back(item);
  }
  Expect("}");
  return lower;
}

Example ClauseParser::ParseExample(bool reject, Place place) {
  Example example;
  example.place = place;
  example.reject = reject;
  if (reject) {
    example.constraint = Name("constraint id");
    if (Accept(".")) absl::StrAppend(&example.constraint, ".", Name("constraint id"));
  }
  Expect("{");
  while (!At("}") && !failed()) {
    if (Accept("tolerance")) {
      const NodePtr value = Expression();
      example.tolerance =
          value->kind == Node::kInt ? static_cast<double>(value->int_value) : value->float_value;
      continue;
    }
    ExampleItem item;
    item.name = Name("operand, attribute or result");
    Expect("=");
    item.value = Expression();
    example.items.push_back(item);
  }
  Expect("}");
  return example;
}

}  // namespace tessera::codegen
