#include "codegen/term_expressions.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

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
  const std::string checker = Unique("required");
  const std::string outer = std::exchange(guard_checker_, checker);
  const bool outer_requires = std::exchange(guard_requires_, false);
  Typed guard;
  const std::string before = Capture([&] { guard = Emit(node); });
  const bool required = std::exchange(guard_requires_, outer_requires);
  guard_checker_ = outer;
  if (required)
    Line(absl::StrCat("ir::Checker<Expr> ", checker, "(b.rewriter().graph().context());"));
  block_ += before;
  const std::string code = guard.kind == Kind::kProp ? absl::StrCat("b.Proves(", guard.code, ")")
                                                     : AsBool(guard, node->place);
  return required ? absl::StrCat("(", checker, ".Settled() && ", code, ")") : code;
}

std::string TermExpressions::CheckerCode() {
  if (!guard_checker_.empty()) {
    guard_requires_ = true;
    return guard_checker_;
  }
  const std::string name = Unique("checker");
  Line(absl::StrCat("ir::Checker<Expr> ", name, "(b.rewriter().graph().context());"));
  return name;
}

void TermExpressions::Required(const std::string& checker) {
  if (guard_checker_.empty()) Line(absl::StrCat("b.Owe(", checker, ", \"", op_.name, "\");"));
}

bool TermExpressions::Special(const NodePtr& pointer, Typed& out) {
  const Node& node = *pointer;
  switch (node.kind) {
    case Node::kScan:
      out = Scan(node);
      return true;
    case Node::kList:
      if (node.text != "()") return false;
      out = Tuple(node);
      return true;
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
  static const std::set<std::string> kTensor = {"dtype",    "present",  "constant", "uses",
                                                "splat",    "below",    "within",   "finite",
                                                "elements", "extremes", "value"};
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
    if (name == "below")
      out = {.kind = Kind::kBool,
             .code = absl::StrCat("ir::IsBelow(", x, ", ", AsFloat(arg(1), place), ")")};
    if (name == "within")
      out = {.kind = Kind::kBool,
             .code = absl::StrCat("ir::IsWithin(", x, ", ", AsFloat(arg(1), place), ", ",
                                  AsFloat(arg(2), place), ")")};
    if (name == "finite")
      out = {.kind = Kind::kBool, .code = absl::StrCat("ir::IsFinite(", x, ")")};
    if (name == "elements") {
      const std::string list = Unique("elements");
      Line(absl::StrCat("std::vector<Expr> ", list, ";"));
      Line(absl::StrCat("ir::ElementsOf(", x, ", ", list, ");"));
      out = ListOf(list, Kind::kDim);
    }
    if (name == "extremes") {
      const std::string list = Unique("extremes");
      Line(absl::StrCat("const std::vector<Expr> ", list, " = ir::ExtremesOf(", x, ");"));
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
    if (typed.kind == Kind::kValue || typed.kind == Kind::kDim ||
        (typed.kind == Kind::kList && typed.item == Kind::kDim))
      ++refusals_;
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
  if (name == "elem" && node.children.size() == 2 &&
      Probe([&] { return arg(0); }).kind == Kind::kValue) {
    const std::string x = value(0);
    const std::string list = Unique("elements");
    Line(absl::StrCat("std::vector<Expr> ", list, ";"));
    Line(absl::StrCat("ir::ElementsOf(", x, ", ", list, ");"));
    out = {.kind = Kind::kDim, .code = absl::StrCat("At(", list, ", ", AsHost(arg(1), place), ")")};
    return true;
  }
  if (name == "runs") {
    out = Runs(node);
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

// `runs(OP, dtype, rank)`, `runs(OP, dtype, rank, "FORM")`.
Typed TermExpressions::Runs(const Node& node) {
  const Place place = node.place;
  const std::vector<NodePtr>& arguments = node.children;
  if (!asks_target_)
    return Error(place, "`runs` asks what a target's places can hold: in lowerings and builders");
  if (arguments.size() < 3 || arguments.size() > 4 || !node.named.empty())
    return Error(place, "`runs` takes an operator, a dtype, a rank and perhaps a form");
  const Node& name = *arguments[0];
  const Op* op = name.kind == Node::kName ? program_.FindOp(dialect_, name.text) : nullptr;
  if (op == nullptr || op->dialect != dialect_ || op->builder) {
    return Error(name.place, absl::StrCat("`runs` takes an operator of `", dialect_, "`",
                                          Suggestion(name.text, program_.OpNames())));
  }
  const Typed dtype = Emit(arguments[1]), rank = Emit(arguments[2]);
  if (dtype.kind == Kind::kError || rank.kind == Kind::kError) return {};
  if (dtype.kind != Kind::kDType) return Error(arguments[1]->place, "a dtype is needed");
  const bool form = arguments.size() == 4;
  if (form && arguments[3]->kind != Node::kString)
    return Error(arguments[3]->place, "the form of an operator is a text");
  return {.kind = Kind::kBool,
          .code = absl::StrCat("b.Runs(\"", op->name, "\", ", dtype.code, ", ",
                               AsHost(rank, arguments[2]->place),
                               form ? absl::StrCat(", \"", arguments[3]->text, "\"") : "", ")")};
}

}  // namespace tessera::codegen
