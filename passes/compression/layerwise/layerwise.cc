#include "passes/compression/layerwise/layerwise.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "ir/loops.h"
#include "support/parallel.h"
#include "targets/reference/bind_symbols.h"
#include "targets/reference/run_operation.h"

namespace tessera::compression {
namespace {

using ir::Operation;
using ir::Tensor;
using ir::Value;
using solver::Assignment;

// Below this many samples, statistics of layers mean nothing, whatever they take.
constexpr size_t kFewest = 4;

size_t Id(const Value& value) { return static_cast<size_t>(value.id()); }

const Tensor& Of(const std::vector<Tensor>& values, size_t sample) {
  return values.size() == 1 ? values[0] : values[sample];
}

// Whether an attribute depends on the sizes of a sample.
bool HasSizes(const Operation& op) {
  const auto varies = [](const solver::Expr& e) { return !e.Constant().has_value(); };
  return std::any_of(op.attrs().begin(), op.attrs().end(), [&](const ir::Attribute& attr) {
    if (const auto* e = std::get_if<solver::Expr>(&attr)) return varies(*e);
    const auto* list = std::get_if<std::vector<solver::Expr>>(&attr);
    return list != nullptr && std::any_of(list->begin(), list->end(), varies);
  });
}

bool SameTensor(const Tensor& a, const Tensor& b) {
  return a.bytes().data() == b.bytes().data() && a.shape() == b.shape() && a.dtype() == b.dtype();
}

}  // namespace

Layerwise::Layerwise(const ir::Graph& graph) : order_(graph.TopologicalOrder()) {
  size_t ids = 0;
  for (const Value* input : graph.inputs()) ids = std::max(ids, Id(*input) + 1);
  for (const Operation* op : order_) {
    for (const Value* result : op->results()) ids = std::max(ids, Id(*result) + 1);
  }
  last_.assign(ids, -1);
  exact_.resize(ids);
  for (size_t step = 0; step < order_.size(); ++step) {
    for (const Value* operand : order_[step]->operands()) {
      if (operand != nullptr) last_[Id(*operand)] = static_cast<int>(step);
    }
  }
}

// Of what lives at a time, twice.
absl::StatusOr<int64_t> Layerwise::WidestBytes(const Assignment& sizes) const {
  std::vector<int64_t> bytes(last_.size());
  int64_t live = 0, widest = 1;
  for (size_t step = 0; step < order_.size(); ++step) {
    for (const Value* result : order_[step]->results()) {
      if (order_[step]->payload() != nullptr) continue;
      const absl::StatusOr<std::vector<int64_t>> dims = reference::DimsOf(result->type(), sizes);
      if (!dims.ok()) return dims.status();
      int64_t count = 1;
      for (const int64_t dim : *dims) count *= dim;
      bytes[Id(*result)] = count * static_cast<int64_t>(ir::SizeOf(result->type().dtype));
      live += bytes[Id(*result)];
    }
    widest = std::max(widest, 2 * live);
    for (const Value* operand : order_[step]->operands()) {
      if (operand == nullptr || last_[Id(*operand)] > static_cast<int>(step)) continue;
      live -= std::exchange(bytes[Id(*operand)], 0);
    }
  }
  return widest;
}

absl::StatusOr<Layerwise> Layerwise::Create(const ir::Graph& graph,
                                            const calibration::SampleSource& samples, size_t most,
                                            int64_t max_bytes) {
  Layerwise pair(graph);
  for (const Operation* op : pair.order_) {
    if (ir::IsLoopOp(*op) || ir::IsLoopEntry(*op))
      return absl::UnimplementedError("networks with loops are not computed layer by layer");
  }
  size_t wanted = std::min(samples.size(), most);
  if (wanted == 0) return absl::InvalidArgumentError("there are no samples");
  for (size_t i = 0; i < wanted; ++i) {
    // Spread over all of them, the same ones each time.
    absl::StatusOr<std::vector<Tensor>> inputs = samples.Load(i * samples.size() / wanted);
    if (!inputs.ok()) return inputs.status();
    absl::StatusOr<Assignment> sizes = reference::BindSymbols(graph, *inputs);
    if (!sizes.ok()) return sizes.status();
    if (i == 0) {
      const absl::StatusOr<int64_t> widest = pair.WidestBytes(*sizes);
      if (!widest.ok()) return widest.status();
      wanted = std::min(wanted, std::max(kFewest, static_cast<size_t>(max_bytes / *widest)));
    }
    pair.sizes_.push_back(*std::move(sizes));
    for (size_t k = 0; k < inputs->size(); ++k)
      pair.exact_[Id(*graph.inputs()[k])].push_back((*inputs)[k]);
  }
  pair.changed_ = pair.exact_;
  return pair;
}

absl::Span<const Tensor> Layerwise::Exact(const Value& value) const { return exact_[Id(value)]; }

absl::Span<const Tensor> Layerwise::Changed(const Value& value) const {
  return changed_[Id(value)];
}

void Layerwise::Replace(const Value& value, const Tensor& tensor) {
  changed_[Id(value)].assign(1, tensor);
}

void Layerwise::Supply(const Operation& op, size_t index, const Tensor& tensor) {
  supplied_.insert_or_assign({&op, index}, tensor);
}

const Tensor* Layerwise::Supplied(const Operation& op, size_t index) const {
  const auto found = supplied_.find({&op, index});
  return found == supplied_.end() ? nullptr : &found->second;
}

absl::StatusOr<std::vector<Tensor>> Layerwise::Rerun(const Operation& op,
                                                     absl::Span<const Tensor* const> operands,
                                                     size_t sample) const {
  return reference::RunOperation(op, operands, sizes_[sample]);
}

absl::Status Layerwise::Compute(const Operation& op, Side& side, const Side* twin) {
  // What no sample has a part in is the same for all.
  const bool shared =
      op.payload() != nullptr ||
      (!HasSizes(op) &&
       std::all_of(op.operands().begin(), op.operands().end(), [&](const Value* operand) {
         return operand == nullptr || side[Id(*operand)].size() == 1;
       }));
  // Operands that are left out at the end are not listed, but may be supplied.
  size_t count = op.operands().size();
  for (auto at = supplied_.lower_bound({&op, 0}); at != supplied_.end() && at->first.first == &op;
       ++at) {
    if (twin != nullptr) count = std::max(count, at->first.second + 1);
  }
  const size_t runs = shared ? 1 : samples();
  std::vector<std::vector<Tensor>> results(op.results().size(), std::vector<Tensor>(runs));
  const auto run = [&](size_t sample) {
    bool same = twin != nullptr;
    std::vector<const Tensor*> operands;
    for (size_t i = 0; i < count; ++i) {
      const Value* operand = op.operand(i);
      // Only the changed network has a twin.
      const Tensor* supplied = twin == nullptr ? nullptr : Supplied(op, i);
      if (supplied != nullptr || operand == nullptr) {
        operands.push_back(supplied);
        same = same && supplied == nullptr;
        continue;
      }
      operands.push_back(&Of(side[Id(*operand)], sample));
      same = same && SameTensor(*operands.back(), Of((*twin)[Id(*operand)], sample));
    }
    if (same) {
      for (size_t i = 0; i < results.size(); ++i)
        results[i][sample] = Of((*twin)[Id(*op.result(i))], sample);
      return absl::OkStatus();
    }
    absl::StatusOr<std::vector<Tensor>> made =
        reference::RunOperation(op, operands, sizes_[sample]);
    if (!made.ok()) return made.status();
    for (size_t i = 0; i < results.size(); ++i) results[i][sample] = std::move((*made)[i]);
    return absl::OkStatus();
  };
  if (absl::Status status = support::ForEachInParallel(runs, run); !status.ok()) return status;
  for (size_t i = 0; i < results.size(); ++i) side[Id(*op.result(i))] = std::move(results[i]);
  return absl::OkStatus();
}

void Layerwise::Release(Side& side, const Operation& op, int step) const {
  const auto drop = [&](const Value* value) {
    if (value != nullptr && last_[Id(*value)] <= step) side[Id(*value)].clear();
  };
  for (const Value* operand : op.operands()) drop(operand);
  for (const Value* result : op.results()) drop(result);
}

absl::Status Layerwise::Run(Visit visit) {
  for (size_t step = 0; step < order_.size(); ++step) {
    const Operation& op = *order_[step];
    visit(op);
    if (absl::Status status = Compute(op, exact_, nullptr); !status.ok()) return status;
    if (absl::Status status = Compute(op, changed_, &exact_); !status.ok()) return status;
    Release(exact_, op, static_cast<int>(step));
    Release(changed_, op, static_cast<int>(step));
  }
  return absl::OkStatus();
}

}  // namespace tessera::compression
