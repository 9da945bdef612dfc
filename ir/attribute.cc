#include "ir/attribute.h"

#include <charconv>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"

namespace tessera::ir {
namespace {

std::string Text(int64_t v) { return absl::StrCat(v); }

// The shortest digits that read back as the same double.
std::string Text(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char digits[32];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), v);
  return std::string(digits, end.ptr);
}

std::string Text(const solver::Expr& v) { return v.ToString(); }

template <class T>
std::string ListText(const std::vector<T>& list) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : ",", Text(list[i]));
  return text + "]";
}

std::string Text(int64_t v, const AttrSpec& spec) {
  if (spec.kind == AttrKind::kBool) return v != 0 ? "true" : "false";
  if (spec.kind == AttrKind::kEnum && v >= 0 && v < static_cast<int64_t>(spec.enum_names.size())) {
    return std::string(spec.enum_names[static_cast<size_t>(v)]);
  }
  return Text(v);
}

}  // namespace

bool HoldsKind(const Attribute& attribute, AttrKind kind) {
  switch (kind) {
    case AttrKind::kInt:
    case AttrKind::kBool:
    case AttrKind::kEnum:
      return std::holds_alternative<int64_t>(attribute);
    case AttrKind::kFloat:
      return std::holds_alternative<double>(attribute);
    case AttrKind::kDType:
      return std::holds_alternative<DType>(attribute);
    case AttrKind::kDim:
      return std::holds_alternative<solver::Expr>(attribute);
    case AttrKind::kInts:
      return std::holds_alternative<std::vector<int64_t>>(attribute);
    case AttrKind::kFloats:
      return std::holds_alternative<std::vector<double>>(attribute);
    case AttrKind::kDims:
      return std::holds_alternative<std::vector<solver::Expr>>(attribute);
  }
  return false;
}

std::string ToString(const Attribute& attribute, const AttrSpec& spec) {
  struct Printer {
    const AttrSpec& spec;
    std::string operator()(std::monostate) const { return "absent"; }
    std::string operator()(int64_t v) const { return Text(v, spec); }
    std::string operator()(double v) const { return Text(v); }
    std::string operator()(DType v) const { return std::string(NameOf(v)); }
    std::string operator()(const solver::Expr& v) const { return Text(v); }
    std::string operator()(const std::vector<int64_t>& v) const { return ListText(v); }
    std::string operator()(const std::vector<double>& v) const { return ListText(v); }
    std::string operator()(const std::vector<solver::Expr>& v) const { return ListText(v); }
  };
  return std::visit(Printer{spec}, attribute);
}

}  // namespace tessera::ir
