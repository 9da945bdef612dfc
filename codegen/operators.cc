// Operators, folds, indexing and the functions of the op language.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_emitter.h"

namespace tessera::codegen {
namespace {

bool IsNumber(Kind kind) {
  return kind == Kind::kHost || kind == Kind::kDim || kind == Kind::kFloat || kind == Kind::kBool;
}

struct ElementFunction {
  std::string code;
  size_t arguments;
  bool exact;      // has a meaning over symbolic integers
  bool condition;  // yields a truth value
};

const std::map<std::string, ElementFunction>& ElementFunctions() {
  static const std::map<std::string, ElementFunction> kFunctions = [] {
    std::map<std::string, ElementFunction> m;
    for (const char* name : {"sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan",
                             "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf"}) {
      std::string code = name;
      code[0] = static_cast<char>(std::toupper(code[0]));
      m[name] = {code, 1, false, false};
    }
    m["floor"] = {"Floor", 1, true, false};
    m["ceil"] = {"Ceil", 1, true, false};
    m["round"] = {"Round", 1, true, false};
    m["trunc"] = {"Trunc", 1, true, false};
    m["abs"] = {"Abs", 1, true, false};
    m["neg"] = {"Neg", 1, true, false};
    m["sign"] = {"Sign", 1, true, false};
    m["min"] = {"Min", 2, true, false};
    m["max"] = {"Max", 2, true, false};
    m["pow"] = {"Pow", 2, false, false};
    m["fmod"] = {"Fmod", 2, true, false};
    m["pymod"] = {"PyMod", 2, true, false};
    m["isnan"] = {"IsNan", 1, false, true};
    m["isinf"] = {"IsInf", 1, false, true};
    m["isposinf"] = {"IsPosInf", 1, false, true};
    m["isneginf"] = {"IsNegInf", 1, false, true};
    m["bitand"] = {"BitAnd", 2, false, false};
    m["bitor"] = {"BitOr", 2, false, false};
    m["bitxor"] = {"BitXor", 2, false, false};
    m["bitnot"] = {"BitNot", 1, false, false};
    m["shl"] = {"Shl", 2, false, false};
    m["shr"] = {"Shr", 2, false, false};
    return m;
  }();
  return kFunctions;
}

// Those that take host integers, dims or numbers; some of them take elements too.
const std::set<std::string>& IntegerFunctions() {
  static const std::set<std::string> kNames = {"floordiv", "ceildiv", "mod", "scaled",
                                               "int",      "select",  "cast"};
  return kNames;
}

const std::map<std::string, std::string>& DimComparisons() {
  static const std::map<std::string, std::string> kNames = {
      {"==", "Eq"}, {"!=", "Ne"}, {"<", "Lt"}, {"<=", "Le"}, {">", "Gt"}, {">=", "Ge"}};
  return kNames;
}

}  // namespace

// Applies `f` to lists component by component; a scalar is repeated.
Typed ExpressionEmitter::Lift(const Typed& a, const Typed& b,
                              const std::function<Typed(const Typed&, const Typed&)>& f) {
  Typed list{.kind = Kind::kList};
  const bool left = a.kind == Kind::kList;
  const bool right = b.kind == Kind::kList;
  list.length = left ? a.length : b.length;
  list.at = [=](const std::string& i) { return f(left ? a.at(i) : a, right ? b.at(i) : b); };
  const Typed sample = Probe([&] { return list.at("0"); });
  list.item = sample.kind == Kind::kBool   ? Kind::kHost
              : sample.kind == Kind::kProp ? Kind::kDim
                                           : sample.kind;
  return sample.kind == Kind::kError ? Typed{} : list;
}

Typed ExpressionEmitter::Arithmetic(const std::string& op, const Typed& a, const Typed& b,
                                    Place place) {
  if (a.kind == Kind::kError || b.kind == Kind::kError) return {};
  if (a.kind == Kind::kList || b.kind == Kind::kList) {
    return Lift(a, b,
                [=, this](const Typed& x, const Typed& y) { return Arithmetic(op, x, y, place); });
  }
  if (a.kind == Kind::kElement || b.kind == Kind::kElement || a.kind == Kind::kCondition ||
      b.kind == Kind::kCondition) {
    static const std::map<std::string, std::string> kNames = {
        {"+", "Add"}, {"-", "Sub"}, {"*", "Mul"}, {"/", "Div"}};
    std::string element = a.kind == Kind::kElement   ? a.element
                          : b.kind == Kind::kElement ? b.element
                                                     : element_hint_;
    NoteElementOperation(true);
    return {.kind = Kind::kElement,
            .code = absl::StrCat("kernels::", kNames.at(op), "(", AsElement(a, element, place),
                                 ", ", AsElement(b, element, place), ")"),
            .element = element};
  }
  if (!IsNumber(a.kind) || !IsNumber(b.kind))
    return Error(place, absl::StrCat("`", op, "` needs numbers"));
  if (a.kind == Kind::kFloat || b.kind == Kind::kFloat) {
    return {.kind = Kind::kFloat,
            .code = absl::StrCat("(", AsFloat(a, place), " ", op, " ", AsFloat(b, place), ")")};
  }
  if (op == "/")
    return Error(place,
                 "`/` is for elements and numbers with a fraction; integers divide by `floordiv` "
                 "or `ceildiv`");
  if (a.kind == Kind::kDim || b.kind == Kind::kDim)
    return {.kind = Kind::kDim,
            .code = absl::StrCat("(", AsDim(a, place), " ", op, " ", AsDim(b, place), ")")};
  return Host(absl::StrCat("(", AsHost(a, place), " ", op, " ", AsHost(b, place), ")"));
}

Typed ExpressionEmitter::CompareLists(const Typed& a, const Typed& b, bool equal, Place place) {
  const bool host = a.item != Kind::kDim && b.item != Kind::kDim;
  const std::string result = Unique("equal");
  const std::string type = host ? "bool" : CppType({.kind = Kind::kProp});
  Line(absl::StrCat(type, " ", result, " = ", host ? "" : absl::StrCat("Truth<", DomainType(), ">"),
                    "(", a.length, " == ", b.length, ");"));
  const std::string i = Unique("i");
  Line(absl::StrCat("for (int64_t ", i, " = 0, ", i, "_end = std::min(", a.length, ", ", b.length,
                    "); ", i, " < ", i, "_end; ++", i, ") {"));
  const Typed item = Compare("==", a.at(i), b.at(i), place);
  Line(host ? absl::StrCat("  ", result, " = ", result, " && ", AsBool(item, place), ";")
            : absl::StrCat("  ", result, " = And(", result, ", ", AsProp(item, place), ");"));
  Line("}");
  Typed typed{.kind = host ? Kind::kBool : Kind::kProp, .code = result};
  return equal ? typed : Not(typed, place);
}

Typed ExpressionEmitter::Compare(const std::string& op, const Typed& a, const Typed& b,
                                 Place place) {
  if (a.kind == Kind::kError || b.kind == Kind::kError) return {};
  if (a.kind == Kind::kList && b.kind == Kind::kList && (op == "==" || op == "!="))
    return CompareLists(a, b, op == "==", place);
  if (a.kind == Kind::kElement || b.kind == Kind::kElement) {
    const std::string element = a.kind == Kind::kElement ? a.element : b.element;
    NoteElementOperation(true);
    return {.kind = Kind::kCondition,
            .code = absl::StrCat("kernels::", DimComparisons().at(op), "(",
                                 AsElement(a, element, place), ", ", AsElement(b, element, place),
                                 ")")};
  }
  if ((a.kind == Kind::kString && b.kind == Kind::kString) ||
      (a.kind == Kind::kDType && b.kind == Kind::kDType)) {
    if (op != "==" && op != "!=") return Error(place, "only `==` and `!=` here");
    return {.kind = Kind::kBool, .code = absl::StrCat("(", a.code, " ", op, " ", b.code, ")")};
  }
  if (a.kind == Kind::kBool && b.kind == Kind::kBool)
    return {.kind = Kind::kBool, .code = absl::StrCat("(", a.code, " ", op, " ", b.code, ")")};
  if (!IsNumber(a.kind) || !IsNumber(b.kind))
    return Error(place, absl::StrCat("`", op, "` cannot compare these"));
  if (a.kind == Kind::kFloat || b.kind == Kind::kFloat) {
    return {.kind = Kind::kBool,
            .code = absl::StrCat("(", AsFloat(a, place), " ", op, " ", AsFloat(b, place), ")")};
  }
  if ((a.kind == Kind::kDim || b.kind == Kind::kDim) && !DimsAreHost()) {
    return {.kind = Kind::kProp,
            .code = absl::StrCat(DimComparisons().at(op), "(", AsDim(a, place), ", ",
                                 AsDim(b, place), ")")};
  }
  return {.kind = Kind::kBool,
          .code = absl::StrCat("(", AsHost(a, place), " ", op, " ", AsHost(b, place), ")")};
}

Typed ExpressionEmitter::Binary(const Node& node) {
  const std::string& op = node.text;
  if (op == "==" || op == "!=") {
    // An enum value or a dtype class stands on the right as a bare name.
    const Typed left = Emit(node.children[0]);
    const Node& right = *node.children[1];
    if (left.kind == Kind::kEnum && right.kind == Node::kName) {
      const auto at = std::find(left.enum_names.begin(), left.enum_names.end(), right.text);
      if (at == left.enum_names.end())
        return Error(right.place,
                     absl::StrCat("`", right.text, "` is not a value of this attribute",
                                  Suggestion(right.text, left.enum_names)));
      return {
          .kind = Kind::kBool,
          .code = absl::StrCat("(", left.code, " ", op, " ", at - left.enum_names.begin(), ")")};
    }
    if (left.kind == Kind::kDType && right.kind == Node::kName && !IsDTypeName(right.text) &&
        Find(right.text) == nullptr) {
      const std::string set = DTypeSetCode({right.text});
      if (set.empty()) return Error(right.place, absl::StrCat("`", right.text, "` is not a dtype"));
      return {.kind = Kind::kBool,
              .code = absl::StrCat("(ir::Contains(", set, ", ", left.code, ") ", op, " true)")};
    }
    return Compare(op, left, Emit(node.children[1]), node.place);
  }
  const Typed a = Emit(node.children[0]);
  const Typed b = Emit(node.children[1]);
  if (a.kind == Kind::kError || b.kind == Kind::kError) return {};
  if (op == "++") {
    if (a.kind != Kind::kList || b.kind != Kind::kList)
      return Error(node.place, "`++` joins lists");
    Typed list{.kind = Kind::kList,
               .item = a.item == Kind::kDim || b.item == Kind::kDim ? Kind::kDim : a.item};
    list.length = absl::StrCat("(", a.length, " + ", b.length, ")");
    const Place place = node.place;
    list.at = [=, this](const std::string& i) {
      return Choose(
          absl::StrCat("(", i, " < ", a.length, ")"), [&] { return a.at(i); },
          [&] { return b.at(absl::StrCat("(", i, " - ", a.length, ")")); }, place);
    };
    return list;
  }
  if (DimComparisons().count(op) != 0) return Compare(op, a, b, node.place);
  return Arithmetic(op, a, b, node.place);
}

Typed ExpressionEmitter::Not(const Typed& a, Place place) {
  if (a.kind == Kind::kError) return {};
  if (a.kind == Kind::kCondition || a.kind == Kind::kElement)
    return {.kind = Kind::kCondition,
            .code = absl::StrCat("kernels::Not(", AsCondition(a, place), ")")};
  if (a.kind == Kind::kProp)
    return {.kind = Kind::kProp, .code = absl::StrCat("Not(", a.code, ")")};
  return {.kind = Kind::kBool, .code = absl::StrCat("!", AsBool(a, place))};
}

Typed ExpressionEmitter::Logic(const Node& node) {
  const bool conjunction = node.text == "&&";
  const Typed a = Emit(node.children[0]);
  Typed b;
  const std::string before = Capture([&] { b = Emit(node.children[1]); });
  if (a.kind == Kind::kError || b.kind == Kind::kError) return {};
  const Place place = node.place;
  if (a.kind == Kind::kElement || a.kind == Kind::kCondition || b.kind == Kind::kElement ||
      b.kind == Kind::kCondition) {
    block_ += before;
    const auto code = [&](const Typed& t) {
      return t.kind == Kind::kBool ? absl::StrCat("kernels::TruthOf(", t.code, ")")
                                   : AsCondition(t, place);
    };
    return {.kind = Kind::kCondition,
            .code = absl::StrCat(conjunction ? "kernels::And(" : "kernels::Or(", code(a), ", ",
                                 code(b), ")")};
  }
  if ((a.kind == Kind::kProp || b.kind == Kind::kProp)) {
    // A host condition on the left decides first, because what follows may index by it.
    const std::string left = AsProp(a, place);
    const std::string right = AsProp(b, place);
    if (a.kind == Kind::kProp) {
      block_ += before;
      return {.kind = Kind::kProp,
              .code = absl::StrCat(conjunction ? "And(" : "Or(", left, ", ", right, ")")};
    }
    const std::string result = Unique("holds");
    Line(absl::StrCat(CppType({.kind = Kind::kProp}), " ", result, " = ", left, ";"));
    Line(absl::StrCat("if (", conjunction ? "" : "!", AsBool(a, place), ") {"));
    block_ += before;
    Line(absl::StrCat("  ", result, " = ", right, ";"));
    Line("}");
    return {.kind = Kind::kProp, .code = result};
  }
  const std::string left = AsBool(a, place);
  const std::string right = AsBool(b, place);
  if (before.empty())
    return {.kind = Kind::kBool,
            .code = absl::StrCat("(", left, conjunction ? " && " : " || ", right, ")")};
  const std::string result = Unique("holds");
  Line(absl::StrCat("bool ", result, " = ", left, ";"));
  Line(absl::StrCat("if (", conjunction ? "" : "!", result, ") {"));
  block_ += before;
  Line(absl::StrCat("  ", result, " = ", right, ";"));
  Line("}");
  return {.kind = Kind::kBool, .code = result};
}

// `typed` as the kind of `like`, where a ternary needs one type.
Typed ExpressionEmitter::Unify(const Typed& typed, const Typed& like, Place place) {
  Typed result = like;
  switch (like.kind) {
    case Kind::kElement:
      result.code = AsElement(typed, like.element, place);
      break;
    case Kind::kFloat:
      result.code = AsFloat(typed, place);
      break;
    case Kind::kDim:
      result.code = AsDim(typed, place);
      break;
    case Kind::kHost:
      result.code = AsHost(typed, place);
      break;
    case Kind::kProp:
      result.code = AsProp(typed, place);
      break;
    case Kind::kBool:
      result.code = AsBool(typed, place);
      break;
    default:
      if (typed.kind != like.kind && typed.kind != Kind::kError)
        Error(place, "the two sides have different kinds");
      result.code = typed.code;
  }
  return result;
}

Typed ExpressionEmitter::Choose(const std::string& condition, const std::function<Typed()>& yes,
                                const std::function<Typed()>& no, Place place) {
  Typed a, b;
  std::string before_a = Capture([&] { a = yes(); });
  std::string before_b = Capture([&] { b = no(); });
  if (a.kind == Kind::kError || b.kind == Kind::kError) return {};
  if (a.kind == Kind::kList && b.kind == Kind::kList) {
    block_ += before_a + before_b;
    const std::string choice = Unique("choice");
    Line(absl::StrCat("const bool ", choice, " = ", condition, ";"));
    Typed list{.kind = Kind::kList,
               .item = a.item == Kind::kDim || b.item == Kind::kDim ? Kind::kDim
                       : a.item == Kind::kFloat                     ? Kind::kFloat
                                                                    : b.item};
    list.length = absl::StrCat("(", choice, " ? ", a.length, " : ", b.length, ")");
    list.at = [=, this](const std::string& i) {
      return Choose(
          choice, [&] { return a.at(i); }, [&] { return b.at(i); }, place);
    };
    return list;
  }
  // The wider kind of the two.
  const auto rank = [](Kind kind) {
    switch (kind) {
      case Kind::kElement:
        return 6;
      case Kind::kFloat:
        return 5;
      case Kind::kDim:
        return 4;
      case Kind::kHost:
        return 3;
      case Kind::kProp:
        return 2;
      default:
        return 0;
    }
  };
  const Typed like = rank(a.kind) >= rank(b.kind) ? a : b;
  before_a += Capture([&] { a = Unify(a, like, place); });
  before_b += Capture([&] { b = Unify(b, like, place); });
  Typed result = like;
  result.length.clear();  // further results of a term stay in their branch
  if (before_a.empty() && before_b.empty() && like.kind != Kind::kValues) {
    result.code = absl::StrCat("(", condition, " ? ", a.code, " : ", b.code, ")");
    return result;
  }
  result.code = Unique("chosen");
  Line(absl::StrCat(CppType(like), " ", result.code, "{};"));
  Line(absl::StrCat("if (", condition, ") {"));
  block_ += before_a;
  Line(absl::StrCat("  ", result.code, " = ", a.code, ";"));
  Line("} else {");
  block_ += before_b;
  Line(absl::StrCat("  ", result.code, " = ", b.code, ";"));
  Line("}");
  return result;
}

Typed ExpressionEmitter::Ternary(const Node& node) {
  const Typed condition = Emit(node.children[0]);
  if (condition.kind == Kind::kError) return {};
  const Place place = node.place;
  if (condition.kind == Kind::kCondition || condition.kind == Kind::kElement) {
    const Typed a = Emit(node.children[1]);
    const Typed b = Emit(node.children[2]);
    if (a.kind == Kind::kError || b.kind == Kind::kError) return {};
    if ((a.kind == Kind::kCondition || a.kind == Kind::kBool) &&
        (b.kind == Kind::kCondition || b.kind == Kind::kBool)) {
      return {.kind = Kind::kCondition,
              .code = absl::StrCat("kernels::SelectTruth(", AsCondition(condition, place), ", ",
                                   a.code, ", ", b.code, ")")};
    }
    const std::string element = a.kind == Kind::kElement   ? a.element
                                : b.kind == Kind::kElement ? b.element
                                                           : element_hint_;
    return {
        .kind = Kind::kElement,
        .code = absl::StrCat("kernels::Select(", AsCondition(condition, place), ", ",
                             AsElement(a, element, place), ", ", AsElement(b, element, place), ")"),
        .element = element};
  }
  if (condition.kind == Kind::kProp) {
    const Typed a = Emit(node.children[1]);
    const Typed b = Emit(node.children[2]);
    if (a.kind == Kind::kError || b.kind == Kind::kError) return {};
    return {.kind = Kind::kDim,
            .code = absl::StrCat("Ite(", condition.code, ", ", AsDim(a, place), ", ",
                                 AsDim(b, place), ")")};
  }
  return Choose(
      AsBool(condition, place), [&] { return Emit(node.children[1]); },
      [&] { return Emit(node.children[2]); }, place);
}

Typed ExpressionEmitter::Coalesce(const Node& node) {
  const Node& left = *node.children[0];
  if (left.kind == Node::kIndex && left.children.size() == 2) {
    const Typed list = Emit(left.children[0]);
    if (list.kind == Kind::kList) {
      const std::string i = Unique("i");
      Line(absl::StrCat("const int64_t ", i, " = ", AsHost(Emit(left.children[1]), left.place),
                        ";"));
      return Choose(
          absl::StrCat("(", i, " >= 0 && ", i, " < ", list.length, ")"), [&] { return list.at(i); },
          [&] { return Emit(node.children[1]); }, node.place);
    }
    if (list.kind == Kind::kError) return {};
  }
  return Error(node.place, "`??` follows something that may be absent");
}

Typed ExpressionEmitter::Index(const Node& node) {
  const Typed base = Emit(node.children[0]);
  if (base.kind == Kind::kError) return {};
  if (base.kind == Kind::kList) {
    if (node.children.size() != 2) return Error(node.place, "a list has one index");
    const Typed at = Emit(node.children[1]);
    if (at.kind == Kind::kError) return {};
    const std::string i = AsHost(at, node.place);
    return base.at(i);
  }
  if (base.kind == Kind::kOperands || base.kind == Kind::kValues) {
    if (node.children.size() != 2)
      return Error(node.place, "a variadic operand has one index here");
    return VariadicItem(base, AsHost(Emit(node.children[1]), node.place));
  }
  return Error(node.place, "only lists and tensors are indexed");
}

Typed ExpressionEmitter::Fold(const Node& node) {
  const std::string& op = node.text;
  const NodePtr& body = node.children[0];
  const Place place = node.place;
  // What is folded decides the type of the accumulator; the loop is emitted once more for real.
  Typed sample;
  Capture([&] { Loops(node.binders, 0, [&] { sample = Emit(body); }); });
  if (sample.kind == Kind::kError) return {};
  const bool all = op == "forall" || op == "all";
  if (all || op == "exists" || op == "any") {
    const std::string result = Unique(all ? "all" : "any");
    const bool condition = sample.kind == Kind::kCondition || sample.kind == Kind::kElement;
    const bool prop = sample.kind == Kind::kProp;
    if (condition) {
      Line(absl::StrCat("kernels::TruthFor<", element_hint_.empty() ? "T" : element_hint_, "> ",
                        result, "(", all ? "true" : "false", ");"));
    } else {
      Line(absl::StrCat(
          prop ? CppType({.kind = Kind::kProp}) : "bool", " ", result, " = ",
          prop  ? absl::StrCat("Truth<", DomainType(), ">(", all ? "true" : "false", ")")
          : all ? "true"
                : "false",
          ";"));
    }
    Loops(node.binders, 0, [&] {
      const Typed item = Emit(body);
      if (condition) {
        Line(absl::StrCat(result, " = kernels::", all ? "And(" : "Or(", result, ", ",
                          AsCondition(item, place), ");"));
      } else if (prop) {
        Line(absl::StrCat(result, " = ", all ? "And(" : "Or(", result, ", ", AsProp(item, place),
                          ");"));
      } else {
        Line(absl::StrCat(result, " = ", result, all ? " && " : " || ", AsBool(item, place), ";"));
      }
    });
    return {.kind = condition ? Kind::kCondition
                    : prop    ? Kind::kProp
                              : Kind::kBool,
            .code = result};
  }
  if (sample.kind == Kind::kBool) sample.kind = Kind::kHost;
  if (sample.kind == Kind::kProp) sample.kind = Kind::kDim;
  if (sample.kind == Kind::kCondition) {
    sample.kind = Kind::kElement;
    sample.element = element_hint_;
  }
  if (sample.kind != Kind::kElement && !IsNumber(sample.kind))
    return Error(place, absl::StrCat("`", op, "` needs numbers"));
  const std::string result = Unique(op);
  const bool element = sample.kind == Kind::kElement;
  const bool extreme = op == "min" || op == "max";
  const std::string type = element && !extreme
                               ? absl::StrCat("kernels::Accumulator<", sample.element, ">")
                               : CppType(sample);
  const std::string first = Unique("first");
  if (element) NoteElementOperation(true);
  if (extreme) {
    Line(absl::StrCat(type, " ", result, "{};"));
    Line(absl::StrCat("bool ", first, " = true;"));
  } else {
    Line(absl::StrCat(type, " ", result, "(", op == "sum" ? "0" : "1", ");"));
  }
  Loops(node.binders, 0, [&] {
    const Typed item = Unify(Emit(body), sample, place);
    if (extreme) {
      const std::string name = op == "min" ? "Min(" : "Max(";
      const std::string value = Unique("item");
      Line(absl::StrCat("const ", type, " ", value, " = ", item.code, ";"));
      const std::string combined =
          sample.kind == Kind::kFloat
              ? absl::StrCat("std::", op, "(", result, ", ", value, ")")
              : absl::StrCat(element ? "kernels::" : "", name, result, ", ", value, ")");
      Line(absl::StrCat(result, " = ", first, " ? ", value, " : ", combined, ";"));
      Line(absl::StrCat(first, " = false;"));
    } else if (element) {
      Line(absl::StrCat(result, " = kernels::", op == "sum" ? "Add(" : "Mul(", result,
                        ", kernels::Cast<", type, ">(", item.code, "));"));
    } else {
      Line(absl::StrCat(result, " = ", result, op == "sum" ? " + " : " * ", item.code, ";"));
    }
  });
  if (element && !extreme)
    return {.kind = Kind::kElement,
            .code = absl::StrCat("kernels::Cast<", sample.element, ">(", result, ")"),
            .element = sample.element};
  if (element && extreme) {
    // An empty window has no extreme; the identity says so.
    return {.kind = Kind::kElement,
            .code = absl::StrCat("(", first,
                                 " ? kernels::", op == "min" ? "HighestOrZero<" : "LowestOrZero<",
                                 sample.element, ">() : ", result, ")"),
            .element = sample.element};
  }
  Typed typed = sample;
  typed.code = result;
  return typed;
}

Typed ExpressionEmitter::Expand(const Function& function, const Node& node) {
  if (!node.named.empty() || node.children.size() != function.parameters.size()) {
    return Error(node.place, absl::StrCat("`", function.name, "` takes ",
                                          function.parameters.size(), " argument(s)"));
  }
  if (expansion_depth_ > 32)
    return Error(node.place, absl::StrCat("`", function.name, "` expands without end"));
  std::map<std::string, Typed> arguments;
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    Typed argument = Emit(node.children[i]);
    if (argument.kind == Kind::kError) return {};
    // A long scalar is computed once.
    const bool scalar =
        IsNumber(argument.kind) || argument.kind == Kind::kProp || argument.kind == Kind::kElement;
    if (scalar && argument.code.size() > 24) argument = Store(argument, function.parameters[i]);
    if (argument.kind == Kind::kValue && argument.code.size() > 40)
      argument = Store(argument, function.parameters[i]);
    arguments[function.parameters[i]] = argument;
  }
  // The body sees its parameters and nothing of the caller.
  auto outer = std::move(scopes_);
  scopes_.clear();
  scopes_.push_back(std::move(arguments));
  ++expansion_depth_;
  Typed result = Emit(function.body);
  --expansion_depth_;
  scopes_ = std::move(outer);
  return result;
}

