#include "planning/pack.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "planning/search.h"

namespace tessera::planning {
namespace {

bool Live(const Buffer& buffer) { return buffer.begin < buffer.end && buffer.size > 0; }

bool Together(const Buffer& x, const Buffer& y) { return x.begin < y.end && y.begin < x.end; }

int64_t HighestEnd(absl::Span<const Buffer> buffers, absl::Span<const int64_t> offsets) {
  int64_t end = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (Live(buffers[i])) end = std::max(end, offsets[i] + buffers[i].size);
  }
  return end;
}

// Each buffer, in the order, in the lowest gap that holds it.
std::vector<int64_t> FirstFit(absl::Span<const Buffer> buffers, const std::vector<size_t>& order) {
  std::vector<int64_t> offsets(buffers.size(), 0);
  std::vector<size_t> placed;
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t i : order) {
    const Buffer& buffer = buffers[i];
    taken.clear();
    for (size_t j : placed) {
      if (Together(buffer, buffers[j]))
        taken.emplace_back(offsets[j], offsets[j] + buffers[j].size);
    }
    std::sort(taken.begin(), taken.end());
    int64_t at = 0;
    for (const auto& [begin, end] : taken) {
      if (begin - at >= buffer.size) break;
      at = std::max(at, (end + buffer.alignment - 1) / buffer.alignment * buffer.alignment);
    }
    offsets[i] = at;
    placed.push_back(i);
  }
  return offsets;
}

// The best of some orders, of the buffers that are live.
void PackGreedily(absl::Span<const Buffer> buffers, Packing& packing) {
  std::vector<size_t> order;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (Live(buffers[i])) order.push_back(i);
  }
  const auto duration = [&](size_t i) { return buffers[i].end - buffers[i].begin; };
  const auto area = [&](size_t i) {
    return static_cast<double>(duration(i)) * static_cast<double>(buffers[i].size);
  };
  const auto keep = [&] {
    std::vector<int64_t> offsets = FirstFit(buffers, order);
    const int64_t size = HighestEnd(buffers, offsets);
    if (!packing.offsets.empty() && size >= packing.size) return;
    packing.size = size;
    packing.offsets = std::move(offsets);
  };
  keep();
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t x, size_t y) { return buffers[x].begin < buffers[y].begin; });
  keep();
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t x, size_t y) { return buffers[x].size > buffers[y].size; });
  keep();
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t x, size_t y) { return area(x) > area(y); });
  keep();
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t x, size_t y) { return duration(x) > duration(y); });
  keep();
}

}  // namespace

int64_t LowerBound(absl::Span<const Buffer> buffers) {
  std::vector<std::pair<int64_t, int64_t>> changes;
  for (const Buffer& buffer : buffers) {
    if (!Live(buffer)) continue;
    changes.emplace_back(buffer.begin, buffer.size);
    changes.emplace_back(buffer.end, -buffer.size);
  }
  // At one time, what ends goes before what begins: the sizes that leave are negative.
  std::sort(changes.begin(), changes.end());
  int64_t live = 0, most = 0;
  for (const auto& [time, size] : changes) most = std::max(most, live += size);
  return most;
}

bool Overlap(absl::Span<const Buffer> buffers, absl::Span<const int64_t> offsets) {
  for (size_t i = 0; i < buffers.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (Live(buffers[i]) && Live(buffers[j]) && Together(buffers[i], buffers[j]) &&
          offsets[i] < offsets[j] + buffers[j].size && offsets[j] < offsets[i] + buffers[i].size)
        return true;
    }
  }
  return false;
}

Packing Pack(absl::Span<const Buffer> buffers, const PackOptions& options) {
  Packing packing;
  packing.lower_bound = LowerBound(buffers);
  PackGreedily(buffers, packing);
  const int64_t enough = std::max(packing.lower_bound, options.capacity.value_or(0));
  std::vector<size_t> live;
  std::vector<Buffer> searched;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!Live(buffers[i])) continue;
    live.push_back(i);
    searched.push_back(buffers[i]);
  }
  // Nothing below `least` is looked for any more: where `proved`, because there is nothing.
  int64_t least = enough, left = options.effort;
  bool proved = enough == packing.lower_bound;
  for (int64_t tried = enough; packing.size > least && left > 0;
       tried = least + (packing.size - 1 - least) / 2) {
    int64_t spent = 0;
    Search search(searched, tried);
    // The last capacity that is left to try may take all; before it, half of what there is.
    const bool last = options.capacity.has_value() || packing.size - least == 1;
    const Search::Outcome outcome = search.Run(last ? left : (left + 1) / 2, &spent);
    left -= std::max<int64_t>(1, spent);
    packing.placements += spent;
    if (outcome == Search::kFound) {
      for (size_t i = 0; i < live.size(); ++i) packing.offsets[live[i]] = search.offsets()[i];
      packing.size = HighestEnd(buffers, packing.offsets);
      continue;
    }
    least = tried + 1;
    proved = outcome == Search::kNone;
    if (options.capacity.has_value()) break;
  }
  packing.optimal = packing.size <= packing.lower_bound || (proved && packing.size <= least);
  return packing;
}

}  // namespace tessera::planning
