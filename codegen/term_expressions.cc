#include "codegen/term_expressions.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::codegen {

Typed TermExpressions::DimsOf(const Typed& operand, Place place) {
  if (operand.kind == Kind::kValue)
    return ListOf(absl::StrCat("Dims(", operand.code, ")"), Kind::kDim);
  return ExpressionEmitter::DimsOf(operand, place);
}

Typed TermExpressions::VariadicItem(const Typed& operands, const std::string& index) {
  if (operands.kind == Kind::kValues)
    return {.kind = Kind::kValue, .code = absl::StrCat("At(", operands.code, ", ", index, ")")};
  return ExpressionEmitter::VariadicItem(operands, index);
}

std::string TermExpressions::CountOf(const Typed& operands) {
  return operands.kind == Kind::kValues ? absl::StrCat("Len(", operands.code, ")")
                                        : ExpressionEmitter::CountOf(operands);
}

std::string TermExpressions::Guard(const NodePtr& node) {
  const Typed guard = Emit(node);
  return guard.kind == Kind::kProp ? absl::StrCat("b.Proves(", guard.code, ")")
                                   : AsBool(guard, node->place);
}

std::string TermExpressions::CheckerCode() {
  const std::string name = Unique("checker");
  Line(absl::StrCat("ir::Checker<Expr> ", name, "(b.rewriter().graph().context());"));
  return name;
}

bool TermExpressions::Special(const NodePtr& pointer, Typed& out) {
  const Node& node = *pointer;
  switch (node.kind) {
    case Node::kCall:
      if (const Op* target = program_.FindOp(dialect_, node.text)) {
        out = OpCall(node, *target);
        return true;
      }
      return SpecialCall(node, out);
    case Node::kMember: {
      const Typed base = Emit(node.children[0]);
      if (base.kind == Kind::kError) return true;
      if (base.kind != Kind::kValue || base.length.empty()) {
        out = Error(node.place, "only a call has further results");
        return true;
      }
      out = {.kind = Kind::kValue,
             .code = absl::StrCat("ResultAt(", base.length, ", ", node.text, ")")};
      return true;
    }
    case Node::kCoalesce: {
      const Node& left = *node.children[0];
      if (left.kind == Node::kCall && ImportCall(left, node.children[1], out)) return true;
      if (left.kind == Node::kIndex) return false;
      const Typed value = Emit(node.children[0]);
      if (value.kind == Kind::kValue) {
        out = Choose(
            absl::StrCat(value.code, " != nullptr"), [&] { return value; },
            [&] { return Emit(node.children[1]); }, node.place);
        return true;
      }
      return value.kind == Kind::kError;
    }
    case Node::kTernary: {
      // Between terms one must be built; a condition that is not proved does not hold.
      const Typed condition = Probe([&] { return Emit(node.children[0]); });
      if (condition.kind != Kind::kProp) return false;
      const Typed yes = Probe([&] { return Emit(node.children[1]); });
      if (yes.kind != Kind::kValue) return false;
      out = Choose(
          Guard(node.children[0]), [&] { return Emit(node.children[1]); },
          [&] { return Emit(node.children[2]); }, node.place);
      return true;
    }
    default:
      return false;
  }
}