Typed ExpressionEmitter::Call(const Node& node) {
  if (const Function* function = program_.FindFunction(Dialect(), node.text))
    return Expand(*function, node);
  static const std::set<std::string> kLists = {
      "len",  "take", "drop", "contains", "index_of", "product", "sum",     "broadcast",
      "rank", "dim",  "dims", "dtype",    "count",    "elem",    "present", "elements"};
  if (kLists.count(node.text) != 0) return ListCall(node);
  if (IntegerFunctions().count(node.text) != 0 || ElementFunctions().count(node.text) != 0)
    return IntegerCall(node);
  std::vector<std::string> known = program_.FunctionNames();
  for (const auto& [name, function] : ElementFunctions()) known.push_back(name);
  known.insert(known.end(), IntegerFunctions().begin(), IntegerFunctions().end());
  known.insert(known.end(), kLists.begin(), kLists.end());
  return Error(node.place,
               absl::StrCat("unknown function `", node.text, "`", Suggestion(node.text, known)));
}

Typed ExpressionEmitter::IntegerCall(const Node& node) {
  std::vector<Typed> args;
  for (const NodePtr& child : node.children) args.push_back(Emit(child));
  bool element = false;
  bool list = false;
  for (const Typed& arg : args) {
    if (arg.kind == Kind::kError) return {};
    element = element || arg.kind == Kind::kElement || arg.kind == Kind::kCondition;
    list = list || arg.kind == Kind::kList;
  }
  static const std::map<std::string, std::string> kBinary = {{"floordiv", "FloorDiv"},
                                                             {"ceildiv", "CeilDiv"},
                                                             {"mod", "Mod"},
                                                             {"min", "Min"},
                                                             {"max", "Max"}};
  const auto binary = kBinary.find(node.text);
  const Place place = node.place;
  if (list && args.size() == 2 && (binary != kBinary.end())) {
    const std::string function = node.text;
    return Lift(args[0], args[1], [=, this](const Typed& a, const Typed& b) {
      Push();
      Bind("left operand", a);
      Bind("right operand", b);
      Node inner;
      inner.kind = Node::kCall;
      inner.text = function;
      inner.place = place;
      for (const char* name : {"left operand", "right operand"}) {
        auto child = std::make_shared<Node>();
        child->kind = Node::kName;
        child->text = name;
        child->place = place;
        inner.children.push_back(child);
      }
      Typed result = IntegerCall(inner);
      Pop();
      return result;
    });
  }
  if (!element && binary != kBinary.end()) {
    if (args.size() != 2)
      return Error(place, absl::StrCat("`", node.text, "` takes 2 argument(s)"));
    if (args[0].kind == Kind::kFloat || args[1].kind == Kind::kFloat) {
      if (node.text == "min" || node.text == "max")
        return {.kind = Kind::kFloat,
                .code = absl::StrCat("std::", node.text, "(", AsFloat(args[0], place), ", ",
                                     AsFloat(args[1], place), ")")};
      return Error(place, absl::StrCat("`", node.text, "` takes integers"));
    }
    if (args[0].kind == Kind::kDim || args[1].kind == Kind::kDim) {
      return {.kind = Kind::kDim,
              .code = absl::StrCat(binary->second, "(", AsDim(args[0], place), ", ",
                                   AsDim(args[1], place), ")")};
    }
    return Host(absl::StrCat(binary->second, "(", AsHost(args[0], place), ", ",
                             AsHost(args[1], place), ")"));
  }
  if (node.text == "scaled" && args.size() == 2) {
    // floor(dim * factor), exactly.
    if (args[0].kind == Kind::kDim)
      return {.kind = Kind::kDim,
              .code = absl::StrCat("Scaled(", args[0].code, ", ", AsFloat(args[1], place), ")")};
    return Host(
        absl::StrCat("Scaled(", AsHost(args[0], place), ", ", AsFloat(args[1], place), ")"));
  }
  if (!element && node.text == "abs" && args.size() == 1) {
    if (args[0].kind == Kind::kFloat)
      return {.kind = Kind::kFloat, .code = absl::StrCat("std::abs(", args[0].code, ")")};
    if (args[0].kind == Kind::kDim)
      return {.kind = Kind::kDim, .code = absl::StrCat("Abs(", args[0].code, ")")};
    return Host(absl::StrCat("Abs(", AsHost(args[0], place), ")"));
  }
  if (node.text == "int" && args.size() == 1 && args[0].kind == Kind::kHost) return args[0];
  if (node.text == "int" && args.size() == 1 && args[0].kind == Kind::kDim) {
    return Host(DimsAreHost() ? HostOfDim(args[0].code)
                              : absl::StrCat("HostOf(", args[0].code, ", ", CheckerCode(), ")"));
  }
  if (!element && args.size() == 1 &&
      (args[0].kind == Kind::kFloat || args[0].kind == Kind::kHost)) {
    static const std::set<std::string> kStd = {"sqrt",  "exp", "log", "floor", "ceil",
                                               "round", "sin", "cos", "tanh",  "erf"};
    if (kStd.count(node.text) != 0)
      return {.kind = Kind::kFloat,
              .code = absl::StrCat("std::", node.text == "round" ? "nearbyint" : node.text, "(",
                                   AsFloat(args[0], place), ")")};
  }
  if (!element && node.text == "pow" && args.size() == 2) {
    return {.kind = Kind::kFloat,
            .code = absl::StrCat("std::pow(", AsFloat(args[0], place), ", ",
                                 AsFloat(args[1], place), ")")};
  }
  return ElementCall(node, args);
}

