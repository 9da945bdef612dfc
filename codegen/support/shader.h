// A kernel for devices that is written by hand, and what a definition says of it: the `shader`
// clause of an op as data (docs/op-language.md).
#ifndef TESSERA_CODEGEN_SUPPORT_SHADER_H_
#define TESSERA_CODEGEN_SUPPORT_SHADER_H_

#include <cmath>
#include <cstdint>
#include <string_view>

#include "absl/types/span.h"
#include "solver/expr.h"

namespace tessera::ir {

// A number that is fixed when a kernel is compiled, and which ones it may be.
struct ShaderConstant {
  std::string_view name;
  absl::Span<const int64_t> values;
};

struct ShaderOperand {
  std::string_view name;
  absl::Span<const std::string_view> dims;
};

// Of a value for each constant, and one for each of Shader::sizes.
using ShaderAmount = double (*)(absl::Span<const double> constants, absl::Span<const double> sizes);
using ShaderSteps = solver::Expr (*)(absl::Span<const int64_t> constants,
                                     absl::Span<const solver::Expr> sizes);

struct Shader {
  std::string_view dialect, op;
  std::string_view source;  // GLSL
  absl::Span<const ShaderConstant> constants;
  absl::Span<const ShaderOperand> operands;
  std::string_view result;
  absl::Span<const std::string_view> sizes;  // dims of operands, each once
  // How many positions along each dim of the result a workgroup computes.
  absl::Span<const ShaderAmount> tile;
  ShaderAmount workgroup;  // invocations at once
  ShaderAmount shared;     // bytes of memory that a workgroup's invocations share
  // In all: elements that are loaded from buffers, multiplications with additions, and elements
  // that are read from shared memory.
  ShaderAmount loads, multiplies, exchanges;
  // How often an invocation goes round loops whose lengths sizes decide, all together.
  ShaderSteps steps;
  // Multiplies by matrices of the device, whose factors are rounded to f16; then multiplications
  // are those.
  bool matrices;
};

inline double FloorDiv(double a, double b) { return std::floor(a / b); }
inline double CeilDiv(double a, double b) { return std::ceil(a / b); }
inline solver::Expr FloorDiv(const solver::Expr& a, const solver::Expr& b) {
  return solver::FloorDiv(a, b);
}
inline solver::Expr CeilDiv(const solver::Expr& a, const solver::Expr& b) {
  return solver::CeilDiv(a, b);
}

}  // namespace tessera::ir

#endif  // TESSERA_CODEGEN_SUPPORT_SHADER_H_
