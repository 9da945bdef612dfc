#include "nests/moved_computation.h"

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/op_info.h"
#include "nests/library.h"
#include "solver/copy.h"

namespace tessera::nests {

std::optional<Computation> MovedComputation(const ir::Operation& operation,
                                            solver::Context& context) {
  const ir::OpInfo& info = operation.info();
  const Definition* const definition = Library::Global().Find(info.dialect, info.name);
  if (definition == nullptr) return std::nullopt;
  const auto moved = [&](absl::Span<const Expr> list) {
    std::vector<Expr> result;
    for (const Expr& e : list) result.push_back(solver::Transfer(context, e));
    return result;
  };
  std::vector<std::vector<Expr>> dims;
  for (const ir::Value* operand : operation.operands())
    dims.push_back(operand == nullptr ? std::vector<Expr>() : moved(operand->type().dims));
  std::vector<ir::OperandInfo<Expr>> operands(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    if (operation.operand(i) == nullptr) continue;
    operands[i].present = true;
    operands[i].dtype = operation.operand(i)->type().dtype;
    operands[i].dims = dims[i];
  }
  std::vector<ir::Attribute> attrs(operation.attrs().begin(), operation.attrs().end());
  for (ir::Attribute& attr : attrs) {
    if (auto* list = std::get_if<std::vector<Expr>>(&attr)) *list = moved(*list);
    if (auto* dim = std::get_if<Expr>(&attr)) *dim = solver::Transfer(context, *dim);
  }
  absl::StatusOr<Computation> computation = ComputationOf(*definition, {operands, attrs}, context);
  if (!computation.ok()) return std::nullopt;
  return *std::move(computation);
}

}  // namespace tessera::nests