Typed ExpressionEmitter::ElementCall(const Node& node, const std::vector<Typed>& args) {
  const Place place = node.place;
  if (node.text == "select" && args.size() == 3) {
    std::string element = args[1].kind == Kind::kElement   ? args[1].element
                          : args[2].kind == Kind::kElement ? args[2].element
                                                           : element_hint_;
    if (element.empty()) return Error(place, "no element type for this choice");
    return {.kind = Kind::kElement,
            .code = absl::StrCat("kernels::Select(", AsCondition(args[0], place), ", ",
                                 AsElement(args[1], element, place), ", ",
                                 AsElement(args[2], element, place), ")"),
            .element = element};
  }
  const auto found = ElementFunctions().find(node.text);
  if (found == ElementFunctions().end())
    return Error(place, absl::StrCat("`", node.text, "` has no meaning for these arguments"));
  const ElementFunction& function = found->second;
  if (args.size() != function.arguments)
    return Error(place,
                 absl::StrCat("`", node.text, "` takes ", function.arguments, " argument(s)"));
  std::string element = element_hint_;
  for (size_t i = args.size(); i-- > 0;) {
    if (args[i].kind == Kind::kElement) element = args[i].element;
  }
  if (element.empty()) return Error(place, absl::StrCat("`", node.text, "` needs an element"));
  NoteElementOperation(function.exact);
  std::vector<std::string> codes;
  for (const Typed& arg : args) codes.push_back(AsElement(arg, element, place));
  return {.kind = function.condition ? Kind::kCondition : Kind::kElement,
          .code = absl::StrCat("kernels::", function.code, "(", absl::StrJoin(codes, ", "), ")"),
          .element = element};
}