bool TermExpressions::SpecialCall(const Node& node, Typed& out) {
  const std::string& name = node.text;
  const Place place = node.place;
  if (ImportCall(node, nullptr, out)) return true;
  const auto arg = [&](size_t i) {
    return i < node.children.size()
               ? Emit(node.children[i])
               : Error(place, absl::StrCat("`", name, "` needs more arguments"));
  };
  const auto value = [&](size_t i) {
    const Typed typed = arg(i);
    if (typed.kind != Kind::kValue && typed.kind != Kind::kError)
      Error(place, absl::StrCat("`", name, "` takes a tensor"));
    return typed.code;
  };
  static const std::set<std::string> kTensor = {"dtype", "present",  "constant", "uses",
                                                "splat", "elements", "value"};
  if (kTensor.count(name) != 0 && !node.children.empty()) {
    if (name == "dtype" || name == "present") {
      const Typed typed = Probe([&] { return Emit(node.children[0]); });
      if (typed.kind != Kind::kValue) return false;
    }
    const std::string x = value(0);
    if (name == "dtype") out = {.kind = Kind::kDType, .code = absl::StrCat("DTypeOf(", x, ")")};
    if (name == "present")
      out = {.kind = Kind::kBool, .code = absl::StrCat("(", x, " != nullptr)")};
    if (name == "constant")
      out = {.kind = Kind::kBool, .code = absl::StrCat("ir::IsConstant(", x, ")")};
    if (name == "uses") out = Host(absl::StrCat("ir::UseCount(", x, ")"));
    if (name == "splat")
      out = {.kind = Kind::kBool,
             .code = absl::StrCat("ir::IsSplat(", x, ", ", AsFloat(arg(1), place), ")")};
    if (name == "elements") {
      const std::string list = Unique("elements");
      Line(absl::StrCat("std::vector<Expr> ", list, ";"));
      Line(absl::StrCat("ir::ElementsOf(", x, ", ", list, ");"));
      out = ListOf(list, Kind::kDim);
    }
    if (name == "value") {
      // The number in a constant of one element.
      out = {.kind = Kind::kFloat, .code = absl::StrCat("NumberOf(", x, ")")};
    }
    return true;
  }
  if (name == "known") {
    const std::string x = value(0);
    const std::string list = Unique("elements");
    Line(absl::StrCat("std::vector<Expr> ", list, ";"));
    out = {.kind = Kind::kBool, .code = absl::StrCat("ir::ElementsOf(", x, ", ", list, ")")};
    return true;
  }
  if (name == "static") {
    const Typed typed = arg(0);
    if (typed.kind == Kind::kList) {
      out = typed.item == Kind::kDim
                ? Typed{.kind = Kind::kBool,
                        .code = absl::StrCat("ir::IsStatic(", AsVector(typed, place), ")")}
                : Typed{.kind = Kind::kBool, .code = "true"};
    } else {
      out = typed.kind == Kind::kDim
                ? Typed{.kind = Kind::kBool, .code = absl::StrCat("ir::IsStatic(", typed.code, ")")}
                : Typed{.kind = Kind::kBool, .code = "true"};
    }
    return true;
  }
  if (name == "fold") {
    // `fold(Op, xs)`: a binary op over all of a variadic operand, from the left.
    const Op* target = node.children.empty() || node.children[0]->kind != Node::kName
                           ? nullptr
                           : program_.FindOp(dialect_, node.children[0]->text);
    const Typed list = arg(1);
    if (target == nullptr || list.kind != Kind::kValues) {
      if (list.kind != Kind::kError)
        out = Error(place, "`fold` takes a binary op and a variadic operand");
      return true;
    }
    const std::string result = Unique("folded");
    const std::string i = Unique("i");
    Line(absl::StrCat("ir::Value* ", result, " = At(", list.code, ", 0);"));
    Line(absl::StrCat("for (int64_t ", i, " = 1; ", i, " < Len(", list.code, "); ++", i, ") ",
                      result, " = ResultAt(b.Create(\"", target->dialect, "\", \"", target->name,
                      "\", {", result, ", At(", list.code, ", ", i, ")}, {}), 0);"));
    out = {.kind = Kind::kValue, .code = result};
    return true;
  }
  if (name == "int" || name == "ints") {
    const Typed typed = arg(0);
    if (typed.kind == Kind::kValue && import_) {
      // The values of an integer input, which must be known now.
      const std::string list = Unique("ints");
      Line(absl::StrCat("const std::vector<int64_t> ", list, " = b.HostInts(node.Elements(",
                        typed.code, "));"));
      out = name == "ints" ? ListOf(list, Kind::kHost) : Host(absl::StrCat("At(", list, ", 0)"));
      return true;
    }
    if (typed.kind == Kind::kList) {
      out = typed.item == Kind::kDim
                ? ListOf(absl::StrCat("b.HostInts(", AsVector(typed, place), ")"), Kind::kHost)
                : typed;
      if (typed.item == Kind::kDim) out = Store(out, "ints");
    } else {
      out = typed.kind == Kind::kDim ? Host(absl::StrCat("b.HostInt(", typed.code, ")"))
            : typed.kind == Kind::kFloat
                ? Host(absl::StrCat("static_cast<int64_t>(", typed.code, ")"))
                : typed;
    }
    return true;
  }
  if (name == "proved") {
    out = {.kind = Kind::kBool, .code = node.children.empty() ? "false" : Guard(node.children[0])};
    return true;
  }
  if (name == "fill" || name == "tensor" || name == "scalar") {
    const Typed first = arg(0);
    const Typed dtype = arg(node.children.size() - 1);
    if (dtype.kind != Kind::kDType) {
      if (dtype.kind != Kind::kError)
        out = Error(place, absl::StrCat("the last argument of `", name, "` is a dtype"));
      return true;
    }
    if (first.kind == Kind::kError) return true;
    std::string code;
    if (name == "fill") {
      Typed dims = arg(1);
      if (dims.kind == Kind::kList && dims.item == Kind::kHost) {
        dims.item = Kind::kDim;
        dims.code.clear();
      }
      code = absl::StrCat("b.Fill(", AsFloat(first, place), ", ", AsVector(dims, place), ", ",
                          dtype.code, ")");
    } else if (name == "tensor") {
      code = absl::StrCat("b.TensorOf(", AsVector(first, place), ", ", dtype.code, ")");
    } else {
      code = absl::StrCat("b.ScalarOf(",
                          first.kind == Kind::kFloat ? AsFloat(first, place) : AsDim(first, place),
                          ", ", dtype.code, ")");
    }
    out = Store({.kind = Kind::kValue, .code = code}, name);
    return true;
  }
  return false;
}

