// The functions of the op language.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_emitter.h"

namespace tessera::codegen {
namespace {

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
    m["sqrt"].exact = true;
    m["floor"] = {"Floor", 1, true, false};
    m["ceil"] = {"Ceil", 1, true, false};
    m["round"] = {"Round", 1, true, false};
    m["trunc"] = {"Trunc", 1, true, false};
    m["abs"] = {"Abs", 1, true, false};
    m["neg"] = {"Neg", 1, true, false};
    m["sign"] = {"Sign", 1, true, false};
    m["min"] = {"Min", 2, true, false};
    m["max"] = {"Max", 2, true, false};
    m["pow"] = {"Pow", 2, true, false};
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

}  // namespace

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
      "len", "take", "drop",  "contains", "index_of", "product", "sum",      "broadcast", "rank",
      "dim", "dims", "dtype", "count",    "elem",     "present", "elements", "extremes"};
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
  Harmonize(node.text, args);
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

}  // namespace tessera::codegen
