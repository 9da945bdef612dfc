// Where the tensors of a program lie, as expressions of its sizes.
#ifndef TESSERA_TARGETS_VULKAN_ARTIFACT_MEMORY_PLAN_H_
#define TESSERA_TARGETS_VULKAN_ARTIFACT_MEMORY_PLAN_H_

#include <set>
#include <string>
#include <vector>

#include "solver/expr.h"
#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

struct MemoryPlan {
  // In bytes, by tensor; of those of the arena, 0 for others. Tensors that hold data at one time
  // do not overlap, whatever the sizes: of any two of them one is below the other, and begins no
  // higher than where that ends.
  std::vector<Expr> offsets;
  Expr bytes = 0;
  // At the sizes that the plan was made for: bytes, and the most that is live at one time.
  int64_t planned_bytes = 0, lower_bound = 0;
  solver::Assignment planned_for;
};

// About `size` wherever a symbol may be that, or as near as its facts allow.
solver::Assignment SizesNear(const solver::Context& context, const std::set<std::string>& symbols,
                             int64_t size);

Expr BytesOf(const Tensor& tensor);
// Rounded up to what is bound: multiples of 256 bytes.
Expr AlignedBytes(const Expr& bytes);

MemoryPlan PlanArena(const Program& program, const solver::Context& context);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_ARTIFACT_MEMORY_PLAN_H_
