// What only one side of a choice needs: branches, of which one is to be computed.
#ifndef TESSERA_TARGETS_CIRCLE_EMISSION_BRANCHES_H_
#define TESSERA_TARGETS_CIRCLE_EMISSION_BRANCHES_H_

#include <array>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/loops.h"

namespace tessera::circle {

// Choices by one condition, between tensors of one shape each.
struct Branching {
  struct Side {
    std::vector<const ir::Operation*> steps;  // in order; nobody else reads what they compute
    std::vector<const ir::Value*> values;     // by choice: what is chosen
  };
  const ir::Value* condition = nullptr;
  std::vector<const ir::Operation*> choices;
  std::array<Side, 2> sides;               // where the condition holds, and where not
  std::vector<const ir::Value*> captured;  // what both read of others, but constants
};

// Either.
struct BranchingStep {
  const ir::Operation* op = nullptr;
  int branching = -1;
};

struct BranchedSteps {
  std::vector<Branching> branchings;
  std::vector<BranchingStep> steps;  // what is read is computed before
};

// `steps` (those of a graph, a loop or a side; constants among them are left out), of which
// `needed` is read by others. Choices of which a side has a loop of its own, or both have
// kLeastOperators together, become branchings; not those between integers of less than 32 bits,
// which may stand for other numbers inside than outside, nor those with a step that `may_branch`
// (null: all may) is false of.
inline constexpr int kLeastOperators = 3;
using MayBranch = std::function<bool(const ir::Operation&)>;
BranchedSteps FindBranches(const std::vector<const ir::Operation*>& steps,
                           const std::vector<const ir::Value*>& needed, const ir::LoopNest& nest,
                           const MayBranch& may_branch);

// What a step reads; a loop stands as its end.
std::vector<const ir::Value*> ReadBy(const ir::Operation& step, const ir::LoopNest& nest);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_EMISSION_BRANCHES_H_
