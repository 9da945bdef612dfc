#include "targets/vulkan/kernels/types.h"

#include <array>
#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "ir/narrow.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

using nests::Number;

namespace {

// Bits of exponent and mantissa, bias, and what the patterns with the largest exponent are:
// arguments of FloatOfFew and FewOfFloat, which number these as ir::Specials does.
template <int kExponentBits, int kMantissaBits, int kBias, ir::Specials kSpecials>
std::string FormatOf(ir::NarrowFloat<kExponentBits, kMantissaBits, kBias, kSpecials>) {
  return absl::StrCat(kExponentBits, ", ", kMantissaBits, ", ", kBias, ", ",
                      static_cast<int>(kSpecials));
}

// Of a float of 8 bits or fewer.
std::string FormatOf(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kF8E4M3FN:
      return FormatOf(ir::F8E4M3FN{});
    case ir::DType::kF8E4M3FNUZ:
      return FormatOf(ir::F8E4M3FNUZ{});
    case ir::DType::kF8E5M2:
      return FormatOf(ir::F8E5M2{});
    case ir::DType::kF8E5M2FNUZ:
      return FormatOf(ir::F8E5M2FNUZ{});
    case ir::DType::kF4E2M1:
      return FormatOf(ir::F4E2M1{});
    default:
      return "";
  }
}

// Of a narrow integer.
int BitsOf(ir::DType dtype) { return dtype == ir::DType::kI4 || dtype == ir::DType::kU4 ? 4 : 2; }

}  // namespace

std::string_view TypeOf(Number number) {
  constexpr std::array<std::string_view, 5> kTypes = {"float", "double", "int64_t", "uint64_t",
                                                      "bool"};
  return kTypes[static_cast<size_t>(number)];
}

std::string_view StorageOf(ir::DType dtype) {
  constexpr std::array<std::string_view, ir::kDTypeCount> kTypes = {
      "uint8_t",  "int8_t",    "int16_t",  "int",     "int64_t", "uint8_t", "uint16_t", "uint",
      "uint64_t", "float16_t", "uint16_t", "float",   "double",  "uint8_t", "uint8_t",  "uint8_t",
      "uint8_t",  "uint8_t",   "uint8_t",  "uint8_t", "uint8_t", "uint8_t", "uint8_t"};
  return kTypes[static_cast<size_t>(dtype)];
}

std::string_view WrittenStorageOf(ir::DType dtype) {
  return StorageOf(dtype == ir::DType::kF16 ? ir::DType::kU16 : dtype);
}

std::string LiteralOf(const nests::Value& value) {
  switch (value.number) {
    case Number::kF32:
    case Number::kF64: {
      const bool wide = value.number == Number::kF64;
      if (std::isnan(value.f) || std::isinf(value.f)) {
        const unsigned bits = std::isnan(value.f) ? 0x7fc00000u
                              : value.f > 0       ? 0x7f800000u
                                                  : 0xff800000u;
        const std::string text = absl::StrFormat("uintBitsToFloat(0x%08xu)", bits);
        return wide ? absl::StrCat("double(", text, ")") : text;
      }
      std::string text = absl::StrFormat(wide ? "%.17g" : "%.9g", value.f);
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      if (wide) text += "lf";
      return std::signbit(value.f) ? absl::StrCat("(", text, ")") : text;
    }
    case Number::kI64:
      if (value.i == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807L - 1L)";
      return value.i < 0 ? absl::StrCat("(", value.i, "L)") : absl::StrCat(value.i, "L");
    case Number::kU64:
      return absl::StrCat(value.u, "UL");
    case Number::kBool:
      break;
  }
  return value.i != 0 ? "true" : "false";
}

