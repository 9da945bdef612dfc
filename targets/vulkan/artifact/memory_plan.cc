#include "targets/vulkan/artifact/memory_plan.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "planning/memory.h"
#include "planning/stack.h"
#include "solver/decide.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/runtime/artifact.h"

namespace tessera::vulkan {
namespace {

bool IsInArena(const Tensor& tensor) {
  return tensor.kind == Tensor::kInput || tensor.kind == Tensor::kComputed;
}

// What each stage reads and writes, as storages.
std::vector<planning::Step> StepsOf(const Program& program) {
  std::vector<planning::Step> steps;
  for (const Stage& stage : program.stages) {
    planning::Step step;
    const auto use = [&](int tensor, std::vector<size_t>& list) {
      const int storage = program.StorageOf(tensor);
      if (IsInArena(program.tensors[static_cast<size_t>(storage)]))
        list.push_back(static_cast<size_t>(storage));
    };
    for (const nests::Nest& nest : stage.nests) {
      use(nest.target.index, step.writes);
      EachRead(nest.body,
               [&](const nests::ScalarNode& read, int) { use(read.tensor.index, step.reads); });
    }
    // What a recurrence reads of itself it has written before.
    std::erase_if(step.reads, [&](size_t tensor) {
      return std::find(step.writes.begin(), step.writes.end(), tensor) != step.writes.end();
    });
    steps.push_back(std::move(step));
  }
  return steps;
}

// Storages that hold anything: fusion leaves tensors behind that no stage writes.
std::vector<bool> UsedIn(const Program& program, const std::vector<planning::Step>& steps) {
  std::vector<bool> used(program.tensors.size(), false);
  for (const planning::Step& step : steps) {
    for (size_t tensor : step.reads) used[tensor] = true;
    for (size_t tensor : step.writes) used[tensor] = true;
  }
  for (const std::vector<int>* ends : {&program.inputs, &program.outputs}) {
    for (int tensor : *ends) used[static_cast<size_t>(program.StorageOf(tensor))] = true;
  }
  return used;
}

}  // namespace

solver::Assignment SizesNear(const solver::Context& context, const std::set<std::string>& symbols,
                             int64_t size) {
  solver::Assignment sizes;
  for (const std::string& name : symbols) {
    const solver::SymbolInfo* info = context.Find(name);
    if (info == nullptr) continue;
    int64_t value = std::clamp(size, info->range.lo, info->range.hi);
    const solver::Congruence& rule = info->congruence;
    if (rule.stride > 1)
      value += ((rule.residue - value) % rule.stride + rule.stride) % rule.stride;
    if (value > info->range.hi) value -= rule.stride;
    sizes[name] = value;
  }
  return sizes;
}

namespace {

std::optional<std::vector<int64_t>> Values(const std::vector<Expr>& list,
                                           const solver::Assignment& sizes) {
  std::vector<int64_t> values;
  for (const Expr& e : list) {
    const absl::StatusOr<int64_t> value = solver::Evaluate(e, sizes);
    if (!value.ok() || *value < 0) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

// Of those that differ, in pairs of pairs: what is nested as deep as there are many is no
// expression any more. What is none even so is their sum, which lies above both as well.
Expr GreaterOf(const Expr& a, const Expr& b) {
  Expr greater = solver::Max(a, b);
  return greater.IsInvalid() ? a + b : greater;
}
Expr Greatest(std::vector<Expr> of) {
  absl::flat_hash_set<Expr> seen;
  std::erase_if(of, [&](const Expr& e) { return !seen.insert(e).second; });
  while (of.size() > 1) {
    for (size_t i = 0; i < of.size() / 2; ++i) of[i] = GreaterOf(of[2 * i], of[2 * i + 1]);
    if (of.size() % 2 == 1) of[of.size() / 2] = of.back();
    of.resize((of.size() + 1) / 2);
  }
  return of.front();
}

}  // namespace

Expr BytesOf(const Tensor& tensor) {
  Expr bytes = static_cast<int64_t>(ir::SizeOf(tensor.dtype));
  for (const Expr& dim : tensor.dims) bytes *= dim;
  return bytes;
}

Expr AlignedBytes(const Expr& bytes) { return solver::CeilDiv(bytes, kAlignment) * kAlignment; }

MemoryPlan PlanArena(const Program& program, const solver::Context& context) {
  MemoryPlan plan;
  std::vector<Expr> bytes;
  std::set<std::string> symbols;
  const std::vector<planning::Step> steps = StepsOf(program);
  const std::vector<bool> used = UsedIn(program, steps);
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const Tensor& tensor = program.tensors[i];
    bytes.push_back(used[i] && IsInArena(tensor) ? AlignedBytes(BytesOf(tensor)) : Expr(0));
    for (const std::string& symbol : solver::SymbolsOf(bytes.back())) symbols.insert(symbol);
  }
  std::optional<std::vector<int64_t>> sizes;
  for (int64_t size : {256, 64, 16, 4, 1}) {
    plan.planned_for = SizesNear(context, symbols, size);
    sizes = Values(bytes, plan.planned_for);
    if (sizes.has_value()) break;
  }
  if (!sizes.has_value()) {
    plan.planned_for = solver::Completed(context, {});
    sizes = Values(bytes, plan.planned_for);
  }
  // Where no sizes were found any plan holds: it does not depend on them that nothing overlaps.
  if (!sizes.has_value()) sizes = std::vector<int64_t>(bytes.size(), kAlignment);

  std::vector<size_t> results;
  for (int output : program.outputs)
    results.push_back(static_cast<size_t>(program.StorageOf(output)));
  const std::vector<planning::Lifetime> lifetimes =
      planning::Lifetimes(steps, program.tensors.size(), results);
  std::vector<planning::Buffer> buffers;
  std::vector<size_t> tensors;
  std::vector<Expr> of_buffers;
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    if (!used[i] || !IsInArena(program.tensors[i])) continue;
    const bool input = program.tensors[i].kind == Tensor::kInput;
    planning::Buffer buffer{lifetimes[i].begin, lifetimes[i].end, (*sizes)[i], kAlignment};
    // Inputs are there before the first stage, used or not; outputs until all is over.
    if (input) buffer.begin = -1;
    buffer.end = std::max(buffer.end, buffer.begin + 1);
    if (std::find(results.begin(), results.end(), i) != results.end())
      buffer.end = static_cast<int64_t>(program.stages.size()) + 1;
    buffers.push_back(buffer);
    tensors.push_back(i);
    of_buffers.push_back(bytes[i]);
  }
  const planning::Packing packing = planning::Pack(buffers);
  plan.planned_bytes = packing.size;
  plan.lower_bound = packing.lower_bound;
  const planning::Stacking stacking = planning::StackingOf(buffers, packing.offsets);
  // All sizes are multiples of the alignment, so that all offsets are.
  const std::vector<Expr> offsets = planning::OffsetsFor<Expr>(
      stacking, of_buffers, Expr(0), Greatest, [](const Expr& e, int64_t) { return e; });
  plan.offsets.assign(program.tensors.size(), Expr(0));
  // What lies below another one ends where that begins, or before.
  std::vector<bool> is_below(tensors.size());
  for (const planning::Level& level : stacking.levels) {
    for (size_t k : level.below) is_below[k] = true;
  }
  std::vector<Expr> ends = {0};
  for (size_t k = 0; k < tensors.size(); ++k) {
    plan.offsets[tensors[k]] = offsets[k];
    if (!is_below[k]) ends.push_back(offsets[k] + of_buffers[k]);
  }
  plan.bytes = Greatest(std::move(ends));
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    const size_t storage = static_cast<size_t>(program.StorageOf(static_cast<int>(i)));
    if (IsInArena(program.tensors[storage])) plan.offsets[i] = plan.offsets[storage];
  }
  return plan;
}

}  // namespace tessera::vulkan
