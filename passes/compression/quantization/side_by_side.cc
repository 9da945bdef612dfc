#include "passes/compression/quantization/side_by_side.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/loops.h"
#include "passes/compression/quantization/rounding.h"
#include "support/parallel.h"
#include "targets/reference/bind_symbols.h"
#include "targets/reference/run_operation.h"

namespace tessera::compression {
namespace {

size_t Id(const ir::Value& value) { return static_cast<size_t>(value.id()); }

ir::Tensor Shifted(const ir::Tensor& tensor, int64_t axis, const std::vector<float>& by) {
  ir::Tensor shifted = *ir::Tensor::Allocate(ir::DType::kF32, tensor.shape());
  const Along along = Along::Axis(tensor.shape(), axis);
  const float* from = tensor.data<float>();
  float* to = shifted.mutable_data<float>();
  for (int64_t o = 0, i = 0; o < along.outer; ++o) {
    for (int64_t c = 0; c < along.n; ++c) {
      for (const int64_t end = i + along.inner; i < end; ++i)
        to[i] = from[i] + by[static_cast<size_t>(c)];
    }
  }
  return shifted;
}

}  // namespace

SideBySide::SideBySide(const ir::Graph& graph, const calibration::SampleSource& samples,
                       const Plan& plan, const std::vector<Grid>& grids, const Limits& limits)
    : graph_(graph), samples_(samples), limits_(limits), order_(graph.TopologicalOrder()) {
  for (const ActivationSite& site : plan.activations) {
    grids_[site.value] = &grids[static_cast<size_t>(site.range)];
    for (const Point& point : site.points) {
      if (point.place == Place::kPostHook) {
        rounded_results_.insert(site.value);
      } else {
        rounds_.insert({point.op, point.index});
      }
    }
  }
  const auto use = [&](const ir::Value* value, int step) {
    if (value == nullptr) return;
    last_.resize(std::max(last_.size(), Id(*value) + 1), -1);
    last_[Id(*value)] = step;
  };
  for (const ir::Value* input : graph.inputs()) use(input, 0);
  for (size_t i = 0; i < order_.size(); ++i) {
    for (const ir::Value* operand : order_[i]->operands()) use(operand, static_cast<int>(i));
    for (const ir::Value* result : order_[i]->results()) use(result, static_cast<int>(i));
  }
  released_.resize(order_.size());
  for (size_t id = 0; id < last_.size(); ++id) {
    if (last_[id] >= 0 && !order_.empty())
      released_[static_cast<size_t>(last_[id])].push_back(static_cast<int>(id));
  }
}

absl::Status SideBySide::Start() {
  for (const ir::Operation* op : order_) {
    if (ir::IsLoopOp(*op) || ir::IsLoopEntry(*op))
      return absl::UnimplementedError("the network has loops");
  }
  const absl::StatusOr<Lane> first = Begin(0);
  if (!first.ok()) return first.status();
  return Bound(first->assignment);
}

absl::StatusOr<SideBySide::Lane> SideBySide::Begin(size_t index) {
  absl::StatusOr<std::vector<ir::Tensor>> inputs = samples_.Load(index);
  if (!inputs.ok()) return inputs.status();
  absl::StatusOr<solver::Assignment> assignment = reference::BindSymbols(graph_, *inputs);
  if (!assignment.ok()) return assignment.status();
  Lane lane;
  lane.sample = index;
  lane.assignment = *std::move(assignment);
  lane.exact.resize(last_.size());
  for (size_t k = 0; k < inputs->size(); ++k)
    lane.exact[Id(*graph_.inputs()[k])] = std::move((*inputs)[k]);
  lane.rounded = lane.exact;
  return lane;
}

// Bytes of the values that live together, from each step on; constants are shared.
absl::Status SideBySide::Bound(const solver::Assignment& assignment) {
  widest_.assign(order_.size(), 0);
  int64_t live = 0;
  std::map<int, int64_t> sizes;
  for (size_t step = 0; step < order_.size(); ++step) {
    if (order_[step]->payload() == nullptr) {
      for (const ir::Value* result : order_[step]->results()) {
        const absl::StatusOr<std::vector<int64_t>> dims =
            reference::DimsOf(result->type(), assignment);
        if (!dims.ok()) return dims.status();
        int64_t bytes = static_cast<int64_t>(ir::SizeOf(result->type().dtype));
        for (const int64_t dim : *dims) bytes *= dim;
        live += sizes[result->id()] = bytes;
      }
    }
    widest_[step] = live;
    for (const int id : released_[step]) live -= sizes[id];
  }
  for (size_t step = order_.size(); step-- > 1;)
    widest_[step - 1] = std::max(widest_[step - 1], widest_[step]);
  return absl::OkStatus();
}

absl::Status SideBySide::Grow(size_t step) {
  const auto room =
      static_cast<size_t>(limits_.max_bytes / std::max<int64_t>(1, 2 * widest_[step]));
  const size_t wanted = std::min({samples_.size(), limits_.most, std::max(room, limits_.fewest)});
  while (lanes_.size() < wanted) {
    // A few at a time: each takes up what the widest of the steps so far takes.
    const size_t begun = lanes_.size();
    for (size_t next = begun; next < std::min(wanted, begun + limits_.fewest); ++next) {
      // Spread over all of them, the same ones each time.
      const size_t most = std::min(samples_.size(), limits_.most);
      absl::StatusOr<Lane> lane = Begin(next * samples_.size() / most);
      if (!lane.ok()) return lane.status();
      lanes_.push_back(*std::move(lane));
    }
    absl::Status status = support::ForEachInParallel(
        lanes_.size() - begun, [&](size_t l) { return CatchUp(step, lanes_[begun + l]); });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// The steps before `step`, with all that was decided at them.
absl::Status SideBySide::CatchUp(size_t step, Lane& lane) {
  for (size_t done = 0; done < step; ++done) {
    const ir::Operation& op = *order_[done];
    absl::Status status = Exact(op, lane);
    if (status.ok()) status = Rounded(op, lane);
    if (!status.ok()) return status;
    RoundResultsOf(op, lane);
    ReleaseOf(done, lane);
  }
  return absl::OkStatus();
}

absl::Status SideBySide::Exact(const ir::Operation& op, Lane& lane) {
  std::vector<const ir::Tensor*> operands;
  for (const ir::Value* operand : op.operands())
    operands.push_back(operand == nullptr ? nullptr : &*lane.exact[Id(*operand)]);
  absl::StatusOr<std::vector<ir::Tensor>> results =
      reference::RunOperation(op, operands, lane.assignment);
  if (!results.ok())
    return absl::Status(results.status().code(), absl::StrCat(samples_.NameOf(lane.sample), ": ",
                                                              results.status().message()));
  for (size_t i = 0; i < results->size(); ++i)
    lane.exact[Id(*op.result(i))] = std::move((*results)[i]);
  return absl::OkStatus();
}

absl::Status SideBySide::Rounded(const ir::Operation& op, Lane& lane) {
  if (op.payload() != nullptr) {
    lane.rounded[Id(*op.result())] = lane.exact[Id(*op.result())];
    return absl::OkStatus();
  }
  std::vector<const ir::Tensor*> operands;
  for (size_t i = 0; i < op.operands().size(); ++i)
    operands.push_back(op.operand(i) == nullptr ? nullptr : &Read(op, i, lane));
  absl::StatusOr<std::vector<ir::Tensor>> results =
      reference::RunOperation(op, operands, lane.assignment);
  if (!results.ok()) return results.status();
  for (size_t i = 0; i < results->size(); ++i)
    lane.rounded[Id(*op.result(i))] = std::move((*results)[i]);
  const auto shift = shifts_.find(&op);
  if (shift != shifts_.end()) {
    std::optional<ir::Tensor>& result = lane.rounded[Id(*op.result())];
    result = Shifted(*result, shift->second.first, shift->second.second);
  }
  return absl::OkStatus();
}

const ir::Tensor& SideBySide::Read(const ir::Operation& op, size_t operand, Lane& lane) {
  const ir::Value& value = *op.operand(operand);
  const auto supplied = supplied_.find({&op, static_cast<int>(operand)});
  if (supplied != supplied_.end()) return supplied->second;
  if (rounds_.contains({&op, static_cast<int>(operand)})) return OnItsGrid(value, lane);
  return *lane.rounded[Id(value)];
}

const ir::Tensor& SideBySide::OnItsGrid(const ir::Value& value, Lane& lane) {
  const auto found = lane.on_grid.find(&value);
  if (found != lane.on_grid.end()) return found->second;
  const ir::Tensor& exact = *lane.rounded[Id(value)];
  auto& [cut, all] = lane.cut[&value];
  all += exact.size();
  const Grid& grid = *grids_.at(&value);
  ir::Tensor rounded = grid.dynamic ? OnItsOwnGrid(exact) : OnGrid(exact, grid, &cut);
  return lane.on_grid.emplace(&value, std::move(rounded)).first->second;
}

void SideBySide::RoundResultsOf(const ir::Operation& op, Lane& lane) {
  for (const ir::Value* result : op.results()) {
    if (!rounded_results_.contains(result)) continue;
    ir::Tensor rounded = OnItsGrid(*result, lane);
    lane.on_grid.erase(result);
    lane.rounded[Id(*result)] = std::move(rounded);
  }
}

void SideBySide::ReleaseOf(size_t step, Lane& lane) const {
  for (const int id : released_[step]) {
    lane.exact[static_cast<size_t>(id)].reset();
    lane.rounded[static_cast<size_t>(id)].reset();
  }
  std::erase_if(lane.on_grid, [&](const auto& entry) {
    return last_[Id(*entry.first)] <= static_cast<int>(step);
  });
}

absl::Status SideBySide::RunExact(size_t step) {
  return support::ForEachInParallel(lanes_.size(),
                                    [&](size_t l) { return Exact(*order_[step], lanes_[l]); });
}

absl::Status SideBySide::RunRounded(size_t step) {
  return support::ForEachInParallel(lanes_.size(),
                                    [&](size_t l) { return Rounded(*order_[step], lanes_[l]); });
}

void SideBySide::RoundResults(size_t step) {
  const auto round = [&](size_t l) {
    RoundResultsOf(*order_[step], lanes_[l]);
    return absl::OkStatus();
  };
  support::ForEachInParallel(lanes_.size(), round).IgnoreError();
}

SideBySide::Cut SideBySide::cut() const {
  Cut sums;
  for (const Lane& lane : lanes_) {
    for (const auto& [value, counts] : lane.cut) {
      sums[value].first += counts.first;
      sums[value].second += counts.second;
    }
  }
  return sums;
}

void SideBySide::Release(size_t step) {
  for (Lane& lane : lanes_) ReleaseOf(step, lane);
}

void SideBySide::Supply(const ir::Operation& op, int operand, ir::Tensor tensor) {
  supplied_.insert_or_assign({&op, operand}, std::move(tensor));
}

void SideBySide::Shift(const ir::Operation& op, int64_t axis, std::vector<float> by) {
  for (Lane& lane : lanes_) {
    std::optional<ir::Tensor>& result = lane.rounded[Id(*op.result())];
    result = Shifted(*result, axis, by);
  }
  shifts_[&op] = {axis, std::move(by)};
}

}  // namespace tessera::compression
