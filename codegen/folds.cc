// Loops: comprehensions, folds; components of lists, and what may be absent.
#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "codegen/element_types.h"
#include "codegen/expression_emitter.h"

namespace tessera::codegen {
void ExpressionEmitter::Loops(const std::vector<Binder>& binders, size_t from,
                              const std::function<void()>& body) {
  if (from == binders.size()) {
    body();
    return;
  }
  const Binder& binder = binders[from];
  const auto rest = [&] { Loops(binders, from + 1, body); };
  Push();
  if (!SpecialLoop(binder, rest)) {
    const std::string i = Unique(Member(binder.name));
    if (binder.to != nullptr) {
      const std::string begin = AsHost(Emit(binder.from), binder.place);
      const std::string end = AsHost(Emit(binder.to), binder.place);
      const std::string last = Unique("end");
      Line(absl::StrCat("for (int64_t ", i, " = ", begin, ", ", last, " = ", end, "; ", i, " < ",
                        last, "; ++", i, ") {"));
      Bind(binder.name, Host(i));
      rest();
      Line("}");
    } else {
      const Typed source = Emit(binder.from);
      if (source.kind == Kind::kOperands || source.kind == Kind::kValues) {
        const std::string last = Unique("end");
        Line(absl::StrCat("for (int64_t ", i, " = 0, ", last, " = ", CountOf(source), "; ", i,
                          " < ", last, "; ++", i, ") {"));
        Bind(binder.name, VariadicItem(source, i));
        rest();
        Line("}");
      } else if (source.kind == Kind::kList) {
        const std::string last = Unique("end");
        const std::string length = source.length;
        Line(absl::StrCat("for (int64_t ", i, " = 0, ", last, " = ", length, "; ", i, " < ", last,
                          "; ++", i, ") {"));
        Bind(binder.name, source.at(i));
        rest();
        Line("}");
      } else if (source.kind != Kind::kError) {
        Error(binder.place,
              absl::StrCat("`", binder.name,
                           "` needs a range, a list or a variadic operand to run over"));
      }
    }
  }
  Pop();
}

Typed ExpressionEmitter::Comprehension(const std::vector<Binder>& binders, const NodePtr& body,
                                       Place place) {
  const Binder& binder = binders[0];
  if (binders.size() != 1) return Error(place, "one name runs in a list");
  Typed list{.kind = Kind::kList};
  std::function<Typed(const std::string&)> bound;
  if (binder.to != nullptr) {
    const std::string begin = AsHost(Emit(binder.from), binder.place);
    const std::string end = AsHost(Emit(binder.to), binder.place);
    const std::string plus = begin == "0" ? "" : absl::StrCat(begin, " + ");
    list.length =
        begin == "0" ? absl::StrCat("(", end, ")") : absl::StrCat("((", end, ") - (", begin, "))");
    bound = [this, plus](const std::string& i) {
      return Host(plus.empty() ? i : absl::StrCat("(", plus, i, ")"));
    };
  } else {
    const Typed source = Emit(binder.from);
    if (source.kind == Kind::kOperands || source.kind == Kind::kValues) {
      list.length = CountOf(source);
      bound = [this, source](const std::string& i) { return VariadicItem(source, i); };
    } else if (source.kind == Kind::kList) {
      list.length = source.length;
      bound = source.at;
    } else {
      return source.kind == Kind::kError
                 ? Typed{}
                 : Error(binder.place, "a range, a list or a variadic operand is needed");
    }
  }
  // The component is emitted where it is used, in the scope of here.
  const auto scopes = scopes_;
  const std::string name = binder.name;
  list.at = [this, scopes, bound, name, body](const std::string& i) {
    auto outer = std::move(scopes_);
    scopes_ = scopes;
    Push();
    Bind(name, bound(i));
    Typed item = Emit(body);
    scopes_ = std::move(outer);
    return item;
  };
  const Typed sample = Probe([&] { return list.at("0"); });
  if (sample.kind == Kind::kBool) {
    list.item = Kind::kHost;
  } else if (sample.kind == Kind::kHost || sample.kind == Kind::kDim ||
             sample.kind == Kind::kFloat || sample.kind == Kind::kValue) {
    list.item = sample.kind;
  } else if (sample.kind == Kind::kElement) {
    list.item = Kind::kElement;
  } else if (sample.kind == Kind::kProp) {
    list.item = Kind::kDim;
  } else {
    return sample.kind == Kind::kError
               ? Typed{}
               : Error(place, "a list holds integers, dims, numbers or terms");
  }
  return list;
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
  if (base.kind == Kind::kOperand)
    return Error(
        node.place,
        "elements are read in `ref`; a shape has `elem(x, d)` of an operand marked `elements`");
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
  if (element && !extreme) sample.element = ElementTypes::Number(sample.element);
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
    // Of an empty window, the identity within its dtype; symbolic integers have none.
    const std::string& type_name = sample.element;
    Line(absl::StrCat("if (", first, ") {"));
    Line(absl::StrCat("  if constexpr (kernels::kIsSymbolic<", type_name, ">) ", result, " = ",
                      type_name, "(Expr::Invalid());"));
    Line(absl::StrCat("  else ", result, " = kernels::", op == "min" ? "Highest<" : "Lowest<",
                      type_name, ">(", DTypeOfElement(type_name), ");"));
    Line("}");
    return {.kind = Kind::kElement, .code = result, .element = type_name};
  }
  Typed typed = sample;
  typed.code = result;
  return typed;
}

}  // namespace tessera::codegen
