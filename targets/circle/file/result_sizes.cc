#include "targets/circle/file/result_sizes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera::circle {
namespace {

constexpr int64_t kUnknown = -1;

bool HasUnknown(const FileTensor& tensor) {
  return std::find(tensor.shape.begin(), tensor.shape.end(), kUnknown) != tensor.shape.end();
}

// Those that runtimes reshape and tell the shape of, whatever they are quantized as.
bool IsCopied(TensorType type) {
  return type == ::circle::TensorType_INT32 || type == ::circle::TensorType_INT64 ||
         type == ::circle::TensorType_BOOL || type == ::circle::TensorType_UINT8;
}

FileOperator ShapeOf(int32_t tensor, int32_t shape) {
  FileOperator op;
  op.builtin_code = ::circle::BuiltinOperator_SHAPE;
  op.inputs = {tensor};
  op.outputs = {shape};
  op.options_table = "ShapeOptions";
  op.options = {{"out_type", "INT32"}};
  return op;
}

FileOperator Reshaped(int32_t tensor, int32_t shape, int32_t result) {
  FileOperator op;
  op.builtin_code = ::circle::BuiltinOperator_RESHAPE;
  op.inputs = {tensor, shape};
  op.outputs = {result};
  op.options_table = "ReshapeOptions";
  return op;
}

// All that is computed as `result` is another tensor from here on, of which it is a copy.
void PutBehindCopy(FileGraph& graph, int32_t result) {
  const auto made = static_cast<int32_t>(graph.tensors.size());
  FileTensor from = graph.tensors[static_cast<size_t>(result)];
  from.name += ":made";
  FileTensor shape;
  shape.name = from.name + ":shape";
  shape.type = ::circle::TensorType_INT32;
  shape.shape = {static_cast<int64_t>(from.shape.size())};
  graph.tensors.push_back(std::move(from));
  graph.tensors.push_back(std::move(shape));
  for (FileOperator& op : graph.operators) {
    std::replace(op.inputs.begin(), op.inputs.end(), result, made);
    std::replace(op.outputs.begin(), op.outputs.end(), result, made);
  }
  graph.operators.push_back(ShapeOf(made, made + 1));
  graph.operators.push_back(Reshaped(made, made + 1, result));
}

// Null: none makes it.
const FileOperator* MakerOf(const FileGraph& graph, int32_t tensor) {
  for (const FileOperator& op : graph.operators) {
    if (std::find(op.outputs.begin(), op.outputs.end(), tensor) != op.outputs.end()) return &op;
  }
  return nullptr;
}

// Of which tensor this one is a copy; null: of none.
const FileTensor* CopiedFrom(const FileGraph& graph, int32_t result) {
  const FileOperator* const op = MakerOf(graph, result);
  if (op == nullptr || op->builtin_code != ::circle::BuiltinOperator_RESHAPE ||
      op->inputs.size() != 2 || op->inputs[0] < 0)
    return nullptr;
  const FileOperator* const shape = MakerOf(graph, op->inputs[1]);
  return shape != nullptr && shape->builtin_code == ::circle::BuiltinOperator_SHAPE &&
                 shape->inputs == std::vector<int32_t>{op->inputs[0]}
             ? &graph.tensors[static_cast<size_t>(op->inputs[0])]
             : nullptr;
}

}  // namespace

bool SaysUnknownSize(const FileTensor& tensor) {
  return HasUnknown(tensor) && !tensor.sizes_kept_back;
}

void KeepBackResultSizes(FileModel& model) {
  FileGraph& main = model.main();
  for (const int32_t output : main.outputs) {
    const auto index = static_cast<size_t>(output);
    if (!SaysUnknownSize(main.tensors[index]) || !IsCopied(main.tensors[index].type) ||
        MakerOf(main, output) == nullptr)
      continue;
    PutBehindCopy(main, output);
    main.tensors[index].sizes_kept_back = true;
  }
}

void RestoreResultSizes(FileModel& model) {
  if (model.graphs.empty()) return;
  FileGraph& main = model.main();
  for (const int32_t output : main.outputs) {
    FileTensor& result = main.tensors[static_cast<size_t>(output)];
    if (HasUnknown(result)) continue;
    const FileTensor* const from = CopiedFrom(main, output);
    if (from == nullptr || from->shape.size() != result.shape.size()) continue;
    for (size_t d = 0; d < result.shape.size(); ++d) {
      if (from->shape[d] == kUnknown && result.shape[d] == 1) result.shape[d] = kUnknown;
    }
    result.sizes_kept_back = HasUnknown(result);
  }
}

}  // namespace tessera::circle
