// Functions of lists and operands.
#include <map>

#include "absl/strings/str_cat.h"
#include "codegen/expression_emitter.h"

namespace tessera::codegen {
Typed ExpressionEmitter::ListCall(const Node& node) {
  const std::string& name = node.text;
  const Place place = node.place;
  std::vector<Typed> args;
  for (const NodePtr& child : node.children) args.push_back(Emit(child));
  for (const Typed& arg : args) {
    if (arg.kind == Kind::kError) return {};
  }
  static const std::map<std::string, size_t> kArguments = {
      {"len", 1},      {"take", 2},    {"drop", 2},      {"contains", 2}, {"index_of", 2},
      {"product", 1},  {"sum", 1},     {"broadcast", 2}, {"rank", 1},     {"dim", 2},
      {"dims", 1},     {"dtype", 1},   {"count", 1},     {"elem", 2},     {"present", 1},
      {"elements", 1}, {"extremes", 1}};
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
  if (name == "elements" || name == "elem" || name == "extremes") {
    const Operand* operand = a.kind == Kind::kOperand ? a.declaration : nullptr;
    const bool known = operand != nullptr && operand->known_elements;
    if (name == "extremes" && !known)
      return Error(place, "`extremes` takes an operand that is declared with `elements?`");
    if (!known && (operand == nullptr || !operand->elements)) {
      return Error(place, absl::StrCat("`", name,
                                       "` takes an operand that is declared with `elements` or "
                                       "`elements?`"));
    }
  }
  if (name == "elements" || name == "extremes")
    return ListOf(absl::StrCat(a.code, "_", name), Kind::kDim);
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
    Line(absl::StrCat("[[maybe_unused]] const int64_t ", n, " = std::clamp<int64_t>(",
                      AsHost(args[1], place), ", 0, ", a.length, ");"));
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
  Required(checker);
  return ListOf(result, Kind::kDim);
}

}  // namespace tessera::codegen
