#include "targets/circle/executor.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/size_limit.h"
#include "targets/reference/run_op.h"

namespace tessera::circle {
namespace {

absl::Status At(const std::string& place, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(place, status.message()));
}

std::string Text(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ","), "]");
}

}  // namespace

absl::StatusOr<Executor> Executor::Create(absl::Span<const uint8_t> bytes,
                                          std::shared_ptr<const void> owner) {
  absl::StatusOr<FileModel> model = ReadCircle(bytes, std::move(owner));
  if (!model.ok()) return model.status();
  Executor executor;
  executor.model_ = *std::move(model);
  if (absl::Status status = executor.Prepare(); !status.ok()) return status;
  return executor;
}

absl::StatusOr<Executor> Executor::FromFile(const std::string& path) {
  absl::StatusOr<FileModel> model = ReadCircleFile(path);
  if (!model.ok()) return model.status();
  Executor executor;
  executor.model_ = *std::move(model);
  if (absl::Status status = executor.Prepare(); !status.ok()) return At(path + ": ", status);
  return executor;
}

absl::Status Executor::CheckType(const FileGraph& graph, int32_t index, const ir::Tensor& tensor) {
  const FileTensor& declared = graph.tensors[static_cast<size_t>(index)];
  bool fits =
      DTypeOf(declared.type) == tensor.dtype() && declared.shape.size() == tensor.shape().size();
  for (size_t d = 0; fits && d < declared.shape.size(); ++d) {
    fits = declared.shape[d] < 0 || declared.shape[d] == tensor.shape()[d];
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(TensorPlace(graph, index), " is ", std::string(ir::NameOf(tensor.dtype())),
                   Text(tensor.shape()), ", declared is ",
                   ::circle::EnumNameTensorType(declared.type), Text(declared.shape)));
}

absl::StatusOr<Executor::Tensors> Executor::Run(absl::Span<const ir::Tensor> inputs,
                                                int64_t most_steps) const {
  const FileGraph& graph = model_.main();
  if (inputs.size() != graph.inputs.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(inputs.size(), " inputs, the file has ", graph.inputs.size()));
  }
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (absl::Status status = CheckType(graph, graph.inputs[i], inputs[i]); !status.ok())
      return status;
    shapes.push_back(inputs[i].shape());
  }
  solver::Assignment sizes;
  if (facts_.has_value()) {
    absl::StatusOr<solver::Assignment> bound = facts_->Bind(shapes);
    if (!bound.ok()) return bound.status();
    sizes = *std::move(bound);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].size() > kMostElements)
        return absl::InvalidArgumentError(
            absl::StrCat(TensorPlace(graph, graph.inputs[i]), " has ", inputs[i].size(),
                         " elements; sizes of this file are computed for up to ", kMostElements));
    }
  }
  for (const auto& [index, symbol] : counted_) {
    const std::optional<ir::Tensor>& constant = programs_[0].constants[static_cast<size_t>(index)];
    if (!constant.has_value()) continue;
    if (absl::Status status = Count(index, *constant, sizes); !status.ok()) return status;
  }
  int64_t left = most_steps;
  return RunGraph(0, {inputs.begin(), inputs.end()}, left, &sizes);
}

absl::Status Executor::Count(int32_t index, const ir::Tensor& tensor,
                             solver::Assignment& sizes) const {
  const auto [first, last] = counted_.equal_range(index);
  for (auto it = first; it != last; ++it) {
    const std::string place = TensorPlace(model_.main(), index);
    if (ir::IsFloat(tensor.dtype()) || tensor.size() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(place, " is not one integer, and data decide `", it->second, "` there"));
    }
    if (absl::Status status = facts_->Count(it->second, tensor.AsInt(0), sizes); !status.ok())
      return At(place + ": ", status);
  }
  return absl::OkStatus();
}

