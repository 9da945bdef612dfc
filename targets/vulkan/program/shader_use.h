// A kernel that is written by hand in the place of one that is printed from a stage.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_SHADER_USE_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_SHADER_USE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/support/shader.h"
#include "nests/nest.h"

namespace tessera::vulkan {

// What the `ref` of a shader's definition is in a stage: its axes are made of the stage's, the
// elements of its operands are scalars of the stage, and so is its result, around which the stage
// may compute more.
struct ShaderUse {
  const ir::Shader* shader = nullptr;
  std::vector<int64_t> constants;  // a value for each that the shader has

  // Of the definition: those of the result, then those of the reduction.
  struct Axis {
    nests::Axis flat;  // of as many positions
    std::vector<nests::Axis>
        of;  // the stage's, from the slowest to the fastest; none: one position
  };
  std::vector<Axis> axes;
  size_t result_axes = 0;
  std::vector<nests::Axis> single;  // axes of the stage of one position that are none of these

  struct Operand {
    nests::Scalar element;
    std::vector<size_t> axes;  // by which it is read, in order
  };
  std::vector<Operand> operands;
  nests::Scalar result;

  // What a stage that is a statement before the last makes of the sum that the shader takes: a
  // function of the shader's, for those that it asks for.
  struct Made {
    std::string function;
    std::vector<size_t> axes;  // of the definition, in order
    nests::Scalar body, sum;
  };
  std::vector<Made> made;
  bool imitates_matrices = false;  // products of matrices are computed by ordinary arithmetic
  std::vector<size_t> stages;      // that are those statements, in their order; until it is used
  std::vector<nests::Expr> sizes;  // by Shader::sizes
};

// How a shader calls it, by the statement's name in the definition.
inline std::string MadeFunction(const std::string& name) { return "Made_" + name; }

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_SHADER_USE_H_
