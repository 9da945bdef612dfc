// From the kinds of the op language to C++: types, conversions, messages.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_emitter.h"
#include "codegen/expression_parser.h"

namespace tessera::codegen {
std::string ExpressionEmitter::CppType(const Typed& typed) const {
  switch (typed.kind) {
    case Kind::kHost:
      return "int64_t";
    case Kind::kDim:
      return DomainType();
    case Kind::kFloat:
      return "double";
    case Kind::kBool:
      return "bool";
    case Kind::kProp:
      return absl::StrCat("Prop<", DomainType(), ">");
    case Kind::kElement:
      return typed.element;
    case Kind::kEnum:
      return "int64_t";
    case Kind::kString:
      return "std::string";
    case Kind::kDType:
      return "ir::DType";
    case Kind::kList:
      return absl::StrCat("std::vector<", CppType(Typed{.kind = typed.item}), ">");
    case Kind::kValue:
      return "ir::Value*";
    case Kind::kValues:
      return "std::vector<ir::Value*>";
    default:
      return "auto";
  }
}

std::string ExpressionEmitter::AsHost(const Typed& typed, Place place) {
  if (typed.kind == Kind::kHost || typed.kind == Kind::kEnum) return typed.code;
  if (typed.kind == Kind::kBool) return absl::StrCat("int64_t{", typed.code, "}");
  if (typed.kind == Kind::kDim && DimsAreHost()) return HostOfDim(typed.code);
  if (typed.kind == Kind::kDim) {
    Error(place,
          "a host integer is needed, this dim may be symbolic (`int(d)` where it is static)");
  } else if (typed.kind != Kind::kError) {
    Error(place, "an integer is needed");
  }
  return "0";
}

std::string ExpressionEmitter::AsDim(const Typed& typed, Place place) {
  if (typed.kind == Kind::kDim) return typed.code;
  if (typed.kind == Kind::kHost) return absl::StrCat(DomainType(), "(", typed.code, ")");
  if (typed.kind == Kind::kProp) return absl::StrCat(DomainType(), "(", typed.code, ")");
  if (typed.kind == Kind::kBool) return absl::StrCat(DomainType(), "(int64_t{", typed.code, "})");
  if (typed.kind != Kind::kError) Error(place, "a dim is needed");
  return "0";
}

std::string ExpressionEmitter::AsBool(const Typed& typed, Place place) {
  if (typed.kind == Kind::kBool) return typed.code;
  if (typed.kind == Kind::kHost) return absl::StrCat("(", typed.code, " != 0)");
  if (typed.kind != Kind::kError) Error(place, "a condition is needed");
  return "false";
}

std::string ExpressionEmitter::AsProp(const Typed& typed, Place place) {
  if (typed.kind == Kind::kProp) return typed.code;
  return absl::StrCat("Truth<", DomainType(), ">(", AsBool(typed, place), ")");
}

std::string ExpressionEmitter::AsFloat(const Typed& typed, Place place) {
  if (typed.kind == Kind::kFloat) return typed.code;
  if (typed.kind == Kind::kHost) return absl::StrCat("static_cast<double>(", typed.code, ")");
  if (typed.kind != Kind::kError) Error(place, "a number is needed");
  return "0.0";
}

std::string ExpressionEmitter::AsElement(const Typed& typed, const std::string& element,
                                         Place place) {
  switch (typed.kind) {
    case Kind::kElement:
      return typed.element == element
                 ? typed.code
                 : absl::StrCat("kernels::Cast<", element, ">(", typed.code, ")");
    case Kind::kHost:
      return absl::StrCat("kernels::Lit<", element, ">(", typed.code, ")");
    case Kind::kBool:
      return absl::StrCat("kernels::Lit<", element, ">(int64_t{", typed.code, "})");
    case Kind::kDim:
      return absl::StrCat("kernels::Cast<", element, ">(", typed.code, ")");
    case Kind::kFloat:
      NoteElementOperation(false);
      return absl::StrCat("kernels::Lit<", element, ">(", typed.code, ")");
    case Kind::kCondition:
      return absl::StrCat("kernels::FromTruth<", element, ">(", typed.code, ")");
    case Kind::kError:
      return "0";
    default:
      Error(place, "an element is needed");
      return "0";
  }
}

std::string ExpressionEmitter::AsCondition(const Typed& typed, Place place) {
  if (typed.kind == Kind::kCondition || typed.kind == Kind::kBool) return typed.code;
  if (typed.kind == Kind::kElement)
    return absl::StrCat("kernels::Ne(", typed.code, ", kernels::Lit<", typed.element,
                        ">(int64_t{0}))");
  return AsBool(typed, place);
}

std::string ExpressionEmitter::AsVector(const Typed& typed, Place place) {
  if (typed.kind == Kind::kError) return "{}";
  if (typed.kind != Kind::kList) {
    Error(place, "a list is needed");
    return "{}";
  }
  if (!typed.code.empty()) return typed.code;
  const std::string list = Unique("list");
  const std::string i = Unique("i");
  Line(absl::StrCat(CppType(typed), " ", list, ";"));
  Line(absl::StrCat("for (int64_t ", i, " = 0, ", i, "_end = ", typed.length, "; ", i, " < ", i,
                    "_end; ++", i, ") {"));
  const Typed item = typed.at(i);
  const std::string code = typed.item == Kind::kDim      ? AsDim(item, place)
                           : typed.item == Kind::kFloat  ? AsFloat(item, place)
                           : typed.item == Kind::kString ? item.code
                                                         : AsHost(item, place);
  Line(absl::StrCat("  ", list, ".push_back(", code, ");"));
  Line("}");
  return list;
}

std::string ExpressionEmitter::Message(const MessageText& message) {
  const std::string& text = message.text;
  const Place place = message.place;
  std::vector<std::string> parts;
  const auto quote = [](const std::string& s) {
    std::string quoted = "\"";
    for (char c : s) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted + "\"";
  };
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find('{', at);
    if (open == std::string::npos) {
      parts.push_back(quote(text.substr(at)));
      break;
    }
    const Place brace{place.source, place.offset + open};
    const size_t close = text.find('}', open);
    if (close == std::string::npos) {
      Error(brace, "`{` without `}`");
      break;
    }
    if (open > at) parts.push_back(quote(text.substr(at, open - at)));
    const size_t errors = diagnostics_.size();
    const NodePtr node =
        ParseExpression(*place.source, brace.offset + 1, place.offset + close, diagnostics_);
    if (diagnostics_.size() == errors) parts.push_back(MessagePart(node));
    at = close + 1;
  }
  return absl::StrCat("absl::StrCat(", absl::StrJoin(parts, ", "), ")");
}

std::string ExpressionEmitter::MessagePart(const NodePtr& node) {
  const Place place = node->place;
  const Typed value = Emit(node);
  if (value.kind == Kind::kList) return absl::StrCat("Text(", AsVector(value, place), ")");
  if (value.kind == Kind::kOperand || value.kind == Kind::kValue)
    return absl::StrCat("Text(", AsVector(DimsOf(value, place), place), ")");
  if (value.kind != Kind::kEnum) return absl::StrCat("Text(", value.code, ")");
  std::vector<std::string> names;
  for (const std::string& name : value.enum_names) names.push_back(absl::StrCat("\"", name, "\""));
  return absl::StrCat("EnumText(", value.code, ", {", absl::StrJoin(names, ", "), "})");
}

}  // namespace tessera::codegen
