#include "targets/circle/lowering/invariants.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

std::string Named(const ir::Operation& op) {
  return absl::StrCat("`", std::string(op.info().name), "` at `", op.location().ToString(), "`");
}

absl::Status CheckTypes(const ir::Graph& graph) {
  const auto check = [](const ir::Value& value, const std::string& where) {
    if (TypeOf(value.type().dtype).has_value()) return absl::OkStatus();
    return absl::UnimplementedError(
        absl::StrCat(where, ": the format has no tensor of element type `",
                     std::string(ir::NameOf(value.type().dtype)), "` that this target writes"));
  };
  for (const ir::Value* input : graph.inputs()) {
    absl::Status status = check(*input, absl::StrCat("input `", input->name(), "`"));
    if (!status.ok()) return status;
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    absl::Status status =
        check(*graph.outputs()[i], absl::StrCat("output `", graph.output_names()[i], "`"));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckCodes(const ir::Graph& graph) {
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (op->info().dialect != kDialect || op->info().code != nullptr) continue;
    return absl::InternalError(absl::StrCat(Named(*op), " has no code in the format"));
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(const ir::Graph& graph) {
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (op->info().role == ir::Role::kSymbolicConstant)
      return absl::InternalError(absl::StrCat(Named(*op), " is computed by no operator"));
  }
  return absl::OkStatus();
}

absl::Status CheckOutputs(const ir::Graph& graph) {
  std::set<const ir::Value*> seen;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const ir::Value* output = graph.outputs()[i];
    const ir::Operation* producer = output->producer();
    if (seen.insert(output).second && producer != nullptr && output->constant() == nullptr &&
        producer->info().role != ir::Role::kSymbolicConstant)
      continue;
    return absl::InternalError(
        absl::StrCat("output `", graph.output_names()[i],
                     "` is an input, a constant or the same tensor as another output"));
  }
  return absl::OkStatus();
}

}  // namespace

const passes::Invariant& TypesOfTheFormat() {
  static const auto* const invariant = new passes::Invariant{
      "circle-types", "inputs and outputs have element types of the format", CheckTypes};
  return *invariant;
}

const passes::Invariant& Coded() {
  static const auto* const invariant =
      new passes::Invariant{"circle-coded", "every operator has a code in the format", CheckCodes};
  return *invariant;
}

const passes::Invariant& SizesComputed() {
  static const auto* const invariant = new passes::Invariant{
      "circle-sizes-computed", "what depends on sizes is computed by operators", CheckSizes};
  return *invariant;
}

const passes::Invariant& OutputsApart() {
  static const auto* const invariant = new passes::Invariant{
      "circle-outputs-apart", "every output is a tensor of its own that an operator yields",
      CheckOutputs};
  return *invariant;
}

}  // namespace tessera::circle
