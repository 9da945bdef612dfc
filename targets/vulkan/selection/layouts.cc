#include "targets/vulkan/selection/layouts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "targets/vulkan/kernels/index_text.h"
#include "targets/vulkan/kernels/tiles.h"
#include "targets/vulkan/program/relayout.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/selection/cheapest.h"
#include "targets/vulkan/selection/times.h"

namespace tessera::vulkan {
namespace {

using nests::ScalarNode;

constexpr size_t kMostTensors = 6;  // of one stage, whose layouts are looked at together
// What is gained counts if it is more than what a count of loads does not see.
constexpr double kWorthwhile = 0.9;

struct Candidate {
  int tensor = 0;
  std::vector<size_t> axes;  // that may come last, besides the one that does
};

// A read of a stage or its write.
struct Access {
  struct Dim {
    Expr at;
    bool by_four = false;  // if neighbours along it are neighbours in memory
  };
  int tensor = 0;
  double elements = 0;
  bool beside = false;  // by four only along the axis of which the write has neighbours
  std::vector<Dim> dims;
};

class Choice {
 public:
  Choice(Program& program, const solver::Context& context)
      : program_(program), sizes_(UsualSizes(program, context)) {}

  size_t Run() {
    FindCandidates();
    if (candidates_.empty()) return 0;
    std::vector<CostTable> tables;
    for (const Stage& stage : program_.stages) {
      if (std::optional<CostTable> table = TableOf(stage); table.has_value())
        tables.push_back(*std::move(table));
    }
    std::vector<size_t> choices;
    for (const Candidate& candidate : candidates_) choices.push_back(candidate.axes.size() + 1);
    const std::vector<size_t> best = Cheapest(choices, std::move(tables));
    std::map<int, size_t> moved;
    for (size_t c = 0; c < candidates_.size(); ++c) {
      if (best[c] > 0) moved[candidates_[c].tensor] = candidates_[c].axes[best[c] - 1];
    }
    MoveAxesLast(program_, moved);
    return moved.size();
  }

 private:
  // Those along an axis of which a reduction goes, and which nothing holds in their order.
  void FindCandidates() {
    const std::vector<bool> movable = MovableTensors(program_);
    std::map<int, std::set<size_t>> axes;
    std::set<int> held;
    for (const Stage& stage : program_.stages) {
      const bool plain = AllAccessesKnown(stage);
      for (const nests::Nest& nest : stage.nests) {
        if (!plain) held.insert(nest.target.index);
        EachRead(nest.body, [&](const ScalarNode& read, int) {
          if (!plain) held.insert(read.tensor.index);
        });
        EachReduction(nest.body, [&](const nests::Scalar& reduction, int) {
          for (const nests::Scalar& term : reduction->args) {
            EachRead(term, [&](const ScalarNode& read, int) {
              for (const size_t axis : ReducedAxes(*reduction, read))
                axes[read.tensor.index].insert(axis);
            });
          }
        });
      }
    }
    for (const auto& [tensor, reduced] : axes) {
      const ir::DType dtype = program_.tensors[static_cast<size_t>(tensor)].dtype;
      if (!movable[static_cast<size_t>(tensor)] || held.count(tensor) != 0 ||
          (dtype != ir::DType::kF32 && dtype != ir::DType::kF16))
        continue;
      variable_[tensor] = candidates_.size();
      candidates_.push_back({tensor, {reduced.begin(), reduced.end()}});
    }
  }

  // One nest of which all accesses are known.
  static bool AllAccessesKnown(const Stage& stage) {
    if (stage.nests.size() != 1 || stage.IsRecurrence() || stage.guarded) return false;
    bool plain = true;
    EachRead(stage.nests.front().body, [&](const ScalarNode& read, int) {
      for (const nests::Index& index : read.at) plain = plain && index.data.IsNone();
    });
    return plain;
  }

  // Axes of what is read, other than the last, along which the reduction goes, of whole fours.
  std::vector<size_t> ReducedAxes(const ScalarNode& reduction, const ScalarNode& read) const {
    const Tensor& tensor = program_.tensors[static_cast<size_t>(read.tensor.index)];
    std::vector<size_t> axes;
    for (size_t d = 0; d + 1 < read.at.size(); ++d) {
      const bool along =
          std::any_of(reduction.axes.begin(), reduction.axes.end(), [&](const nests::Axis& axis) {
            return read.at[d].data.IsNone() && read.at[d].expr == axis.symbol &&
                   IsMultipleOf(axis.extent, 4);
          });
      if (along && IsMultipleOf(tensor.dims[d], 4)) axes.push_back(d);
    }
    return axes;
  }

  // What the stage costs for every choice of layouts; nothing: it has no tensor to choose for.
  std::optional<CostTable> TableOf(const Stage& stage) const {
    if (stage.nests.size() != 1) return std::nullopt;
    const nests::Nest& nest = stage.nests.front();
    CostTable table;
    const auto add = [&](int tensor) {
      const auto found = variable_.find(tensor);
      if (found != variable_.end() && std::find(table.variables.begin(), table.variables.end(),
                                                found->second) == table.variables.end())
        table.variables.push_back(found->second);
    };
    add(nest.target.index);
    EachRead(nest.body, [&](const ScalarNode& read, int) { add(read.tensor.index); });
    if (table.variables.empty()) return std::nullopt;
    // Of very many the last ones stay as they are.
    if (table.variables.size() > kMostTensors) table.variables.resize(kMostTensors);
    const std::vector<Access> accesses = AccessesOf(stage);
    size_t entries = 1;
    for (size_t v : table.variables) entries *= candidates_[v].axes.size() + 1;
    for (size_t entry = 0; entry < entries; ++entry) {
      std::map<int, size_t> last;  // which axis of a tensor comes last
      size_t rest = entry;
      for (size_t i = table.variables.size(); i-- > 0;) {
        const Candidate& candidate = candidates_[table.variables[i]];
        const size_t choice = rest % (candidate.axes.size() + 1);
        rest /= candidate.axes.size() + 1;
        if (choice > 0) last[candidate.tensor] = candidate.axes[choice - 1];
      }
      table.costs.push_back((last.empty() ? kWorthwhile : 1) * CostOf(accesses, last));
    }
    return table;
  }