// `attr_int(name)` and its like; `otherwise` is the right side of `??`.
bool TermExpressions::ImportCall(const Node& node, const NodePtr& otherwise, Typed& out) {
  if (!import_) return false;
  const std::string& name = node.text;
  const Place place = node.place;
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
                                AsHost(Emit(node.children.at(0)), place), "))")};
    return true;
  }
  if (name == "outputs") {
    out = Host("int64_t{node.output_count()}");
    return true;
  }
  if (name == "given") {
    out = {.kind = Kind::kBool,
           .code = absl::StrCat("(", Emit(node.children.at(0)).code, " != nullptr)")};
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
    const Typed input = Emit(node.children.at(0));
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
    const Typed input = Emit(node.children.at(0));
    if (input.kind != Kind::kValue) {
      if (input.kind != Kind::kError)
        out = Error(place, absl::StrCat("`", name, "` takes an input"));
      return true;
    }
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
      {"attr_float", {"Float", {.kind = Kind::kFloat}}},
      {"attr_string", {"String", {.kind = Kind::kString}}},
      {"attr_ints", {"Ints", {.kind = Kind::kList, .item = Kind::kHost}}},
      {"attr_floats", {"Floats", {.kind = Kind::kList, .item = Kind::kFloat}}},
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
    if (type.kind == Kind::kList) return ListOf(code, type.item);
    Typed result = type;
    result.code = code;
    return result;
  };
  if (otherwise == nullptr) {
    out = typed(absl::StrCat("Required(node, ", optional, ", \"", argument, "\")"));
    if (type.kind == Kind::kList) out = Store(out, argument);
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
    out = ListOf(list, Kind::kDim);
    return true;
  }
  Line(absl::StrCat(CppType(type), " ", list, ";"));
  Line(absl::StrCat("if (", optional, ".has_value()) {"));
  Line(absl::StrCat("  ", list, " = *", optional, ";"));
  Line("} else {");
  Line(absl::StrCat("  ", list, " = ", AsVector(Emit(otherwise), place), ";"));
  Line("}");
  out = ListOf(list, type.item);
  return true;
}

