#include "targets/reference/executor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/registry.h"
#include "solver/expr.h"
#include "targets/reference/bind_symbols.h"
#include "targets/reference/run_op.h"

namespace tessera::reference {
namespace {

using solver::Assignment;
using solver::Expr;

std::string Place(const ir::Operation& op) {
  return absl::StrCat("`", std::string(op.info().name), "` at `", op.location().ToString(), "`");
}

absl::Status At(const ir::Operation& op, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("at `", op.location().ToString(), "`: ", status.message()));
}

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

using Values = std::vector<std::optional<ir::Tensor>>;  // by id

absl::StatusOr<std::vector<ir::Tensor>> Results(const ir::Operation& op, const Values& values,
                                                const Assignment& assignment, int64_t max_bytes) {
  if (op.payload() != nullptr) return std::vector<ir::Tensor>{*op.payload()};
  if (&op.info() == &ir::SymbolicConstantInfo()) {
    absl::StatusOr<ir::Tensor> constant = SymbolicConstant(op, assignment);
    if (!constant.ok()) return constant.status();
    return std::vector<ir::Tensor>{*std::move(constant)};
  }
  std::vector<const ir::Tensor*> operands;
  for (const ir::Value* operand : op.operands()) {
    operands.push_back(operand == nullptr ? nullptr : &*values[operand->id()]);
  }
  const absl::StatusOr<std::vector<ir::Attribute>> attrs = Evaluated(op.attrs(), assignment);
  if (!attrs.ok()) return attrs.status();
  return RunOp(op.info(), operands, *attrs, max_bytes);
}

// Internal where the tensor is not what the value's type evaluates to: shape inference said
// something else for numbers than for symbols.
absl::Status CheckType(const ir::Value& value, const ir::Tensor& tensor,
                       const Assignment& assignment) {
  const absl::StatusOr<std::vector<Expr>> dims = Evaluated(value.type().dims, assignment);
  if (!dims.ok()) return dims.status();
  bool same = tensor.dtype() == value.type().dtype && tensor.rank() == value.type().rank();
  for (size_t d = 0; same && d < dims->size(); ++d)
    same = *(*dims)[d].Constant() == tensor.shape()[d];
  if (same) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(Place(*value.producer()), ": result `", value.name(),
                                          "` is `", std::string(ir::NameOf(tensor.dtype())), "[",
                                          absl::StrJoin(tensor.shape(), ","), "]`, its type is `",
                                          value.type().ToString(), "`"));
}

}  // namespace

absl::StatusOr<Executor> Executor::Create(const ir::Graph& graph) {
  Executor executor(graph);
  std::vector<int> last_step;  // by value id, of the last user; -1: none
  const auto use = [&](const ir::Value* value, int step) {
    if (value == nullptr) return;
    if (value->id() >= static_cast<int>(last_step.size())) last_step.resize(value->id() + 1, -1);
    last_step[value->id()] = step;
  };
  for (const ir::Value* input : graph.inputs()) use(input, -1);
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    const bool builtin =
        &op->info() == &ir::ConstantInfo() || &op->info() == &ir::SymbolicConstantInfo();
    if (!builtin && op->info().kernel == nullptr)
      return absl::InternalError(absl::StrCat(Place(*op), ": no kernel"));
    const int step = static_cast<int>(executor.steps_.size());
    for (const ir::Value* operand : op->operands()) use(operand, step);
    for (const ir::Value* result : op->results()) use(result, step);  // unused results go at once
    executor.steps_.push_back({op, {}});
  }
  executor.value_ids_ = static_cast<int>(last_step.size());
  for (const ir::Value* output : graph.outputs()) last_step[output->id()] = -1;
  for (size_t id = 0; id < last_step.size(); ++id) {
    if (last_step[id] >= 0) executor.steps_[last_step[id]].released.push_back(static_cast<int>(id));
  }
  return executor;
}

absl::StatusOr<std::vector<ir::Tensor>> Executor::Run(absl::Span<const ir::Tensor> inputs) const {
  const absl::StatusOr<Assignment> assignment = BindSymbols(*graph_, inputs);
  if (!assignment.ok()) return assignment.status();
  if (absl::Status status = CheckObligations(*graph_, *assignment); !status.ok()) return status;

  int64_t live_bytes = 0;
  Values values(value_ids_);
  const auto keep = [&](const ir::Value& value, ir::Tensor tensor) {
    live_bytes += static_cast<int64_t>(tensor.bytes().size());
    values[value.id()] = std::move(tensor);
  };
  for (size_t i = 0; i < inputs.size(); ++i) keep(*graph_->inputs()[i], inputs[i]);
  for (const Step& step : steps_) {
    const ir::Operation& op = *step.op;
    absl::StatusOr<std::vector<ir::Tensor>> results =
        Results(op, values, *assignment, kMaxLiveBytes - live_bytes);
    if (!results.ok()) return At(op, results.status());
    if (results->size() != op.results().size()) {
      return absl::InternalError(
          absl::StrCat(Place(op), ": ", results->size(), " results of ", op.results().size()));
    }
    for (size_t i = 0; i < results->size(); ++i) {
      absl::Status status = CheckType(*op.result(i), (*results)[i], *assignment);
      if (!status.ok()) return status;
      keep(*op.result(i), std::move((*results)[i]));
    }
    for (const int id : step.released) {
      live_bytes -= static_cast<int64_t>(values[id]->bytes().size());
      values[id].reset();
    }
  }
  std::vector<ir::Tensor> outputs;
  for (const ir::Value* output : graph_->outputs()) outputs.push_back(*values[output->id()]);
  return outputs;
}

}  // namespace tessera::reference
