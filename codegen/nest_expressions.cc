// Elements of nests: conversions, choices, reductions.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "codegen/element_types.h"
#include "codegen/nest_class.h"

namespace tessera::codegen {

std::string NestEmitter::CppType(const Typed& typed) const {
  return typed.kind == Kind::kElement || typed.kind == Kind::kCondition
             ? "nests::Scalar"
             : ExpressionEmitter::CppType(typed);
}

std::string NestEmitter::Expression(const Typed& typed, Place place) {
  return typed.kind == Kind::kHost ? absl::StrCat("Expr(", typed.code, ")") : AsDim(typed, place);
}

std::string NestEmitter::AsElement(const Typed& typed, const std::string& element, Place place) {
  switch (typed.kind) {
    case Kind::kElement:
      if (typed.element == element) return typed.code;
      [[fallthrough]];
    case Kind::kCondition:
      return absl::StrCat("nests::Cast(", element, ", ", typed.code, ")");
    case Kind::kHost:
    case Kind::kFloat:
      return absl::StrCat("nests::Lit(", element, ", ", typed.code, ")");
    case Kind::kBool:
      return absl::StrCat("nests::Lit(", element, ", int64_t{", typed.code, "})");
    case Kind::kDim:
      return absl::StrCat("nests::OfIndex(", element, ", ", typed.code, ")");
    case Kind::kProp:
      return absl::StrCat("nests::Cast(", element, ", nests::Truth(", typed.code, "))");
    case Kind::kError:
      return "nests::Truth(false)";
    default:
      Error(place, "an element is needed");
      return "nests::Truth(false)";
  }
}

std::string NestEmitter::AsCondition(const Typed& typed, Place place) {
  switch (typed.kind) {
    case Kind::kCondition:
      return typed.code;
    case Kind::kElement:
      return absl::StrCat("nests::NonZero(", typed.code, ")");
    case Kind::kBool:
    case Kind::kProp:
      return absl::StrCat("nests::Truth(", typed.code, ")");
    case Kind::kDim:
      return absl::StrCat("nests::Truth(Ne(", typed.code, ", Expr(0)))");
    default:
      return absl::StrCat("nests::Truth(", AsBool(typed, place), ")");
  }
}

Typed NestEmitter::Weak(const Typed& typed, Place place) {
  return {
      .kind = Kind::kElement, .code = AsElement(typed, "F", place), .element = "F", .weak = true};
}

std::string NestEmitter::CommonElement(const std::vector<Typed>& args) const {
  for (const Typed& arg : args) {
    if (arg.kind == Kind::kElement && !arg.weak) return arg.element;
  }
  return "";
}

void NestEmitter::Harmonize(const std::string& function, std::vector<Typed>& args) {
  const std::string element = CommonElement(args);
  const auto is = [&](Kind kind) {
    return std::any_of(args.begin(), args.end(), [&](const Typed& a) { return a.kind == kind; });
  };
  if (is(Kind::kError) || is(Kind::kList)) return;
  const bool weak = std::any_of(args.begin(), args.end(), [](const Typed& a) { return a.weak; });
  // Functions of the reals: of an integer known to the compiler they are computed in f64.
  static const std::set<std::string> kReal = {"sqrt",  "exp", "log", "floor", "ceil",
                                              "round", "sin", "cos", "tanh",  "erf"};
  const bool real = args.size() == 1 && kReal.count(function) != 0;
  for (Typed& arg : args) {
    if (arg.weak && !element.empty())
      arg = {.kind = Kind::kElement, .code = AsElement(arg, element, {}), .element = element};
    if (element.empty() && (arg.kind == Kind::kDim || (weak && IsNumber(arg.kind))) &&
        (real || weak || is(Kind::kFloat)) && function != "scaled" && function != "select")
      arg = Weak(arg, {});
  }
}

Typed NestEmitter::Choice(const Typed& condition, const Typed& yes, const Typed& no, Place place) {
  if (yes.kind == Kind::kError || no.kind == Kind::kError) return {};
  if (yes.kind == Kind::kList || no.kind == Kind::kList) {
    return Lift(yes, no, [=, this](const Typed& a, const Typed& b) {
      return Choice(condition, a, b, place);
    });
  }
  const auto is = [&](Kind kind) { return yes.kind == kind || no.kind == kind; };
  const auto choose = [&](const std::string& a, const std::string& b) {
    return absl::StrCat("nests::Scalar::Choose(", condition.code, ", ", a, ", ", b, ")");
  };
  if (is(Kind::kElement) || is(Kind::kFloat)) {
    const std::string common = CommonElement({yes, no});
    const std::string element = common.empty() ? "F" : common;
    return {.kind = Kind::kElement,
            .code = choose(AsElement(yes, element, place), AsElement(no, element, place)),
            .element = element,
            .weak = common.empty()};
  }
  if (is(Kind::kCondition))
    return {.kind = Kind::kCondition,
            .code = choose(AsCondition(yes, place), AsCondition(no, place))};
  const bool prop = (yes.kind == Kind::kProp || yes.kind == Kind::kBool) &&
                    (no.kind == Kind::kProp || no.kind == Kind::kBool);
  return {.kind = prop ? Kind::kProp : Kind::kDim,
          .code = absl::StrCat("Ite(", condition.code, ", ", AsDim(yes, place), ", ",
                               AsDim(no, place), ")")};
}

Typed NestEmitter::Ternary(const Node& node) {
  const Typed condition = Emit(node.children[0]);
  const Place place = node.place;
  if (condition.kind == Kind::kProp)
    return Choice(condition, Emit(node.children[1]), Emit(node.children[2]), place);
  if (condition.kind != Kind::kCondition && condition.kind != Kind::kElement)
    return ExpressionEmitter::Ternary(node);
  const Typed a = Emit(node.children[1]), b = Emit(node.children[2]);
  if (a.kind == Kind::kError || b.kind == Kind::kError) return {};
  const auto truth = [](Kind kind) {
    return kind == Kind::kCondition || kind == Kind::kBool || kind == Kind::kProp;
  };
  const auto select = [&](const std::string& yes, const std::string& no) {
    return absl::StrCat("kernels::Select(", AsCondition(condition, place), ", ", yes, ", ", no,
                        ")");
  };
  if (truth(a.kind) && truth(b.kind))
    return {.kind = Kind::kCondition, .code = select(AsCondition(a, place), AsCondition(b, place))};
  std::string element = CommonElement({a, b});
  if (element.empty()) element = a.weak || b.weak ? "F" : element_hint_;
  return {.kind = Kind::kElement,
          .code = select(AsElement(a, element, place), AsElement(b, element, place)),
          .element = element};
}

bool NestEmitter::Try(const std::function<Typed()>& f, Typed& result) {
  const size_t before = diagnostics_.size();
  result = Probe(f);
  return diagnostics_.TakeFrom(before).empty() && result.kind != Kind::kError;
}

Typed NestEmitter::Fold(const Node& node) {
  const auto outer = axes_;
  const std::string outer_fold = fold_;
  // Ranges are axes where the body allows, and loops of the code that builds elsewhere.
  for (const auto axes : {kAllRanges, kPacksAndSizes}) {
    axes_ = axes;
    fold_ = "probe";
    Typed sample;
    const bool said = Try(
        [&] {
          Typed item;
          Loops(node.binders, 0, [&] { item = Emit(node.children[0]); });
          return item;
        },
        sample);
    const bool element = sample.kind == Kind::kElement || sample.kind == Kind::kCondition;
    // A sum of sizes over a range that is a size.
    const bool counted =
        axes == kPacksAndSizes && sample.kind == Kind::kDim &&
        std::any_of(node.binders.begin(), node.binders.end(), [&](const Binder& binder) {
          if (binder.pack || binder.to == nullptr) return binder.pack;
          Typed end;
          return Try([&] { return Emit(binder.to); }, end) && end.kind == Kind::kDim;
        });
    if (said && (element || counted)) {
      const Typed result =
          ElementFold(node, counted ? Typed{.kind = Kind::kElement, .element = "I"} : sample);
      axes_ = outer;
      fold_ = outer_fold;
      return result;
    }
  }
  axes_ = kNoFold;
  Typed result = ExpressionEmitter::Fold(node);
  axes_ = outer;
  fold_ = outer_fold;
  return result;
}

Typed NestEmitter::ElementFold(const Node& node, const Typed& sample) {
  static const std::map<std::string, std::string> kReductions = {
      {"sum", "kSum"}, {"product", "kProduct"}, {"min", "kMin"}, {"max", "kMax"},
      {"any", "kAny"}, {"exists", "kAny"},      {"all", "kAll"}, {"forall", "kAll"}};
  const bool truth =
      node.text == "any" || node.text == "exists" || node.text == "all" || node.text == "forall";
  const bool extreme = node.text == "min" || node.text == "max";
  const std::string folded = sample.kind == Kind::kCondition ? element_hint_ : sample.element;
  const std::string element = truth     ? ElementTypes::kTruth
                              : extreme ? folded
                                        : ElementTypes::Number(folded);
  const std::string name = Unique(node.text);
  const std::string limit = node.text == "min" ? "Highest" : node.text == "max" ? "Lowest" : "";
  Line(absl::StrCat(
      "nests::Fold ", name, "(b, nests::Reduction::", kReductions.at(node.text), ", ", element,
      limit.empty()
          ? ""
          : absl::StrCat(", nests::", limit, "(", element, ", ", DTypeOfElement(element), ")"),
      ");"));
  fold_ = name;
  const auto axes = axes_;
  Loops(node.binders, 0, [&] {
    const Typed item = Emit(node.children[0]);
    fold_ = name;
    axes_ = axes;
    Line(absl::StrCat(name, ".Add(",
                      truth ? AsCondition(item, node.place) : AsElement(item, element, node.place),
                      ");"));
  });
  return {.kind = truth ? Kind::kCondition : Kind::kElement,
          .code = absl::StrCat(name, ".Result()"),
          .element = element,
          .weak = sample.weak};
}

bool NestEmitter::SpecialLoop(const Binder& binder, const std::function<void()>& body) {
  if (binder.to == nullptr && binder.from->kind == Node::kName && binder.from->text == "before" &&
      each_ != nullptr) {
    const std::string i = Unique("before");
    Line(absl::StrCat("for (int64_t ", i, " = 0; ", i, " < which; ++", i, ") {"));
    Bind(binder.name, VariadicItem(*Find(each_->name), i));
    body();
    Line("}");
    return true;
  }
  if (!binder.pack && binder.to == nullptr) return false;
  if (axes_ == kNoFold) {
    if (binder.pack) return false;
    // Sizes that must be numbers here.
    const auto bound = [&](const NodePtr& node) {
      const Typed typed = Emit(node);
      return typed.kind == Kind::kDim ? absl::StrCat("b.HostOf(", typed.code, ")")
                                      : AsHost(typed, binder.place);
    };
    const std::string i = Unique(Member(binder.name)), last = Unique("end");
    const std::string begin = bound(binder.from), end = bound(binder.to);
    Line(absl::StrCat("for (int64_t ", i, " = ", begin, ", ", last, " = ", end, "; ", i, " < ",
                      last, "; ++", i, ") {"));
    Bind(binder.name, Host(i));
    body();
    Line("}");
    return true;
  }
  if (!binder.pack && axes_ == kPacksAndSizes) {
    Typed from, to;
    const bool known = Try([&] { return Emit(binder.from); }, from) &&
                       Try([&] { return Emit(binder.to); }, to) && from.kind == Kind::kHost &&
                       to.kind == Kind::kHost;
    if (known) return false;
  }
  OpenAxes(binder, body);
  return true;
}

void NestEmitter::OpenAxes(const Binder& binder, const std::function<void()>& body) {
  const std::string fold = fold_;
  const auto axes = axes_;
  const std::string index = Unique(Member(binder.name));
  const auto inside = [&] {
    body();
    fold_ = fold;
    axes_ = axes;
  };
  if (binder.pack) {
    Typed list = Emit(binder.from);
    if (list.kind != Kind::kList) {
      if (list.kind != Kind::kError)
        Error(binder.place, "a pack index runs over a list of extents");
      return;
    }
    if (list.item != Kind::kDim) list.code.clear();
    list.item = Kind::kDim;
    Line(absl::StrCat("const std::vector<Expr> ", index, " = ", fold, ".Open(\"", binder.name,
                      "\", ", AsVector(list, binder.place), ");"));
    Bind(binder.name, ListOf(index, Kind::kDim));
    inside();
    Line(absl::StrCat(fold, ".Close(", index, ".size());"));
    return;
  }
  const std::string from = Expression(Emit(binder.from), binder.place);
  const std::string to = Expression(Emit(binder.to), binder.place);
  Line(absl::StrCat("const Expr ", index, " = ", fold, ".Open(\"", binder.name, "\", ", to, " - ",
                    from, ") + ", from, ";"));
  Bind(binder.name, {.kind = Kind::kDim, .code = index});
  inside();
  Line(absl::StrCat(fold, ".Close(1);"));
}

}  // namespace tessera::codegen
