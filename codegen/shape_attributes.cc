// Defaults of attributes, binding them, and their bounds.

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "codegen/shape_class.h"

namespace tessera::codegen {

// What an attribute that is complete stands for in the defaults of later ones.
void ShapeEmitter::BindComplete(const AttributeDecl& attribute, const std::string& at) {
  if (attribute.kind == "dim" || attribute.kind == "dtype") return;
  const bool real = attribute.kind == "float";
  if (!attribute.list) {
    if (attribute.kind == "enum" || attribute.kind == "bool") return;
    Bind(attribute.name,
         {.kind = real ? Kind::kFloat : Kind::kHost,
          .code = absl::StrCat("std::get<", real ? "double" : "int64_t", ">(", at, ")")});
    return;
  }
  const std::string list =
      absl::StrCat("std::get<std::vector<", real ? "double" : "int64_t", ">>(", at, ")");
  Bind(attribute.name, ListOf(list, real ? Kind::kFloat : Kind::kHost));
  if (attribute.length->kind == Node::kName && Find(attribute.length->text) == nullptr)
    Bind(attribute.length->text, Host(absl::StrCat("Len(", list, ")")));
}

void ShapeEmitter::Defaults() {
  Push();
  if (op_.attributes.empty()) Line("(void)attrs;");
  for (size_t i = 0; i < op_.attributes.size(); ++i) {
    const AttributeDecl& attribute = op_.attributes[i];
    Line(absl::StrCat("if (std::holds_alternative<std::monostate>(attrs[", i, "])) {"));
    if (attribute.default_value == nullptr) {
      Line(absl::StrCat("  return absl::InvalidArgumentError(\"attribute `", attribute.name,
                        "` is missing\");"));
    } else {
      Line(absl::StrCat("  attrs[", i, "] = ir::Attribute(", DefaultCode(attribute), ");"));
    }
    Line("}");
    BindComplete(attribute, absl::StrCat("attrs[", i, "]"));
  }
  Pop();
}

std::string ShapeEmitter::DefaultCode(const AttributeDecl& attribute) {
  if (attribute.kind == "enum") {
    for (size_t i = 0; i < attribute.enum_names.size(); ++i) {
      if (attribute.enum_names[i] == attribute.default_value->text)
        return absl::StrCat("int64_t{", i, "}");
    }
    Error(attribute.default_value->place,
          absl::StrCat("`", attribute.default_value->text, "` is not a value of `", attribute.name,
                       "`", Suggestion(attribute.default_value->text, attribute.enum_names)));
    return "int64_t{0}";
  }
  const Typed value = Emit(attribute.default_value);
  const Place place = attribute.default_value->place;
  if (attribute.kind == "dtype") {
    if (value.kind != Kind::kDType && value.kind != Kind::kError) Error(place, "a dtype is needed");
    return value.code;
  }
  if (!attribute.list) {
    if (attribute.kind == "dim") return absl::StrCat("Expr(", AsHost(value, place), ")");
    return attribute.kind == "float" ? AsFloat(value, place) : AsHost(value, place);
  }
  const std::string type = attribute.kind == "dim"     ? "Expr"
                           : attribute.kind == "float" ? "double"
                                                       : "int64_t";
  if (value.kind == Kind::kList) {
    if (attribute.kind == "dim" && value.item == Kind::kHost)
      return absl::StrCat("ToExprs(", AsVector(value, place), ")");
    return AsVector(value, place);
  }
  std::string length = "int64_t{0}";
  if (attribute.length->kind == Node::kName && Find(attribute.length->text) == nullptr) {
    Error(place, "a list of free length needs a list as its default");
  } else {
    length = AsHost(Emit(attribute.length), place);
  }
  return absl::StrCat("std::vector<", type, ">(static_cast<size_t>(", length, "), ",
                      attribute.kind == "float"
                          ? AsFloat(value, place)
                          : absl::StrCat(type, "(", AsHost(value, place), ")"),
                      ")");
}

void ShapeEmitter::Attributes() {
  // A fresh name as a list's length is bound by the list, so lengths are looked at before the
  // names are known.
  for (size_t i = 0; i < op_.attributes.size(); ++i) {
    const AttributeDecl& attribute = op_.attributes[i];
    const std::string name = Member(attribute.name);
    const std::string at = absl::StrCat("attrs[", i, "]");
    if (attribute.list) {
      const bool fresh =
          attribute.length->kind == Node::kName && Find(attribute.length->text) == nullptr;
      const std::string item = attribute.kind == "dim"     ? "Domain"
                               : attribute.kind == "float" ? "double"
                                                           : "int64_t";
      Declare(absl::StrCat("std::vector<", item, ">"), name);
      if (attribute.kind == "dim") {
        Line(absl::StrCat(name, " = FromExprs<Domain>(std::get<std::vector<Expr>>(", at, "));"));
      } else {
        Line(absl::StrCat(name, " = std::get<std::vector<", item, ">>(", at, ");"));
      }
      if (fresh) {
        Declare("int64_t", Member(attribute.length->text), " = 0");
        Line(absl::StrCat(Member(attribute.length->text), " = Len(", name, ");"));
        Bind(attribute.length->text, Host(Member(attribute.length->text)));
      } else {
        const std::string length = AsHost(Emit(attribute.length), attribute.place);
        Line(absl::StrCat("if (!checker.Require(\"length.", attribute.name, "\", Len(", name,
                          ") == ", length, ", [&] { return absl::StrCat(\"`", attribute.name,
                          "` has \", Len(", name, "), \" entries, not \", ", length,
                          "); })) return false;"));
      }
      Bind(attribute.name, ListOf(name, attribute.kind == "dim"     ? Kind::kDim
                                        : attribute.kind == "float" ? Kind::kFloat
                                                                    : Kind::kHost));
    } else {
      const std::string type = attribute.kind == "dim"     ? "Domain"
                               : attribute.kind == "float" ? "double"
                               : attribute.kind == "dtype" ? "ir::DType"
                               : attribute.kind == "bool"  ? "bool"
                                                           : "int64_t";
      Declare(type, name);
      if (attribute.kind == "dim") {
        Line(absl::StrCat(name, " = FromExpr<Domain>(std::get<Expr>(", at, "));"));
      } else if (attribute.kind == "bool") {
        Line(absl::StrCat(name, " = std::get<int64_t>(", at, ") != 0;"));
      } else {
        Line(absl::StrCat(name, " = std::get<", type, ">(", at, ");"));
      }
    }
  }
  BindAttributes("");
  for (const AttributeDecl& attribute : op_.attributes) {
    if (attribute.where == nullptr) continue;
    const Typed value = *Find(attribute.name);
    const auto check = [&](const Typed& it) {
      Push();
      Bind("it", it);
      const Typed holds = Emit(attribute.where);
      const std::string code =
          holds.kind == Kind::kProp ? holds.code : AsBool(holds, attribute.place);
      Line(absl::StrCat("if (!checker.Require(\"where.", attribute.name, "\", ", code,
                        ", [&] { return absl::StrCat(\"`", attribute.name, "` has \", Text(",
                        it.code, ")); })) return false;"));
      Pop();
    };
    if (value.kind == Kind::kList) {
      Line(absl::StrCat("for (int64_t entry = 0; entry < ", value.length, "; ++entry) {"));
      check(value.at("entry"));
      Line("}");
    } else {
      check(value);
    }
  }
}

}  // namespace tessera::codegen