std::string Converted(Number from, Number to, const std::string& text) {
  if (from == to) return text;
  const auto call = [&](std::string_view function) {
    return absl::StrCat(std::string(function), "(", text, ")");
  };
  if (to == Number::kBool)
    return absl::StrCat("(", text,
                        " != ", LiteralOf(nests::IdentityOf(nests::Reduction::kSum, from)), ")");
  if (from == Number::kBool) {
    const auto whole = [&](int64_t i) {
      return LiteralOf(nests::IsFloat(to)   ? nests::Value::OfFloat(to, static_cast<double>(i))
                       : to == Number::kU64 ? nests::Value::OfUnsigned(static_cast<uint64_t>(i))
                                            : nests::Value::OfInt(to, i));
    };
    return absl::StrCat("(", text, " ? ", whole(1), " : ", whole(0), ")");
  }
  if (to == Number::kI64 && from == Number::kF32) return call("FloatToInt");
  if (to == Number::kI64 && from == Number::kF64) return call("DoubleToInt");
  if (to == Number::kU64 && from == Number::kF32) return call("FloatToUint");
  if (to == Number::kU64 && from == Number::kF64) return call("DoubleToUint");
  return call(TypeOf(to));
}

std::string Widened(ir::DType dtype, Number number, const std::string& element) {
  const auto from = [&](Number of, const std::string& text) { return Converted(of, number, text); };
  switch (dtype) {
    case ir::DType::kBool:
      return from(Number::kBool, absl::StrCat("(int(", element, ") != 0)"));
    case ir::DType::kI64:
      return from(Number::kI64, element);
    case ir::DType::kU64:
      return from(Number::kU64, element);
    case ir::DType::kF32:
      return from(Number::kF32, element);
    case ir::DType::kF64:
      return from(Number::kF64, element);
    case ir::DType::kF16:
      return from(Number::kF32, absl::StrCat("float(", element, ")"));
    case ir::DType::kBF16:
      return from(Number::kF32, absl::StrCat("uintBitsToFloat(uint(", element, ") << 16)"));
    case ir::DType::kU8:
    case ir::DType::kU16:
    case ir::DType::kU32:
      // By way of 32 bits, which every conversion of narrower storage has.
      return nests::IsFloat(number)
                 ? absl::StrCat(std::string(TypeOf(number)), "(uint(", element, "))")
                 : from(Number::kI64, absl::StrCat("WideUnsigned(uint(", element, "))"));
    case ir::DType::kU4:
    case ir::DType::kU2:
    case ir::DType::kI4:
    case ir::DType::kI2: {
      // The sign is carried up by what it counts.
      const bool is_signed = dtype == ir::DType::kI4 || dtype == ir::DType::kI2;
      const int sign = 1 << (BitsOf(dtype) - 1);
      std::string low = absl::StrCat("(int(", element, ") & ", 2 * sign - 1, ")");
      if (is_signed) low = absl::StrCat("((", low, " ^ ", sign, ") - ", sign, ")");
      return nests::IsFloat(number) ? absl::StrCat(std::string(TypeOf(number)), "(", low, ")")
                                    : from(Number::kI64, absl::StrCat("Wide(", low, ")"));
    }
    case ir::DType::kF8E8M0:
      return from(Number::kF32, absl::StrCat("FloatOfPower(uint(", element, "))"));
    case ir::DType::kF8E4M3FN:
    case ir::DType::kF8E4M3FNUZ:
    case ir::DType::kF8E5M2:
    case ir::DType::kF8E5M2FNUZ:
    case ir::DType::kF4E2M1:
      return from(Number::kF32,
                  absl::StrCat("FloatOfFew(uint(", element, "), ", FormatOf(dtype), ")"));
    default:
      return nests::IsFloat(number)
                 ? absl::StrCat(std::string(TypeOf(number)), "(int(", element, "))")
                 : from(Number::kI64, absl::StrCat("Wide(int(", element, "))"));
  }
}

