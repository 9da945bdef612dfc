// What has no place on the device, and why.
#include <algorithm>
#include <set>
#include <vector>

#include "ir/loops.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {
namespace {

// Whether what moves entries stands next to one of `refused`, with nothing but movement and
// functions of an element between: it stands there because that one does.
bool StandsBeside(const ir::Operation& movement, const std::set<const ir::Operation*>& refused) {
  std::vector<const ir::Operation*> reached = {&movement};
  std::set<const ir::Operation*> seen = {&movement};
  const auto reach = [&](const ir::Operation* op) {
    if (op != nullptr && seen.insert(op).second) reached.push_back(op);
  };
  while (!reached.empty()) {
    const ir::Operation* op = reached.back();
    reached.pop_back();
    if (refused.contains(op)) return true;
    if (!IsMovement(*op) && !IsTable(*op)) continue;
    for (const ir::Value* operand : op->operands()) {
      if (operand != nullptr) reach(operand->producer());
    }
    for (const ir::Value* result : op->results()) {
      for (const ir::Use& use : result->UsesUnsorted()) reach(use.op);
    }
  }
  return false;
}

}  // namespace

bool IsMovement(const ir::Operation& op) {
  const Step kind = StepOf(op);
  return op.info().role == ir::Role::kTranspose || op.info().role == ir::Role::kReshape ||
         kind == Step::kJoin || kind == Step::kPart || kind == Step::kPicked;
}

absl::Status Translation::Refusals() const {
  int last_device = -1;
  for (const auto& [value, level] : level_of_) {
    if (IsDeviceLevel(level)) last_device = std::max(last_device, level);
  }
  std::vector<const Left*> named;
  std::set<const ir::Operation*> refused;
  for (const Left& left : left_) {
    const bool between = left.level > 0 && left.level < last_device;
    const bool loop = ir::IsLoopOp(*left.op);
    const bool at_end = (IsMovement(*left.op) || StepOf(*left.op) == Step::kRounded) && !between;
    if (!loop && (options_.host_fallback || at_end)) continue;
    named.push_back(&left);
    if (!IsMovement(*left.op)) refused.insert(left.op);
  }
  std::vector<passes::Refusal> refusals;
  for (const Left* left : named) {
    if (IsMovement(*left->op) && StandsBeside(*left->op, refused)) continue;
    refusals.push_back({std::string(left->op->info().name), left->op->location().ToString(),
                        left->reason.empty() ? "it stands between layers" : left->reason});
  }
  return passes::ErrorOf(refusals, device_.name);
}

}  // namespace tessera::npu