Typed ExpressionEmitter::ListCall(const Node& node) {
  const std::string& name = node.text;
  const Place place = node.place;
  std::vector<Typed> args;
  for (const NodePtr& child : node.children) args.push_back(Emit(child));
  for (const Typed& arg : args) {
    if (arg.kind == Kind::kError) return {};
  }
  static const std::map<std::string, size_t> kArguments = {
      {"len", 1},      {"take", 2},    {"drop", 2},    {"contains", 2},
      {"index_of", 2}, {"product", 1}, {"sum", 1},     {"broadcast", 2},
      {"rank", 1},     {"dim", 2},     {"dims", 1},    {"dtype", 1},
      {"count", 1},    {"elem", 2},    {"present", 1}, {"elements", 1}};
  if (args.size() != kArguments.at(name))
    return Error(place, absl::StrCat("`", name, "` takes ", kArguments.at(name), " argument(s)"));
  const Typed& a = args[0];
  if (name == "dims") return DimsOf(a, place);
  if (name == "rank") {
    const Typed dims = DimsOf(a, place);
    return dims.kind == Kind::kError ? Typed{} : Host(dims.length);
  }
  if (name == "dim") {
    const Typed dims = DimsOf(a, place);
    return dims.kind == Kind::kError ? Typed{} : dims.at(AsHost(args[1], place));
  }
  if (name == "dtype") return {.kind = Kind::kDType, .code = a.code + "_dtype"};
  if (name == "present")
    return {.kind = Kind::kBool,
            .code = absl::StrCat("has_", a.declaration == nullptr ? a.code : a.declaration->name)};
  if (name == "count") return Host(CountOf(a));
  if (name == "elements") return ListOf(a.code + "_elements", Kind::kDim);
  if (name == "elem")
    return {.kind = Kind::kDim,
            .code = absl::StrCat("At(", a.code, "_elements, ", AsHost(args[1], place), ")")};
  if (a.kind != Kind::kList) return Error(place, absl::StrCat("`", name, "` takes a list"));
  if (name == "len") return Host(a.length);
  if (name == "contains" || name == "index_of") {
    if (a.item != Kind::kHost)
      return Error(place, absl::StrCat("`", name, "` takes a list of host integers"));
    const std::string list = AsVector(a, place);
    if (name == "contains")
      return {.kind = Kind::kBool,
              .code = absl::StrCat("ListContains(", list, ", ", AsHost(args[1], place), ")")};
    return Host(absl::StrCat("ListIndexOf(", list, ", ", AsHost(args[1], place), ")"));
  }
  if (name == "take" || name == "drop") {
    const std::string n = Unique("n");
    Line(absl::StrCat("const int64_t ", n, " = std::clamp<int64_t>(", AsHost(args[1], place),
                      ", 0, ", a.length, ");"));
    Typed list{.kind = Kind::kList, .item = a.item};
    list.length = name == "take" ? n : absl::StrCat("(", a.length, " - ", n, ")");
    list.at = [=](const std::string& i) {
      return a.at(name == "take" ? i : absl::StrCat("(", i, " + ", n, ")"));
    };
    return list;
  }
  if (name == "product" || name == "sum") {
    Typed sample{.kind = a.item};
    const std::string result = Unique(name);
    Line(absl::StrCat(CppType(sample), " ", result, "(", name == "sum" ? "0" : "1", ");"));
    const std::string i = Unique("i");
    Line(absl::StrCat("for (int64_t ", i, " = 0, ", i, "_end = ", a.length, "; ", i, " < ", i,
                      "_end; ++", i, ") {"));
    const Typed item = Unify(a.at(i), sample, place);
    Line(absl::StrCat("  ", result, " = ", result, name == "sum" ? " + " : " * ", item.code, ";"));
    Line("}");
    sample.code = result;
    return sample;
  }
  // broadcast
  if (args[1].kind != Kind::kList) return Error(place, "`broadcast` takes two lists");
  const auto dims = [&](const Typed& list) {
    if (list.item == Kind::kDim) return AsVector(list, place);
    Typed lifted = list;
    lifted.code.clear();
    lifted.item = Kind::kDim;
    return AsVector(lifted, place);
  };
  const std::string left = dims(a);
  const std::string right = dims(args[1]);
  const std::string result = Unique("shape");
  const std::string checker = CheckerCode();
  Line(absl::StrCat("const std::vector<", DomainType(), "> ", result, " = Broadcast<", DomainType(),
                    ">(", left, ", ", right, ", ", checker, ");"));
  return ListOf(result, Kind::kDim);
}

}  // namespace tessera::codegen
