#include "codegen/signature_parser.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tessera::codegen {

std::vector<std::string> SignatureParser::Classes() {
  std::vector<std::string> classes{Name("dtype class")};
  while (Accept("|")) classes.push_back(Name("dtype class"));
  return classes;
}

Operand SignatureParser::ParseOperand() {
  Operand operand;
  operand.place = Here();
  operand.name = Name("operand name");
  if (Accept("?")) operand.arity = Operand::kOptional;
  if (Accept("...")) operand.arity = Operand::kVariadic;
  Expect(":");
  operand.classes = Classes();
  if (Accept("[")) {
    operand.form.kind = Form::kDims;
    while (!At("]") && !failed()) {
      FormEntry entry;
      entry.place = Here();
      if (Peek().kind == Token::kInt && (Peek(1).text == "," || Peek(1).text == "]")) {
        entry.literal = SignedInt();
      } else if (Peek(1).text == "," || Peek(1).text == "]" || Peek(1).text == "...") {
        entry.name = Name("dim");
        entry.pack = Accept("...");
      } else {
        entry.expression = Expression();
      }
      operand.form.dims.push_back(entry);
      if (!Accept(",")) break;
    }
    Expect("]");
  } else if (Accept("rank")) {
    operand.form.kind = Form::kRank;
    operand.form.rank_name = Name("rank name");
  } else if (Accept("like")) {
    operand.form.kind = Form::kLike;
    operand.form.like = Name("operand");
  }
  if (Accept("elements")) (Accept("?") ? operand.known_elements : operand.elements) = true;
  return operand;
}

AttributeDecl SignatureParser::ParseAttribute() {
  AttributeDecl attribute;
  attribute.place = Here();
  attribute.name = Name("attribute name");
  Expect(":");
  attribute.kind = Name("attribute kind");
  static const std::vector<std::string> kKinds = {"int", "float", "bool", "dtype", "enum", "dim"};
  if (std::find(kKinds.begin(), kKinds.end(), attribute.kind) == kKinds.end() && !failed()) {
    Back();
    Fail(absl::StrCat("unknown attribute kind `", attribute.kind, "`",
                      Suggestion(attribute.kind, kKinds)));
  }
  if (attribute.kind == "enum") {
    Expect("{");
    while (!At("}") && !failed()) {
      attribute.enum_names.push_back(Name("enum value"));
      if (!Accept(",")) break;
    }
    Expect("}");
  }
  if (Accept("[")) {
    attribute.list = true;
    attribute.length = Expression();
    Expect("]");
  }
  if (Accept("=")) attribute.default_value = Expression();
  if (Accept("where")) attribute.where = Expression();
  return attribute;
}

std::vector<RefIndex> SignatureParser::RefIndices() {
  std::vector<RefIndex> indices;
  Expect("[");
  while (!At("]") && !failed()) {
    RefIndex index;
    index.place = Here();
    index.name = Name("index");
    index.pack = Accept("...");
    if (Accept("scan")) index.order = Accept("reverse") ? RefIndex::kBackward : RefIndex::kForward;
    if (Accept("in")) index.list = Expression();
    if (Accept("with")) {
      index.axis = Primary();
      Expect("+=");
      index.shift = Expression();
    }
    indices.push_back(index);
    if (!Accept(",")) break;
  }
  Expect("]");
  return indices;
}

RefStatement SignatureParser::ParseRef(Place place) {
  RefStatement ref;
  ref.place = place;
  if (Accept("extern")) {
    ref.kind = RefStatement::kExtern;
    ref.header = String("header");
    ref.function = Name("function");
    return ref;
  }
  ref.kind = RefStatement::kAssign;
  if (Accept("each")) {
    ref.kind = RefStatement::kEach;
    ref.each = Name("variadic operand");
    Expect(":");
  }
  ref.target = Name("result");
  ref.indices = RefIndices();
  Expect("=");
  ref.value = Expression();
  return ref;
}

RefStatement SignatureParser::ParseTemp(Place place) {
  RefStatement ref;
  ref.kind = RefStatement::kTemp;
  ref.place = place;
  ref.target = Name("temp name");
  ref.indices = RefIndices();
  Expect(":");
  ref.type = Name("type");
  Expect("=");
  ref.value = Expression();
  return ref;
}

}  // namespace tessera::codegen
