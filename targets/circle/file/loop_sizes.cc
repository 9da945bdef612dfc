#include "targets/circle/file/loop_sizes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "targets/circle/file/calls.h"
#include "targets/circle/file/join.h"

namespace tessera::circle {
namespace {

constexpr int64_t kUnknown = -1;

bool HasUnknown(const FileTensor& tensor) {
  return std::find(tensor.shape.begin(), tensor.shape.end(), kUnknown) != tensor.shape.end();
}

// Null: none, or no graph of the model.
template <class Model>
auto BodyOf(Model& model, const GraphCall& call) -> decltype(&model.graphs[0]) {
  if (call.kind != GraphCall::kWhile || call.graphs.size() != 2) return nullptr;
  const int64_t body = call.graphs[1];
  return body < 0 || body >= static_cast<int64_t>(model.graphs.size())
             ? nullptr
             : &model.graphs[static_cast<size_t>(body)];
}

void Restore(const FileGraph& around, const FileOperator& loop, FileGraph& body) {
  if (loop.inputs.size() != body.outputs.size() || loop.outputs.size() != body.outputs.size())
    return;
  for (size_t k = 0; k < body.outputs.size(); ++k) {
    FileTensor& result = body.tensors[static_cast<size_t>(body.outputs[k])];
    if (result.is_constant || HasUnknown(result)) continue;
    for (const int32_t index : {loop.inputs[k], loop.outputs[k]}) {
      if (index < 0) continue;
      const FileTensor& outside = around.tensors[static_cast<size_t>(index)];
      if (outside.shape.size() != result.shape.size()) continue;
      for (size_t d = 0; d < result.shape.size(); ++d) {
        if (outside.shape[d] == kUnknown && result.shape[d] == 1) result.shape[d] = kUnknown;
      }
    }
    result.sizes_kept_back = HasUnknown(result);
  }
}

// A tensor of its own that is the same. LiteRT takes the sizes of some results from the file, those
// of SLICE, say; a join finds out its own.
int32_t Copied(FileGraph& graph, int32_t tensor) {
  FileTensor copy = graph.tensors[static_cast<size_t>(tensor)];
  copy.name += ":handed on";
  const auto result = static_cast<int32_t>(graph.tensors.size());
  graph.tensors.push_back(std::move(copy));
  graph.operators.push_back(JoinOfOne(tensor, result));
  return result;
}

}  // namespace

bool SaysUnknownSizes(const FileModel& model, const FileOperator& loop) {
  const FileGraph* const body = BodyOf(model, CallOf(loop));
  return body != nullptr &&
         std::any_of(body->outputs.begin(), body->outputs.end(), [&](int32_t output) {
           const FileTensor& result = body->tensors[static_cast<size_t>(output)];
           return HasUnknown(result) && !result.sizes_kept_back;
         });
}

void KeepBackLoopSizes(FileModel& model) {
  for (const FileGraph& graph : model.graphs) {
    for (const FileOperator& op : graph.operators) {
      FileGraph* const body = BodyOf(model, CallOf(op));
      if (body == nullptr) continue;
      for (int32_t& output : body->outputs) {
        const auto index = static_cast<size_t>(output);
        if (!HasUnknown(body->tensors[index]) || body->tensors[index].sizes_kept_back) continue;
        if (std::find(body->inputs.begin(), body->inputs.end(), output) == body->inputs.end())
          output = Copied(*body, output);
        body->tensors[static_cast<size_t>(output)].sizes_kept_back = true;
      }
    }
  }
}

void RestoreLoopSizes(FileModel& model) {
  // From the outermost inwards: what is around a loop has its sizes by then.
  std::vector<bool> seen(model.graphs.size(), false);
  std::vector<size_t> order = {0};
  seen[0] = true;
  for (size_t next = 0; next < order.size(); ++next) {
    const FileGraph& around = model.graphs[order[next]];
    for (const FileOperator& op : around.operators) {
      const GraphCall call = CallOf(op);
      if (FileGraph* const body = BodyOf(model, call); body != nullptr) Restore(around, op, *body);
      for (const int64_t graph : call.graphs) {
        const auto index = static_cast<size_t>(graph);
        if (graph < 0 || index >= seen.size() || seen[index]) continue;
        seen[index] = true;
        order.push_back(index);
      }
    }
  }
}

}  // namespace tessera::circle
