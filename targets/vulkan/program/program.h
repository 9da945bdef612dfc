// What is to be computed, between a graph and the commands of a device: tensors, and stages that
// write them one after the other. A stage is a nest, or a recurrence of several; nests name tensors
// of the program. That a stage came from some op leaves no trace but its name.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_PROGRAM_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/dtype.h"
#include "ir/tensor.h"
#include "nests/nest.h"
#include "targets/vulkan/program/shader_use.h"

namespace tessera::vulkan {

using nests::Expr;

struct Tensor {
  enum Kind {
    kInput,
    kConstant,  // `constant`
    kSizes,     // integers that follow from the sizes of the inputs: `elements`, row-major
    kComputed,
    kView,    // the elements of tensor `viewed`, in their order
    kWithin,  // in no memory: between the nests of one kernel
  } kind = kComputed;
  std::string name;
  ir::DType dtype = ir::DType::kF32;
  std::vector<Expr> dims;
  std::optional<ir::Tensor> constant;
  std::vector<Expr> elements;
  int viewed = -1;
};

// The tensor `index` of a program, in its nests.
inline nests::TensorId InProgram(int index) { return {nests::TensorId::kOperand, index}; }

// How many elements one invocation computes along the first axis that pays, the second, the third.
struct Tiling {
  int64_t lengths[3] = {8, 4, 2};
  friend bool operator==(const Tiling&, const Tiling&) = default;
};

struct Stage {
  // One nest without an order, or nests that advance together along one axis; or the statements of
  // a shader, or reductions along rows and what is computed from them, the last of which writes
  // what is in memory.
  std::vector<nests::Nest> nests;
  std::string name;      // the operations that it computes
  std::string location;  // of the last of them
  // Some access is not proved to be inside: all of them are looked at.
  bool guarded = false;
  // Points of the nest for which the first is not less than the second are none of its target's:
  // nothing is written there.
  std::vector<std::pair<Expr, Expr>> ends;
  Tiling tiling;
  // A kernel that is written by hand, in the place of one that is printed.
  std::optional<ShaderUse> shader;

  // A workgroup of so many invocations computes a row: all nests but the last have the rows for
  // axes, in the order in which `axes` names those of the last nest. The first nests may be of
  // elements that the workgroup keeps (row_memory.h); they have the row's axes behind those.
  struct Rows {
    std::vector<size_t> axes;
    int64_t workgroup = 1;
    std::vector<Tensor> kept = {};  // which these nests write
    int first_kept = 0;             // tensor of the program; the others follow
    bool Keeps(int tensor) const {
      return tensor >= first_kept && tensor < first_kept + static_cast<int>(kept.size());
    }
  };
  std::optional<Rows> rows;

  // Of several nests for one kernel: there is no other way.
  bool IsSettled() const { return (shader.has_value() || rows.has_value()) && nests.size() > 1; }
  // A tile is a workgroup's, not an invocation's.
  bool IsByWorkgroups() const { return shader.has_value() || rows.has_value(); }
  bool IsRecurrence() const { return nests.front().order.along >= 0; }
};

struct Program {
  std::vector<Tensor> tensors;
  std::vector<Stage> stages;
  std::vector<int> inputs, outputs;  // tensors; inputs are kInput, outputs lie in the arena
  std::vector<std::string> output_names;
  bool half = false;  // what lies between stages is stored in f16 where it can be

  // The tensor whose memory this one is.
  int StorageOf(int tensor) const {
    while (tensors[static_cast<size_t>(tensor)].kind == Tensor::kView)
      tensor = tensors[static_cast<size_t>(tensor)].viewed;
    return tensor;
  }
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_PROGRAM_H_