absl::StatusOr<Executor::Tensors> Executor::RunGraph(size_t index, Tensors inputs, int64_t& left,
                                                     solver::Assignment* sizes) const {
  const FileGraph& graph = model_.graphs[index];
  const Program& program = programs_[index];
  std::vector<std::optional<ir::Tensor>> tensors(graph.tensors.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (absl::Status status = CheckType(graph, graph.inputs[i], inputs[i]); !status.ok())
      return At(GraphPlace(model_, index), status);
    if (sizes != nullptr) {
      if (absl::Status status = Count(graph.inputs[i], inputs[i], *sizes); !status.ok())
        return status;
    }
    tensors[static_cast<size_t>(graph.inputs[i])] = std::move(inputs[i]);
  }
  inputs.clear();
  const auto tensor = [&](int32_t t) {
    const size_t i = static_cast<size_t>(t);
    return program.constants[i].has_value() ? &*program.constants[i]
           : tensors[i].has_value()         ? &*tensors[i]
                                            : nullptr;
  };
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const FileOperator& op = graph.operators[i];
    const auto place = [&] {
      return absl::StrCat(GraphPlace(model_, index), OperatorPlace(graph, static_cast<int64_t>(i)),
                          ": ");
    };
    if (--left < 0)
      return absl::ResourceExhaustedError(absl::StrCat(place(), "too many operators have run"));
    std::vector<const ir::Tensor*> operands;
    for (int32_t input : op.inputs) operands.push_back(input < 0 ? nullptr : tensor(input));
    absl::StatusOr<Tensors> results = RunStep(program.steps[i], operands, left);
    // Graphs that it runs have said where.
    if (!results.ok())
      return program.steps[i].info == nullptr ? results.status() : At(place(), results.status());
    if (results->size() != op.outputs.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          place(), op.outputs.size(), " results, its definition has ", results->size()));
    }
    for (size_t r = 0; r < results->size(); ++r) {
      if (absl::Status status = CheckType(graph, op.outputs[r], (*results)[r]); !status.ok())
        return absl::InvalidArgumentError(absl::StrCat(place(), status.message()));
      if (sizes != nullptr) {
        if (absl::Status status = Count(op.outputs[r], (*results)[r], *sizes); !status.ok())
          return status;
      }
      tensors[static_cast<size_t>(op.outputs[r])] = std::move((*results)[r]);
    }
    for (int32_t released : program.steps[i].released)
      tensors[static_cast<size_t>(released)].reset();
  }
  Tensors outputs;
  for (int32_t output : graph.outputs) {
    const ir::Tensor* result = tensor(output);
    if (result == nullptr)
      return absl::InternalError(absl::StrCat(TensorPlace(graph, output), " is never computed"));
    outputs.push_back(*result);
  }
  return outputs;
}

absl::StatusOr<Executor::Tensors> Executor::RunStep(const Step& step,
                                                    const std::vector<const ir::Tensor*>& operands,
                                                    int64_t& left) const {
  if (step.info != nullptr) {
    std::vector<const ir::Tensor*> all = operands;
    for (size_t i = 0; i < step.parameters.size(); ++i) {
      if (!step.parameters[i].has_value()) continue;
      all.resize(std::max(all.size(), i + 1), nullptr);
      all[i] = &*step.parameters[i];
    }
    return reference::RunOp(*step.info, all, step.attrs);
  }
  Tensors values;
  for (const ir::Tensor* operand : operands) values.push_back(*operand);
  const auto graph = [&](size_t i) { return static_cast<size_t>(step.call.graphs[i]); };
  if (step.call.kind == GraphCall::kIf) {
    const bool holds = values.front().AsInt(0) != 0;
    values.erase(values.begin());
    return RunGraph(graph(holds ? 0 : 1), std::move(values), left);
  }
  for (;;) {
    const absl::StatusOr<Tensors> goes_on = RunGraph(graph(0), values, left);
    if (!goes_on.ok()) return goes_on.status();
    if (goes_on->front().AsInt(0) == 0) return values;
    if (--left < 0) return absl::ResourceExhaustedError("too many operators have run");
    absl::StatusOr<Tensors> next = RunGraph(graph(1), std::move(values), left);
    if (!next.ok()) return next.status();
    values = *std::move(next);
  }
}

}  // namespace tessera::circle
