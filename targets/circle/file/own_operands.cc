#include "targets/circle/file/own_operands.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "targets/circle/file/calls.h"
#include "targets/circle/file/join.h"

namespace tessera::circle {
namespace {

bool RunsGraphs(const FileOperator& op) { return CallOf(op).kind != GraphCall::kNone; }

// Its own inverse.
FileOperator Inverted(int32_t code, int32_t tensor, int32_t result) {
  FileOperator op;
  op.builtin_code = code;
  op.inputs = {tensor};
  op.outputs = {result};
  return op;
}

// Another tensor of the same, which `operators` come to make; nullopt: none that every runtime has
// makes it.
std::optional<int32_t> Copied(FileGraph& graph, int32_t tensor,
                              std::vector<FileOperator>& operators) {
  const auto like = [&graph](int32_t other) {
    FileTensor copy = graph.tensors[static_cast<size_t>(other)];
    copy.name += ":own";
    graph.tensors.push_back(std::move(copy));
    return static_cast<int32_t>(graph.tensors.size() - 1);
  };
  const auto twice = [&](int32_t code) {
    const int32_t once = like(tensor);
    operators.push_back(Inverted(code, tensor, once));
    operators.push_back(Inverted(code, once, like(once)));
    return operators.back().outputs[0];
  };
  const FileTensor& from = graph.tensors[static_cast<size_t>(tensor)];
  switch (from.type) {
    case ::circle::TensorType_BOOL:
      return twice(::circle::BuiltinOperator_LOGICAL_NOT);
    case ::circle::TensorType_FLOAT32:
    case ::circle::TensorType_INT32:
    case ::circle::TensorType_INT64:
      if (from.shape.empty()) return twice(::circle::BuiltinOperator_NEG);
      operators.push_back(JoinOfOne(tensor, like(tensor)));
      return operators.back().outputs[0];
    default:
      return std::nullopt;
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
    const auto own = [&](int32_t input) {
      const auto [copy, fresh] = copies.try_emplace(input, input);
      if (fresh) copy->second = Copied(graph, input, operators).value_or(input);
      return copy->second;
    };
    for (FileOperator& op : graph.operators) {
      for (int32_t& input : op.inputs) {
        if (RunsGraphs(op) && input >= 0 && taken[static_cast<size_t>(input)]) input = own(input);
      }
      operators.push_back(std::move(op));
    }
    graph.operators = std::move(operators);
  }
}

}  // namespace tessera::circle
