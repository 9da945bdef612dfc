// What only importer clauses have: attributes and known values of the node.
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "codegen/term_expressions.h"

namespace tessera::codegen {

// `attr_int(name)` and its like; `otherwise` is the right side of `??`.
bool TermExpressions::ImportCall(const Node& node, const NodePtr& otherwise, Typed& out) {
  if (!import_) return false;
  const std::string& name = node.text;
  const Place place = node.place;
  static const std::set<std::string> kOfOne = {"has_attr", "attr_tensor", "attr_dtype", "wants",
                                               "given",    "known",       "decided",    "values",
                                               "value",    "floats",      "number"};
  if (kOfOne.count(name) != 0 && (node.children.size() != 1 || !node.named.empty())) {
    out = Error(place, absl::StrCat("`", name, "` takes one argument"));
    return true;
  }
  const std::string argument = node.children.size() == 1 && node.children[0]->kind == Node::kName
                                   ? node.children[0]->text
                                   : "";
  if (name == "has_attr") {
    out = {.kind = Kind::kBool, .code = absl::StrCat("node.HasAttr(\"", argument, "\")")};
    return true;
  }
  if (name == "wants") {
    out = {.kind = Kind::kBool,
           .code = absl::StrCat("node.Wants(static_cast<int>(",
                                AsHost(Emit(node.children[0]), place), "))")};
    return true;
  }
  if (name == "data_size") {
    if (node.children.size() != 2 || !node.named.empty()) {
      out = Error(place, "`data_size` takes what counts, a scalar, and how many there are at most");
      return true;
    }
    const Typed count = Emit(node.children[0]);
    if (count.kind != Kind::kValue) {
      if (count.kind != Kind::kError) out = Error(place, "what counts is a value");
      return true;
    }
    const std::string size = Unique("size");
    Line(absl::StrCat("const Expr ", size, " = ir::Counted(b, ", count.code, ", ",
                      AsDim(Emit(node.children[1]), place), ");"));
    out = {.kind = Kind::kDim, .code = size};
    return true;
  }
  if (name == "reading") {
    if (argument.empty()) {
      out = Error(place, "`reading` takes the name of a reading");
    } else {
      out = {.kind = Kind::kBool, .code = absl::StrCat("node.Reads(\"", argument, "\")")};
    }
    return true;
  }
  if (name == "outputs") {
    out = Host("int64_t{node.output_count()}");
    return true;
  }
  if (name == "given") {
    out = {.kind = Kind::kBool,
           .code = absl::StrCat("(", Emit(node.children[0]).code, " != nullptr)")};
    return true;
  }
  if (name == "known") {
    out = {.kind = Kind::kBool,
           .code = absl::StrCat("node.HasNumbers(", Emit(node.children[0]).code, ")")};
    return true;
  }
  if (name == "decided") {
    out = {.kind = Kind::kBool,
           .code = absl::StrCat("node.DependsOnData(", Emit(node.children[0]).code, ")")};
    return true;
  }
  if (name == "attr_tensor") {
    out = Store({.kind = Kind::kValue, .code = absl::StrCat("node.TensorAttr(\"", argument, "\")")},
                "attr");
    if (otherwise != nullptr) {
      const Typed value = out;
      out = Choose(
          absl::StrCat(value.code, " != nullptr"), [&] { return value; },
          [&] { return Emit(otherwise); }, place);
    }
    return true;
  }
  if (name == "values" || name == "value") {
    const Typed input = Emit(node.children[0]);
    if (input.kind != Kind::kValue) {
      if (input.kind != Kind::kError)
        out = Error(place, absl::StrCat("`", name, "` takes an input"));
      return true;
    }
    const auto given = [&] {
      const std::string list = Unique("values");
      Line(absl::StrCat("const std::vector<Expr> ", list, " = node.Elements(", input.code, ");"));
      return name == "values"
                 ? ListOf(list, Kind::kDim)
                 : Typed{.kind = Kind::kDim, .code = absl::StrCat("At(", list, ", 0)")};
    };
    ++refusals_;
    if (otherwise == nullptr) {
      out = given();
      return true;
    }
    // One variable for both, since a list is used later.
    Typed fallback;
    const std::string values = Unique("given");
    const std::string type = name == "values" ? "std::vector<Expr>" : "Expr";
    Line(absl::StrCat(type, " ", values, ";"));
    Line(absl::StrCat("if (", input.code, " != nullptr) {"));
    const Typed some = given();
    Line(absl::StrCat("  ", values, " = ", some.code, ";"));
    Line("} else {");
    fallback = Emit(otherwise);
    Line(absl::StrCat("  ", values, " = ",
                      name == "values" ? absl::StrCat("ToExprs(", AsVector(fallback, place), ")")
                                       : AsDim(fallback, place),
                      ";"));
    Line("}");
    out = name == "values" ? ListOf(values, Kind::kDim) : Typed{.kind = Kind::kDim, .code = values};
    return true;
  }
  if (name == "floats" || name == "number") {
    const Typed input = Emit(node.children[0]);
    if (input.kind != Kind::kValue) {
      if (input.kind != Kind::kError)
        out = Error(place, absl::StrCat("`", name, "` takes an input"));
      return true;
    }
    ++refusals_;
    const std::string list = Unique("floats");
    Line(absl::StrCat("std::vector<double> ", list, ";"));
    Line(absl::StrCat("if (", input.code, " != nullptr) ", list, " = node.Numbers(", input.code,
                      ");"));
    if (otherwise != nullptr) {
      Line(absl::StrCat("if (", input.code, " == nullptr) {"));
      const Typed fallback = Emit(otherwise);
      const std::string code = name == "number" ? absl::StrCat("{", AsFloat(fallback, place), "}")
                               : fallback.kind == Kind::kList && fallback.item == Kind::kFloat
                                   ? AsVector(fallback, place)
                                   : absl::StrCat("ToDoubles(", AsVector(fallback, place), ")");
      Line(absl::StrCat("  ", list, " = ", code, ";"));
      Line("}");
    }
    out = name == "floats" ? ListOf(list, Kind::kFloat)
                           : Typed{.kind = Kind::kFloat, .code = absl::StrCat("At(", list, ", 0)")};
    return true;
  }
  if (name == "attr_dtype") {
    const std::string dtype = Unique("dtype");
    Line(absl::StrCat("const std::optional<ir::DType> ", dtype, " = node.DTypeAttr(\"", argument,
                      "\");"));
    const Typed typed{.kind = Kind::kDType, .code = "*" + dtype};
    out = otherwise == nullptr
              ? Typed{.kind = Kind::kDType,
                      .code = absl::StrCat("Required(node, ", dtype, ", \"", argument, "\")")}
              : Choose(
                    absl::StrCat(dtype, ".has_value()"), [&] { return typed; },
                    [&] { return Emit(otherwise); }, place);
    return true;
  }
  static const std::map<std::string, std::pair<std::string, Typed>> kReaders = {
      {"attr_int", {"Int", {.kind = Kind::kHost}}},
      {"attr_flag", {"Flag", {.kind = Kind::kBool}}},
      {"attr_float", {"Float", {.kind = Kind::kFloat}}},
      {"attr_string", {"String", {.kind = Kind::kString}}},
      {"attr_ints", {"Ints", {.kind = Kind::kList, .item = Kind::kHost}}},
      {"attr_floats", {"Floats", {.kind = Kind::kList, .item = Kind::kFloat}}},
      {"attr_strings", {"Strings", {.kind = Kind::kList, .item = Kind::kString}}},
  };
  const auto reader = kReaders.find(name);
  if (reader == kReaders.end()) return false;
  if (argument.empty()) {
    out = Error(place, absl::StrCat("`", name, "` takes the attribute's name"));
    return true;
  }
  const Typed& type = reader->second.second;
  const std::string optional = Unique("attr");
  Line(absl::StrCat("const auto ", optional, " = node.", reader->second.first, "(\"", argument,
                    "\");"));
  const auto typed = [&](const std::string& code) {
    if (type.kind == Kind::kList) return ListOf(code, type.item, argument);
    Typed result = type;
    result.code = code;
    return result;
  };
  if (otherwise == nullptr) {
    out = typed(absl::StrCat("Required(node, ", optional, ", \"", argument, "\")"));
    ++refusals_;
    if (type.kind == Kind::kList) out = Store(out, argument);
    return true;
  }
  if (type.kind == Kind::kFloat) {
    // An attribute is a float of 32 bits, and so is its default.
    const auto rounded = [&]() -> Typed {
      const Typed fallback = Emit(otherwise);
      if (fallback.kind == Kind::kError) return fallback;
      if (wide_numbers_) return {.kind = Kind::kFloat, .code = AsFloat(fallback, place)};
      return {.kind = Kind::kFloat,
              .code = absl::StrCat("static_cast<double>(static_cast<float>(",
                                   AsFloat(fallback, place), "))")};
    };
    out = Choose(
        absl::StrCat(optional, ".has_value()"), [&] { return typed("*" + optional); }, rounded,
        place);
    return true;
  }
  if (type.kind != Kind::kList) {
    out = Choose(
        absl::StrCat(optional, ".has_value()"), [&] { return typed("*" + optional); },
        [&] { return Emit(otherwise); }, place);
    return true;
  }
  const std::string list = Unique(argument);
  const Typed fallback = Probe([&] { return Emit(otherwise); });
  if (fallback.kind == Kind::kList && fallback.item == Kind::kDim) {
    Line(absl::StrCat("std::vector<Expr> ", list, ";"));
    Line(absl::StrCat("if (", optional, ".has_value()) {"));
    Line(absl::StrCat("  ", list, " = ToExprs(*", optional, ");"));
    Line("} else {");
    Line(absl::StrCat("  ", list, " = ", AsVector(Emit(otherwise), place), ";"));
    Line("}");
    out = ListOf(list, Kind::kDim, argument);
    return true;
  }
  Line(absl::StrCat(CppType(type), " ", list, ";"));
  Line(absl::StrCat("if (", optional, ".has_value()) {"));
  Line(absl::StrCat("  ", list, " = *", optional, ";"));
  Line("} else {");
  const Typed other = Emit(otherwise);
  // `[]` is a list of integers.
  const bool widened =
      type.item == Kind::kFloat && other.kind == Kind::kList && other.item == Kind::kHost;
  const std::string vector = AsVector(other, place);
  Line(absl::StrCat("  ", list, " = ", widened ? absl::StrCat("ToDoubles(", vector, ")") : vector,
                    ";"));
  Line("}");
  out = ListOf(list, type.item, argument);
  return true;
}

}  // namespace tessera::codegen
