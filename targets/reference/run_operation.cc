#include "targets/reference/run_operation.h"

#include <utility>
#include <variant>

#include "ir/registry.h"

namespace tessera::reference {
namespace {

using solver::Assignment;
using solver::Expr;

absl::StatusOr<Expr> Evaluated(const Expr& e, const Assignment& assignment) {
  const absl::StatusOr<int64_t> value = solver::Evaluate(e, assignment);
  if (!value.ok()) return value.status();
  return Expr(*value);
}

absl::StatusOr<std::vector<Expr>> Evaluated(const std::vector<Expr>& list,
                                            const Assignment& assignment) {
  std::vector<Expr> values;
  values.reserve(list.size());
  for (const Expr& e : list) {
    const absl::StatusOr<Expr> value = Evaluated(e, assignment);
    if (!value.ok()) return value.status();
    values.push_back(*value);
  }
  return values;
}

absl::StatusOr<std::vector<ir::Attribute>> Evaluated(absl::Span<const ir::Attribute> attrs,
                                                     const Assignment& assignment) {
  std::vector<ir::Attribute> concrete(attrs.begin(), attrs.end());
  for (ir::Attribute& attr : concrete) {
    if (const Expr* e = std::get_if<Expr>(&attr)) {
      const absl::StatusOr<Expr> value = Evaluated(*e, assignment);
      if (!value.ok()) return value.status();
      attr = *value;
    } else if (const auto* list = std::get_if<std::vector<Expr>>(&attr)) {
      absl::StatusOr<std::vector<Expr>> values = Evaluated(*list, assignment);
      if (!values.ok()) return values.status();
      attr = *std::move(values);
    }
  }
  return concrete;
}

absl::StatusOr<ir::Tensor> SymbolicConstant(const ir::Operation& op, const Assignment& assignment) {
  const absl::StatusOr<std::vector<ir::Attribute>> attrs = Evaluated(op.attrs(), assignment);
  if (!attrs.ok()) return attrs.status();
  std::vector<int64_t> values;
  for (const Expr& e : std::get<std::vector<Expr>>((*attrs)[2])) values.push_back(*e.Constant());
  const ir::DType dtype = std::get<ir::DType>((*attrs)[0]);
  const ir::Tensor wide =
      ir::Tensor::Of<int64_t>(ir::DType::kI64, std::get<std::vector<int64_t>>((*attrs)[1]), values);
  return dtype == ir::DType::kI64 ? wide : wide.CastTo(dtype);
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> DimsOf(const ir::TensorType& type,
                                            const Assignment& assignment) {
  std::vector<int64_t> dims;
  for (const Expr& dim : type.dims) {
    const absl::StatusOr<int64_t> value = solver::Evaluate(dim, assignment);
    if (!value.ok()) return value.status();
    dims.push_back(*value);
  }
  return dims;
}

absl::StatusOr<std::vector<ir::Tensor>> RunOperation(const ir::Operation& op,
                                                     absl::Span<const ir::Tensor* const> operands,
                                                     const Assignment& assignment,
                                                     int64_t max_bytes) {
  if (op.payload() != nullptr) return std::vector<ir::Tensor>{*op.payload()};
  if (&op.info() == &ir::SymbolicConstantInfo()) {
    absl::StatusOr<ir::Tensor> constant = SymbolicConstant(op, assignment);
    if (!constant.ok()) return constant.status();
    return std::vector<ir::Tensor>{*std::move(constant)};
  }
  const absl::StatusOr<std::vector<ir::Attribute>> attrs = Evaluated(op.attrs(), assignment);
  if (!attrs.ok()) return attrs.status();
  return RunOp(op.info(), operands, *attrs, max_bytes);
}

}  // namespace tessera::reference