std::string TermExpressions::AttributeCode(const AttributeDecl& declaration, const NodePtr& node,
                                           Typed* bound, const std::string& stem) {
  const Place place = node->place;
  const auto wrap = [](const std::string& code) {
    return absl::StrCat("ir::TermAttribute(ir::Attribute(", code, "))");
  };
  if (declaration.kind == "enum") {
    if (node->kind == Node::kName &&
        std::find(declaration.enum_names.begin(), declaration.enum_names.end(), node->text) !=
            declaration.enum_names.end()) {
      const Typed* same = Find(node->text);
      if (same == nullptr) {
        const auto ordinal =
            std::find(declaration.enum_names.begin(), declaration.enum_names.end(), node->text) -
            declaration.enum_names.begin();
        if (bound != nullptr)
          *bound = {.kind = Kind::kEnum,
                    .code = absl::StrCat("int64_t{", ordinal, "}"),
                    .enum_names = declaration.enum_names};
        return wrap(absl::StrCat("int64_t{", ordinal, "}"));
      }
    }
    if (node->kind == Node::kTernary) {
      // Each side names a value.
      const std::string choice = Unique(stem);
      std::string yes, no;
      const std::string condition = Guard(node->children[0]);
      yes = AttributeCode(declaration, node->children[1], nullptr, stem);
      no = AttributeCode(declaration, node->children[2], nullptr, stem);
      return absl::StrCat("(", condition, " ? ", yes, " : ", no, ")");
    }
    const Typed value = Emit(node);
    if (value.kind == Kind::kEnum) {
      if (value.enum_names != declaration.enum_names)
        Error(place, absl::StrCat("another enum than that of `", declaration.name, "`"));
      if (bound != nullptr) *bound = value;
      return wrap(value.code);
    }
    if (value.kind == Kind::kString) {
      const Typed stored = Store(value, stem);
      if (bound != nullptr) *bound = stored;
      return absl::StrCat("ir::TermAttribute(std::string_view(", stored.code, "))");
    }
    if (value.kind != Kind::kError)
      Error(place, absl::StrCat("a value of `", declaration.name, "` is needed",
                                Suggestion("", declaration.enum_names)));
    return wrap("int64_t{0}");
  }
  Typed value = Emit(node);
  if (value.kind == Kind::kError) return wrap("int64_t{0}");
  if (declaration.kind == "dtype") {
    if (value.kind != Kind::kDType) Error(place, "a dtype is needed");
    if (bound != nullptr) *bound = value;
    return wrap(value.code);
  }
  if (declaration.list) {
    if (value.kind != Kind::kList) {
      Error(place, absl::StrCat("`", declaration.name, "` is a list"));
      return wrap("int64_t{0}");
    }
    const Typed stored = Store(value, stem);
    if (bound != nullptr) *bound = stored;
    return wrap(stored.code);
  }
  if (declaration.kind == "float") {
    const Typed stored = Store({.kind = Kind::kFloat, .code = AsFloat(value, place)}, stem);
    if (bound != nullptr) *bound = stored;
    return wrap(stored.code);
  }
  if (declaration.kind == "bool") {
    const Typed stored =
        Store({.kind = Kind::kBool,
               .code = value.kind == Kind::kProp ? absl::StrCat("b.Proves(", value.code, ")")
                                                 : AsBool(value, place)},
              stem);
    if (bound != nullptr) *bound = stored;
    return wrap(absl::StrCat("int64_t{", stored.code, "}"));
  }
  if (value.kind == Kind::kBool) value = Host(absl::StrCat("int64_t{", value.code, "}"));
  if (value.kind != Kind::kHost && value.kind != Kind::kDim) {
    Error(place, absl::StrCat("`", declaration.name, "` is an integer"));
    return wrap("int64_t{0}");
  }
  const Typed stored = Store(value, stem);
  if (bound != nullptr) {
    *bound = stored;
    if (declaration.kind == "int" && stored.kind == Kind::kDim)
      *bound = Store(Host(absl::StrCat("b.HostInt(", stored.code, ")")), stem);
  }
  return wrap(stored.code);
}

