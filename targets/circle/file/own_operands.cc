#include "targets/circle/file/own_operands.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "targets/circle/file/calls.h"

namespace tessera::circle {
namespace {

bool RunsGraphs(const FileOperator& op) { return CallOf(op).kind != GraphCall::kNone; }

FileOperator Join() {
  FileOperator op;
  op.builtin_code = ::circle::BuiltinOperator_CONCATENATION;
  op.options_table = "ConcatenationOptions";
  op.options = {{"axis", int64_t{0}}, {"fused_activation_function", "NONE"}};
  return op;
}

FileOperator Plain(int32_t code) {
  FileOperator op;
  op.builtin_code = code;
  return op;
}

// Operators which one after the other yield what they are given, in runtimes that have few.
std::vector<FileOperator> CopyOf(const FileTensor& tensor) {
  switch (tensor.type) {
    case ::circle::TensorType_BOOL:
      return std::vector<FileOperator>(2, Plain(::circle::BuiltinOperator_LOGICAL_NOT));
    case ::circle::TensorType_FLOAT32:
    case ::circle::TensorType_INT32:
    case ::circle::TensorType_INT64:
      if (!tensor.shape.empty()) return {Join()};
      return std::vector<FileOperator>(2, Plain(::circle::BuiltinOperator_NEG));
    default:
      return {};
  }
}

}  // namespace

std::vector<bool> TakenByPlainOperators(const FileGraph& graph) {
  std::vector<bool> taken(graph.tensors.size(), false), results(graph.tensors.size(), false);
  for (const FileOperator& op : graph.operators) {
    const bool plain = !RunsGraphs(op);
    for (const int32_t input : op.inputs) {
      if (plain && input >= 0) taken[static_cast<size_t>(input)] = true;
    }
    for (const int32_t output : op.outputs) {
      if (output >= 0) results[static_cast<size_t>(output)] = true;
    }
  }
  for (size_t i = 0; i < taken.size(); ++i) taken[i] = taken[i] && results[i];
  return taken;
}

bool TakesOneOf(const FileOperator& op, const std::vector<bool>& taken) {
  return RunsGraphs(op) && std::any_of(op.inputs.begin(), op.inputs.end(), [&](int32_t input) {
           return input >= 0 && taken[static_cast<size_t>(input)];
         });
}

void GiveOwnOperands(FileModel& model) {
  for (FileGraph& graph : model.graphs) {
    const std::vector<bool> taken = TakenByPlainOperators(graph);
    std::map<int32_t, int32_t> copies;
    std::vector<FileOperator> operators;
    for (FileOperator& op : graph.operators) {
      if (TakesOneOf(op, taken)) {
        for (int32_t& input : op.inputs) {
          if (input < 0 || !taken[static_cast<size_t>(input)]) continue;
          auto [copy, fresh] = copies.try_emplace(input, input);
          if (fresh) {
            for (FileOperator& step : CopyOf(graph.tensors[static_cast<size_t>(input)])) {
              FileTensor tensor = graph.tensors[static_cast<size_t>(copy->second)];
              tensor.name += ":own";
              step.inputs = {copy->second};
              copy->second = static_cast<int32_t>(graph.tensors.size());
              step.outputs = {copy->second};
              graph.tensors.push_back(std::move(tensor));
              operators.push_back(std::move(step));
            }
          }
          input = copy->second;
        }
      }
      operators.push_back(std::move(op));
    }
    graph.operators = std::move(operators);
  }
}

}  // namespace tessera::circle
