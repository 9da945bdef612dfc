#include "ir/dtype.h"

#include <array>

namespace tessera::ir {
namespace {

struct Description {
  std::string_view name;
  size_t size;
};

// In the order of the enumerators.
constexpr std::array<Description, kDTypeCount> kDescriptions = {{
    {"bool", 1},       {"i8", 1},     {"i16", 2},      {"i32", 4},        {"i64", 8},
    {"u8", 1},         {"u16", 2},    {"u32", 4},      {"u64", 8},        {"f16", 2},
    {"bf16", 2},       {"f32", 4},    {"f64", 8},      {"i4", 1},         {"u4", 1},
    {"i2", 1},         {"u2", 1},     {"f8e4m3fn", 1}, {"f8e4m3fnuz", 1}, {"f8e5m2", 1},
    {"f8e5m2fnuz", 1}, {"f8e8m0", 1}, {"f4e2m1", 1},
}};
static_assert(kDescriptions[static_cast<size_t>(DType::kF64)].name == "f64");
static_assert(kDescriptions[static_cast<size_t>(DType::kF4E2M1)].name == "f4e2m1");

}  // namespace

size_t SizeOf(DType dtype) { return kDescriptions[static_cast<size_t>(dtype)].size; }

std::string_view NameOf(DType dtype) { return kDescriptions[static_cast<size_t>(dtype)].name; }

std::optional<DType> DTypeFromName(std::string_view name) {
  for (size_t i = 0; i < kDescriptions.size(); ++i) {
    if (kDescriptions[i].name == name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace tessera::ir
