#include "targets/vulkan/program/relayout.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {
namespace {

using nests::Index;
using nests::Nest;
using nests::Scalar;
using nests::ScalarNode;

template <class T>
void MoveLast(std::vector<T>& list, size_t place) {
  const auto from = list.begin() + static_cast<int64_t>(place);
  std::rotate(from, from + 1, list.end());
}

// What reduces nothing goes through its points in the order of what it writes.
void OrderAxes(Nest& nest) {
  std::vector<nests::Axis> ordered;
  for (const Expr& at : nest.at) {
    const auto axis = std::find_if(nest.axes.begin(), nest.axes.end(),
                                   [&](const nests::Axis& own) { return own.symbol == at; });
    if (axis == nest.axes.end()) return;
    ordered.push_back(*axis);
  }
  if (ordered.size() == nest.axes.size()) nest.axes = std::move(ordered);
}

}  // namespace

std::vector<bool> MovableTensors(const Program& program) {
  std::vector<bool> movable;
  for (const Tensor& tensor : program.tensors) movable.push_back(tensor.kind == Tensor::kComputed);
  for (const Tensor& tensor : program.tensors) {
    if (tensor.kind == Tensor::kView) movable[static_cast<size_t>(tensor.viewed)] = false;
  }
  for (int output : program.outputs) movable[static_cast<size_t>(output)] = false;
  return movable;
}

void MoveAxesLast(Program& program, const std::map<int, size_t>& axis_by_tensor) {
  if (axis_by_tensor.empty()) return;
  for (const auto& [index, axis] : axis_by_tensor) {
    Tensor& tensor = program.tensors[static_cast<size_t>(index)];
    MoveLast(tensor.dims, axis);
    absl::StrAppend(&tensor.name, " (axis ", axis, " last)");
  }
  Rewrite rewrite;
  rewrite.read = [&](const ScalarNode& read, std::vector<Index> at, Scalar otherwise) {
    const auto moved = axis_by_tensor.find(read.tensor.index);
    if (moved != axis_by_tensor.end()) MoveLast(at, moved->second);
    return Scalar::Read(read.tensor, read.number, std::move(at), std::move(otherwise));
  };
  for (Stage& stage : program.stages) {
    for (Nest& nest : stage.nests) {
      nest.body = Rewritten(nest.body, rewrite);
      const auto moved = axis_by_tensor.find(nest.target.index);
      if (moved == axis_by_tensor.end()) continue;
      MoveLast(nest.at, moved->second);
      if (stage.nests.size() == 1 && !stage.IsRecurrence() && !Reduces(nest.body)) OrderAxes(nest);
    }
  }
}

}  // namespace tessera::vulkan