void TermExpressions::Arguments(const std::vector<NodePtr>& children, const std::string& list) {
  for (const NodePtr& child : children) {
    const bool spread = child->kind == Node::kSpread;
    const NodePtr& inner = spread ? child->children[0] : child;
    if (spread && inner->kind == Node::kListFor) {
      Loops(inner->binders, 0, [&] {
        const Typed item = Emit(inner->children[0]);
        if (item.kind != Kind::kValue && item.kind != Kind::kError)
          Error(inner->place, "a list of terms is needed");
        Line(absl::StrCat(list, ".push_back(", item.code, ");"));
      });
      continue;
    }
    const Typed value = Emit(inner);
    if (value.kind == Kind::kError) continue;
    if (value.kind == Kind::kValues) {
      Line(absl::StrCat("Append(", list, ", ", value.code, ");"));
    } else if (value.kind == Kind::kValue) {
      Line(absl::StrCat(list, ".push_back(", value.code, ");"));
    } else {
      Error(inner->place, "a term is needed");
    }
  }
}

Typed TermExpressions::OpCall(const Node& node, const Op& target) {
  // Only the outermost call of a replacement stands for the root.
  const bool like = replacement_ == &node && like_root_ == &target;
  const std::string arguments = Unique("arguments");
  Line(absl::StrCat("Values ", arguments, ";"));
  Arguments(node.children, arguments);
  const bool variadic = !target.inputs.empty() && target.inputs.back().arity == Operand::kVariadic;
  if (!variadic && node.children.size() > target.inputs.size())
    return Error(node.place, absl::StrCat("`", target.name, "` takes at most ",
                                          target.inputs.size(), " operand(s)"));
  std::vector<std::string> attributes;
  for (const auto& [name, value] : node.named) {
    const AttributeDecl* declaration = nullptr;
    std::vector<std::string> known;
    for (const AttributeDecl& attribute : target.attributes) {
      if (attribute.name == name) declaration = &attribute;
      known.push_back(attribute.name);
    }
    if (declaration == nullptr) {
      Error(value->place, absl::StrCat("`", target.name, "` has no attribute `", name, "`",
                                       Suggestion(name, known)));
      continue;
    }
    attributes.push_back(
        absl::StrCat("{\"", name, "\", ", AttributeCode(*declaration, value, nullptr, name), "}"));
  }
  if (!like) {
    for (const AttributeDecl& attribute : target.attributes) {
      const bool given = std::any_of(node.named.begin(), node.named.end(), [&](const auto& named) {
        return named.first == attribute.name;
      });
      if (!given && attribute.default_value == nullptr)
        Error(node.place,
              absl::StrCat("`", target.name, "` needs attribute `", attribute.name, "`"));
    }
  }
  const std::string results = Unique("results");
  if (like) {
    Line(absl::StrCat("const Values ", results, " = b.CreateLike(root, ", arguments, ", {",
                      absl::StrJoin(attributes, ", "), "});"));
  } else {
    Line(absl::StrCat("const Values ", results, " = b.Create(\"", target.dialect, "\", \"",
                      target.name, "\", ", arguments, ", {", absl::StrJoin(attributes, ", "),
                      "});"));
  }
  return {
      .kind = Kind::kValue, .code = absl::StrCat("ResultAt(", results, ", 0)"), .length = results};
}

}  // namespace tessera::codegen
