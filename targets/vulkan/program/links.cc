#include "targets/vulkan/program/links.h"

#include <algorithm>

#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {
namespace {

using nests::Scalar;
using nests::ScalarNode;

bool IsPlain(const Scalar& scalar) {
  return scalar->kind != ScalarNode::kWithin &&
         std::all_of(scalar->at.begin(), scalar->at.end(),
                     [](const nests::Index& index) { return index.data.IsNone(); }) &&
         std::all_of(scalar->args.begin(), scalar->args.end(),
                     [](const Scalar& arg) { return IsPlain(arg); });
}

void AddOnce(size_t stage, std::vector<size_t>& stages) {
  if (stages.empty() || stages.back() != stage) stages.push_back(stage);
}

}  // namespace

bool IsPlain(const Stage& stage) {
  return stage.nests.size() == 1 && !stage.IsRecurrence() && !stage.guarded && stage.ends.empty() &&
         !stage.nests.front().axes.empty() && IsPlain(stage.nests.front().body);
}

Links::Links(const Program& program)
    : program_(program),
      writers_(program.tensors.size()),
      readers_(program.tensors.size()),
      in_memory_(program.tensors.size()) {
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    const Tensor& tensor = program.tensors[t];
    if (tensor.kind != Tensor::kComputed) in_memory_[t] = true;
    if (tensor.kind == Tensor::kView) in_memory_[static_cast<size_t>(tensor.viewed)] = true;
  }
  for (int output : program.outputs) in_memory_[static_cast<size_t>(output)] = true;
  for (size_t s = 0; s < program.stages.size(); ++s) {
    for (const nests::Nest& nest : program.stages[s].nests) {
      AddOnce(s, writers_[static_cast<size_t>(nest.target.index)]);
      EachRead(nest.body, [&](const ScalarNode& read, int) {
        AddOnce(s, readers_[static_cast<size_t>(read.tensor.index)]);
      });
    }
  }
}

void Links::Join(const std::vector<size_t>& from, size_t into) {
  const auto rename = [&](std::vector<size_t>& stages) {
    for (size_t& stage : stages) {
      if (std::find(from.begin(), from.end(), stage) != from.end()) stage = into;
    }
    std::sort(stages.begin(), stages.end());
    stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  };
  for (const nests::Nest& nest : program_.stages[into].nests) {
    const size_t target = static_cast<size_t>(nest.target.index);
    rename(writers_[target]);
    in_memory_[target] = in_memory_[target] || program_.tensors[target].kind != Tensor::kComputed;
    EachRead(nest.body, [&](const ScalarNode& read, int) {
      rename(readers_[static_cast<size_t>(read.tensor.index)]);
    });
  }
}

std::optional<size_t> Links::WriterOf(int tensor) const {
  const std::vector<size_t>& writers = writers_[static_cast<size_t>(tensor)];
  if (in_memory_[static_cast<size_t>(tensor)] || writers.size() != 1) return std::nullopt;
  const Stage& stage = program_.stages[writers.front()];
  if (!IsPlain(stage)) return std::nullopt;
  const nests::Nest& nest = stage.nests.front();
  for (size_t d = 0; d < nest.axes.size(); ++d) {
    if (nest.at[d] != nest.axes[d].symbol) return std::nullopt;
  }
  return writers.front();
}

}  // namespace tessera::vulkan