  double SizeOf(const Expr& e) const {
    const absl::StatusOr<int64_t> value = solver::Evaluate(e, sizes_);
    return value.ok() ? static_cast<double>(std::max<int64_t>(*value, 0)) : 0;
  }

  // The write, then all reads.
  std::vector<Access> AccessesOf(const Stage& stage) const {
    const nests::Nest& nest = stage.nests.front();
    const std::vector<int64_t> tiles = TilesOf(nest, stage.tiling);
    const Tensor& target = program_.tensors[static_cast<size_t>(nest.target.index)];
    double points = 1, lanes = 1;
    for (size_t i = 0; i < nest.axes.size(); ++i) {
      points *= SizeOf(nest.axes[i].extent);
      lanes *= static_cast<double>(tiles[i]);
    }
    const bool reduces = Reduces(nest.body);
    // By an axis of the nest, four of which an invocation computes. What reduces nothing goes
    // through its points in the order of what it writes, so that any axis may be such.
    const auto by_tile = [&](const Expr& at, const Expr& extent) {
      for (size_t i = 0; i < nest.axes.size(); ++i) {
        if (at == nest.axes[i].symbol)
          return (!reduces || tiles[i] % 4 == 0) && IsMultipleOf(extent, 4);
      }
      return false;
    };
    std::vector<Access> accesses(1);
    accesses[0] = {nest.target.index, points, !reduces, {}};
    for (size_t d = 0; d < nest.at.size(); ++d)
      accesses[0].dims.push_back({nest.at[d], by_tile(nest.at[d], target.dims[d])});
    const auto add = [&](const auto& self, const nests::Scalar& scalar, double terms,
                         std::vector<nests::Axis> around) -> void {
      if (scalar->kind == ScalarNode::kReduce) {
        for (const nests::Axis& axis : scalar->axes) {
          terms *= SizeOf(axis.extent);
          around.push_back(axis);
        }
      }
      if (scalar->kind == ScalarNode::kRead && !scalar->at.empty()) {
        const Tensor& tensor = program_.tensors[static_cast<size_t>(scalar->tensor.index)];
        Access access{scalar->tensor.index, terms * Elements(nest, tiles, *scalar), !reduces, {}};
        for (size_t d = 0; d < scalar->at.size(); ++d) {
          const Expr& at = scalar->at[d].expr;
          const auto is_it = [&](const nests::Axis& axis) {
            return axis.symbol == at && IsMultipleOf(axis.extent, 4);
          };
          const bool by_terms = lanes <= static_cast<double>(kMostLanesByFours) &&
                                IsMultipleOf(tensor.dims[d], 4) &&
                                std::any_of(around.begin(), around.end(), is_it);
          // Weights are put in the order in which they are read.
          access.dims.push_back(
              {at, by_terms || tensor.kind == Tensor::kConstant || by_tile(at, tensor.dims[d])});
        }
        accesses.push_back(std::move(access));
      }
      for (const nests::Scalar& arg : scalar->args) self(self, arg, terms, around);
    };
    add(add, nest.body, 1, {});
    return accesses;
  }

  // Of a read, for one term: what stays the same along a tile is loaded once for it.
  double Elements(const nests::Nest& nest, const std::vector<int64_t>& tiles,
                  const ScalarNode& read) const {
    std::set<std::string> symbols;
    for (const nests::Index& index : read.at) {
      for (std::string& symbol : solver::SymbolsOf(index.expr)) symbols.insert(std::move(symbol));
    }
    double elements = 1;
    for (size_t i = 0; i < tiles.size(); ++i) {
      const double extent = SizeOf(nest.axes[i].extent);
      const bool varies =
          symbols.count(std::string(solver::View(nest.axes[i].symbol).symbol())) != 0;
      elements *= varies ? extent : std::ceil(extent / static_cast<double>(tiles[i]));
    }
    return elements;
  }

  // Loads and stores, of four neighbours or of one.
  static double CostOf(const std::vector<Access>& accesses, const std::map<int, size_t>& last) {
    const auto dim_of = [&](const Access& access) {
      const auto found = last.find(access.tensor);
      return access.dims[found != last.end() ? found->second : access.dims.size() - 1];
    };
    double cost = 0;
    for (const Access& access : accesses) {
      const Access& write = accesses.front();
      const bool four =
          !access.dims.empty() && dim_of(access).by_four &&
          (!access.beside || (!write.dims.empty() && dim_of(access).at == dim_of(write).at));
      cost += four ? access.elements / 4 : access.elements;
    }
    return cost;
  }

  Program& program_;
  const solver::Assignment sizes_;
  std::vector<Candidate> candidates_;
  std::map<int, size_t> variable_;  // by tensor
};

}  // namespace

size_t ChooseLayouts(Program& program, const solver::Context& context) {
  return Choice(program, context).Run();
}

}  // namespace tessera::vulkan
