#include "targets/vulkan/artifact/in_place.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "targets/vulkan/artifact/accesses.h"
#include "targets/vulkan/kernels/tiles.h"

namespace tessera::vulkan {
namespace {

constexpr int64_t kAlways = std::numeric_limits<int64_t>::max();

// Axes of the nest, each once, and all of them.
bool IsEachAxisOnce(const nests::Nest& nest) {
  std::set<std::string> axes, used;
  for (const nests::Axis& axis : nest.axes) axes.insert(axis.symbol.ToString());
  for (const Expr& at : nest.at) {
    if (at.IsConstant()) continue;
    const std::string name = at.ToString();
    if (axes.count(name) == 0 || !used.insert(name).second) return false;
  }
  return used.size() == axes.size();
}

// Along an axis of known length the last tile ends where the axis does.
bool TilesOverlap(const Stage& stage) {
  const std::vector<int64_t> tiles = TilesOf(stage);
  for (size_t i = 0; i < tiles.size(); ++i) {
    const std::optional<int64_t> extent = stage.nests.front().axes[i].extent.Constant();
    if (tiles[i] > 1 && extent.has_value() && *extent % tiles[i] != 0) return true;
  }
  return false;
}

class Placement {
 public:
  explicit Placement(Program& program)
      : program_(program), uses_(program.tensors.size()), written_(program.tensors.size(), -1) {
    for (int64_t s = 0; s < static_cast<int64_t>(program.stages.size()); ++s) {
      accesses_.push_back(AccessesOf(program, program.stages[static_cast<size_t>(s)]));
      for (const Access& access : accesses_.back()) {
        const size_t storage = StorageOf(access.tensor);
        uses_[storage] = std::max(uses_[storage], s);
        if (access.written && written_[storage] < 0) written_[storage] = s;
      }
    }
    for (int input : program.inputs) uses_[StorageOf(input)] = kAlways;
    for (int output : program.outputs) uses_[StorageOf(output)] = kAlways;
  }

  void Run() {
    for (size_t s = 0; s < program_.stages.size(); ++s) Place(s);
  }

 private:
  size_t StorageOf(int tensor) const { return static_cast<size_t>(program_.StorageOf(tensor)); }
  const Tensor& TensorOf(int tensor) const { return program_.tensors[static_cast<size_t>(tensor)]; }

  void Place(size_t s) {
    const Stage& stage = program_.stages[s];
    if (stage.nests.size() != 1 || stage.IsByWorkgroups() || stage.IsRecurrence()) return;
    const nests::Nest& nest = stage.nests.front();
    const size_t result = StorageOf(nest.target.index);
    if (nest.axes.empty() || program_.tensors[result].kind != Tensor::kComputed ||
        written_[result] != static_cast<int64_t>(s) || !IsEachAxisOnce(nest) || TilesOverlap(stage))
      return;
    for (const Access& access : accesses_[s]) {
      const size_t operand = StorageOf(access.tensor);
      if (access.written || !IsTakenBy(s, operand)) continue;
      program_.tensors[result].kind = Tensor::kView;
      program_.tensors[result].viewed = static_cast<int>(operand);
      uses_[operand] = uses_[result];
      return;
    }
  }

  // Whether all that the stage reads of the storage is what it writes at the same place.
  bool IsTakenBy(size_t s, size_t operand) const {
    const nests::Nest& nest = program_.stages[s].nests.front();
    const Tensor& target = TensorOf(nest.target.index);
    if (program_.tensors[operand].kind != Tensor::kComputed ||
        uses_[operand] != static_cast<int64_t>(s))
      return false;
    return std::all_of(accesses_[s].begin(), accesses_[s].end(), [&](const Access& access) {
      if (StorageOf(access.tensor) != operand) return true;
      const Tensor& read = TensorOf(access.tensor);
      return read.dtype == target.dtype && read.dims == target.dims && access.at == nest.at &&
             std::find(access.looked_at.begin(), access.looked_at.end(), true) ==
                 access.looked_at.end();
    });
  }

  Program& program_;
  std::vector<std::vector<Access>> accesses_;  // by stage
  // By storage: the last stage that uses it, and the first that writes it.
  std::vector<int64_t> uses_, written_;
};

}  // namespace

void PlaceResults(Program& program) { Placement(program).Run(); }

}  // namespace tessera::vulkan
