#include "targets/npu/legalization/invariants.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "layout/permutation.h"
#include "targets/npu/legalization/layers.h"

namespace tessera::npu {
namespace {

// An invariant of each operation by itself.
const passes::Invariant* Make(std::string name, std::string doc, std::string_view against,
                              bool (*is_against)(const ir::Operation&)) {
  const auto check = [against, is_against](const ir::Graph& graph) {
    for (const ir::Operation* op : graph.TopologicalOrder()) {
      if (!is_against(*op)) continue;
      return absl::InternalError(absl::StrCat("`", std::string(op->info().name), "` at `",
                                              op->location().ToString(), "` ",
                                              std::string(against)));
    }
    return absl::OkStatus();
  };
  return new passes::Invariant{std::move(name), std::move(doc), check};
}

bool IsTranspose(const ir::Operation* op) {
  return op != nullptr && op->info().role == ir::Role::kTranspose;
}

bool MovesNothing(const ir::Operation& op) {
  if (!IsTranspose(&op)) return false;
  const auto order = layout::PermutationOf(&op);
  return IsTranspose(op.operand(0)->producer()) ||
         (order.has_value() && layout::KeepsOrder(*order, op.operand(0)->type().dims));
}

bool IsPicked(const ir::Operation* op) {
  return op != nullptr && StepOf(*op) == Step::kPicked && op->operand(1)->constant() != nullptr;
}

bool ChoosesNothing(const ir::Operation& op) {
  if (!IsPicked(&op)) return false;
  const auto last = op.operand(0)->type().dims.back().Constant();
  if (!last.has_value()) return false;
  const ir::Tensor& entries = *op.operand(1)->constant();
  bool all = entries.size() == *last;
  for (int64_t i = 0; all && i < entries.size(); ++i)
    all = (static_cast<int64_t>(entries.AsDouble(i)) + *last) % *last == i;
  return all || IsPicked(op.operand(0)->producer());
}

bool IsOnlyCut(const ir::Operation& op) {
  if (!IsTable(op) || op.result()->is_graph_output()) return false;
  const auto uses = op.result()->UsesUnsorted();
  return !uses.empty() && std::all_of(uses.begin(), uses.end(), [](const ir::Use& use) {
    return StepOf(*use.op) == Step::kPart;
  });
}

}  // namespace

const passes::Invariant& StepsOfAnySize() {
  static const passes::Invariant* const invariant =
      Make("npu-steps-of-any-size", "no operation is a layer of the device yet",
           "is a layer of the device, not a step of any size", [](const ir::Operation& op) {
             const Step step = StepOf(op);
             return step != Step::kNone && step <= Step::kDeinterleave;
           });
  return *invariant;
}

const passes::Invariant& TransposesMove() {
  static const passes::Invariant* const invariant =
      Make("npu-transposes-move", "every transposition changes the order in memory, and reads none",
           "changes no order, or that of another one", MovesNothing);
  return *invariant;
}

const passes::Invariant& ChoicesChoose() {
  static const passes::Invariant* const invariant =
      Make("npu-choices-choose", "every choice of entries leaves some out, or their order, once",
           "takes all entries in their order, or some of another choice", ChoosesNothing);
  return *invariant;
}

const passes::Invariant& CutsBeforeTables() {
  static const passes::Invariant* const invariant =
      Make("npu-cuts-before-tables", "no function's result is cut everywhere it is read",
           "computes elements that are cut off wherever it is read", IsOnlyCut);
  return *invariant;
}

}  // namespace tessera::npu
