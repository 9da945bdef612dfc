// Attribute values. Their kinds are fixed per op by its definition (`AttrSpec`); there are no free
// strings.
#ifndef TESSERA_IR_ATTRIBUTE_H_
#define TESSERA_IR_ATTRIBUTE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "ir/dtype.h"
#include "solver/expr.h"

namespace tessera::ir {

enum class AttrKind : uint8_t { kInt, kFloat, kBool, kEnum, kDType, kDim, kInts, kFloats, kDims };

// kInt, kBool (0/1) and kEnum (ordinal) are int64_t. A default-constructed attribute is absent.
using Attribute =
    std::variant<std::monostate, int64_t, double, DType, solver::Expr, std::vector<int64_t>,
                 std::vector<double>, std::vector<solver::Expr>>;

struct AttrSpec {
  std::string_view name;
  AttrKind kind;
  absl::Span<const std::string_view> enum_names;  // of kEnum
};

bool HoldsKind(const Attribute& attribute, AttrKind kind);
std::string ToString(const Attribute& attribute, const AttrSpec& spec);

}  // namespace tessera::ir

#endif  // TESSERA_IR_ATTRIBUTE_H_
