// What the definition of a kernel that is written by hand computes, as stages are compared with it.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_SHADER_PATTERN_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_SHADER_PATTERN_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "codegen/support/shader.h"
#include "nests/nest.h"

namespace tessera::vulkan {

// The statements of a `ref`. Its axes are the dims of its operands: one that is named in several
// statements is one axis.
struct ShaderPattern {
  struct Statement {
    std::string name;          // of what it computes
    std::vector<size_t> axes;  // of that
    nests::Scalar body;        // in single precision, no cast around it
  };

  std::unique_ptr<solver::Context> context;
  std::vector<nests::Expr> extents;  // by axis: those of the result, then those of sums
  size_t result_axes = 0;
  std::vector<Statement> scratch;  // by TensorId::kTemp
  Statement result;
  std::vector<std::vector<size_t>> reads;  // by operand: axes, the same wherever it is read

  size_t AxisOf(const nests::Axis& axis) const;
};

// Null: the `ref` is of another form. What is read is read by plain axes, each reduction is along
// one axis, and the last statement is a reduction.
const ShaderPattern* PatternOf(const ir::Shader& shader);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_SHADER_PATTERN_H_