std::string Narrowed(Number number, ir::DType dtype, const std::string& text) {
  switch (dtype) {
    case ir::DType::kBool:
      return absl::StrCat("uint8_t(uint(", Converted(number, Number::kBool, text), " ? 1 : 0))");
    case ir::DType::kI64:
      return Converted(number, Number::kI64, text);
    case ir::DType::kU64:
      return Converted(number, Number::kU64, text);
    case ir::DType::kF32:
      return Converted(number, Number::kF32, text);
    case ir::DType::kF64:
      return Converted(number, Number::kF64, text);
    case ir::DType::kF16:
      return absl::StrCat("uint16_t(ToHalf(", Converted(number, Number::kF32, text), "))");
    case ir::DType::kBF16:
      return absl::StrCat("uint16_t(ToBfloat(", Converted(number, Number::kF32, text), "))");
    case ir::DType::kI32:
      return absl::StrCat("int(", Converted(number, Number::kI64, text), ")");
    case ir::DType::kU32:
      return absl::StrCat("uint(", Converted(number, Number::kI64, text), ")");
    case ir::DType::kU4:
    case ir::DType::kU2:
    case ir::DType::kI4:
    case ir::DType::kI2:
      return absl::StrCat("uint8_t(uint(int(", Converted(number, Number::kI64, text), ") & ",
                          (1 << BitsOf(dtype)) - 1, "))");
    case ir::DType::kF8E8M0:
      return absl::StrCat("uint8_t(PowerOfFloat(", Converted(number, Number::kF32, text), "))");
    case ir::DType::kF8E4M3FN:
    case ir::DType::kF8E4M3FNUZ:
    case ir::DType::kF8E5M2:
    case ir::DType::kF8E5M2FNUZ:
    case ir::DType::kF4E2M1:
      return absl::StrCat("uint8_t(FewOfFloat(", Converted(number, Number::kF32, text), ", ",
                          FormatOf(dtype), "))");
    default:
      return absl::StrCat(std::string(StorageOf(dtype)), "(int(",
                          Converted(number, Number::kI64, text), "))");
  }
}

Needs NeedsOf(std::string_view view) {
  const std::string text(view);
  const auto has = [&](const char* word) { return absl::StrContains(text, word); };
  Needs needs;
  const auto need = [&](unsigned feature, const char* extension) {
    needs.features |= feature;
    if (extension != nullptr)
      absl::StrAppend(&needs.extensions, "#extension ", extension, " : require\n");
  };
  // A literal of 64 bits is a mention too.
  bool wide = has("int64_t");
  for (size_t i = 1; i < text.size() && !wide; ++i)
    wide = text[i] == 'L' &&
           (absl::ascii_isdigit(static_cast<unsigned char>(text[i - 1])) || text[i - 1] == 'U');
  if (wide) need(file::Feature_INT64, "GL_EXT_shader_explicit_arithmetic_types_int64");
  if (has("double")) need(file::Feature_FLOAT64, nullptr);
  if (has("int8_t")) need(file::Feature_STORAGE8, "GL_EXT_shader_8bit_storage");
  if (has("int16_t") || has("float16_t") || has("u16vec4"))
    need(file::Feature_STORAGE16, "GL_EXT_shader_16bit_storage");
  if (has("shared float16_t"))
    need(file::Feature_FLOAT16, "GL_EXT_shader_explicit_arithmetic_types_float16");
  if (has("UNROLL for")) need(0, "GL_EXT_control_flow_attributes");
  if (has("spirv_type")) {
    // What multiplies matrices is for this memory model alone.
    needs.extensions.insert(0, "#pragma use_vulkan_memory_model\n");
    need(file::Feature_COOPERATIVE_MATRIX, "GL_EXT_spirv_intrinsics");
    need(0, "GL_KHR_memory_scope_semantics");
    need(0, "GL_KHR_shader_subgroup_basic");
  }
  if (has("textureBuffer")) need(0, "GL_EXT_samplerless_texture_functions");
  return needs;
}

}  // namespace tessera::vulkan
