// Operators of the op language.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/element_types.h"
#include "codegen/expression_emitter.h"

namespace tessera::codegen {
namespace {

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

Typed ExpressionEmitter::Arithmetic(const std::string& op, const Typed& left, const Typed& right,
                                    Place place) {
  if (left.kind == Kind::kError || right.kind == Kind::kError) return {};
  std::vector<Typed> operands = {left, right};
  Harmonize(op, operands);
  const Typed &a = operands[0], &b = operands[1];
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
    element = ElementTypes::Number(element);
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

Typed ExpressionEmitter::Compare(const std::string& op, const Typed& left, const Typed& right,
                                 Place place) {
  if (left.kind == Kind::kError || right.kind == Kind::kError) return {};
  std::vector<Typed> operands = {left, right};
  Harmonize(op, operands);
  const Typed &a = operands[0], &b = operands[1];
  if (a.kind == Kind::kList && b.kind == Kind::kList && (op == "==" || op == "!="))
    return CompareLists(a, b, op == "==", place);
  if (a.kind == Kind::kElement || b.kind == Kind::kElement) {
    std::string element = a.kind == Kind::kElement ? a.element : b.element;
    if (a.kind == b.kind && a.element != b.element && element == ElementTypes::kTruth)
      element = b.element;
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
    const std::string right = AsProp(b, place);
    if (a.kind == Kind::kProp) {
      block_ += before;
      return {.kind = Kind::kProp,
              .code = absl::StrCat(conjunction ? "And(" : "Or(", a.code, ", ", right, ")")};
    }
    // A host condition on the left decides first, because what follows may index by it.
    const Typed first{.kind = Kind::kBool, .code = Unique("first")};
    Line(absl::StrCat("const bool ", first.code, " = ", AsBool(a, place), ";"));
    const std::string result = Unique("holds");
    Line(absl::StrCat(CppType({.kind = Kind::kProp}), " ", result, " = ", AsProp(first, place),
                      ";"));
    Line(absl::StrCat("if (", conjunction ? "" : "!", first.code, ") {"));
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
  const int refusals = refusals_;
  std::string before_a = Capture([&] { a = yes(); });
  std::string before_b = Capture([&] { b = no(); });
  if (a.kind == Kind::kError || b.kind == Kind::kError) return {};
  if (a.kind == Kind::kList && b.kind == Kind::kList) {
    const Kind item = a.item == Kind::kDim || b.item == Kind::kDim ? Kind::kDim
                      : a.item == Kind::kFloat                     ? Kind::kFloat
                                                                   : b.item;
    if (refusals_ != refusals) {
      // Only the side that is chosen may refuse.
      Typed list{.kind = Kind::kList, .item = item};
      const std::string chosen = Unique("chosen");
      const auto side = [&](Typed typed, const std::string& before) {
        block_ += before;
        if (typed.item != item) typed.code.clear();
        typed.item = item;
        Line(absl::StrCat("  ", chosen, " = ", AsVector(typed, place), ";"));
      };
      Line(absl::StrCat(CppType(list), " ", chosen, ";"));
      Line(absl::StrCat("if (", condition, ") {"));
      side(a, before_a);
      Line("} else {");
      side(b, before_b);
      Line("}");
      return ListOf(chosen, item);
    }
    block_ += before_a + before_b;
    const std::string choice = Unique("choice");
    Line(absl::StrCat("const bool ", choice, " = ", condition, ";"));
    Typed list{.kind = Kind::kList, .item = item};
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

}  // namespace tessera::codegen
