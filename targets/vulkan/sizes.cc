// What a file is at one size of its inputs.
#include <algorithm>
#include <map>
#include <utility>

#include "targets/vulkan/report.h"
#include "targets/vulkan/runtime/expressions.h"

namespace tessera::vulkan {
namespace {

int64_t Nearest(const file::Symbol& symbol, int64_t size) {
  if (symbol.stride() == 0) return symbol.residue();
  int64_t value = std::clamp(size, symbol.least(), std::max(symbol.least(), symbol.most()));
  value += ((symbol.residue() - value) % symbol.stride() + symbol.stride()) % symbol.stride();
  return value > symbol.most() ? value - symbol.stride() : value;
}

bool IsSize(const std::optional<int64_t>& value) { return value.has_value() && *value >= 0; }

bool IsAdmitted(const file::Model& model, const AtSizes& at) {
  if (!IsSize(at.values[model.arena_bytes()])) return false;
  for (const file::Guard* guard : *model.guards()) {
    const std::optional<int64_t>& holds = at.values[guard->proposition()];
    if (!holds.has_value() || *holds == 0) return false;
  }
  for (const file::Tensor* tensor : *model.tensors()) {
    if (!IsSize(at.values[tensor->offset()])) return false;
    for (uint32_t dim : *tensor->dims()) {
      if (!IsSize(at.values[dim])) return false;
    }
  }
  return true;
}

// What is live beside one another.
void Add(AtSizes& at) {
  std::map<int64_t, int64_t> changes;  // by dispatch
  for (const Held& held : at.held) {
    changes[held.first] += held.bytes;
    changes[held.last + 1] -= held.bytes;
    at.all_bytes += held.bytes * (1 + static_cast<int64_t>(held.followed_by.size()));
  }
  int64_t live = 0;
  for (const auto& [when, change] : changes) {
    live += change;
    at.live_bytes = std::max(at.live_bytes, live);
  }
}

}  // namespace

std::optional<AtSizes> AtUsualSizes(const file::Model& model) {
  for (const int64_t size : {256, 64, 16, 4, 1}) {
    AtSizes at;
    // The first axis is that of a batch.
    for (const file::Symbol* symbol : *model.symbols())
      at.symbols.push_back(Nearest(*symbol, symbol->axis() == 0 ? 1 : size));
    at.values = Evaluate(*model.expressions(), at.symbols);
    if (!IsAdmitted(model, at)) continue;
    at.arena_bytes = *at.values[model.arena_bytes()];
    Lifetimes lifetimes = LifetimesOf(model, at.values);
    at.held = std::move(lifetimes.held);
    at.in_place = std::move(lifetimes.in_place);
    Add(at);
    return at;
  }
  return std::nullopt;
}

}  // namespace tessera::vulkan
