// Values with zeros around them.
#include <algorithm>
#include <utility>

#include "targets/npu/legalization/translation.h"

namespace tessera::npu {

absl::StatusOr<ir::Value*> Translation::Widened(const ir::Value* value, int64_t front, int64_t back,
                                                bool counted) {
  const ir::Value* root = Root(value);
  const int64_t count = CountOf(root);
  const auto zeros = [&](Layers& layers, int64_t n) {
    return layers.Constant(Numbers(static_cast<size_t>(n)), {n, 1});
  };
  const int home = LevelOf(root);
  const bool of_host = state_of_.count(root) == 0 && (home < 0 || home % 2 == 0);
  if (of_host && (front > 0 || back > 0)) {
    const int from = std::max(home, 0);
    Layers& host = *At(from).layers;
    ir::Value* whole = OnHost(root, from);
    if (whole == nullptr) return nullptr;
    std::vector<ir::Value*> parts;
    if (front > 0) parts.push_back(zeros(host, front));
    parts.push_back(host.Reshaped(whole, {count, 1}));
    if (back > 0) parts.push_back(zeros(host, back));
    whole = host.Join(parts, 0);
    return whole == nullptr ? nullptr : Crossing(from, whole, level_, root);
  }
  ir::Value* flat = Flat(value);
  if (flat == nullptr) return nullptr;
  if (front == 0 && back < Multiple() && (back == 0 || !counted)) return Fitted(flat, count + back);
  // A layer that makes it for this alone makes it in its place.
  const bool in_place = Readers(root) == 1 && ElementCountOf(*flat) == count;
  if ((back > 0 && count % Alignment() != 0) || (!in_place && count % Multiple() != 0)) {
    // What ends amid what memory is aligned to, or what is copied at once, goes through a layer,
    // with zeros behind.
    const int64_t head = count / Alignment() * Alignment(), rest = count - head;
    const int64_t tail = std::min(rest + back, Alignment());
    const int64_t read = std::min(RoundUp(rest, Multiple()), ElementCountOf(*flat) - head);
    ir::Value* last = layers().Part(flat, {head, 0}, {read, 1});
    if (last == nullptr) return nullptr;
    Numbers w(static_cast<size_t>(tail * read));
    for (int64_t i = 0; i < rest; ++i) w[static_cast<size_t>(i * read + i)] = 1.0f;
    std::vector<ir::Value*> parts;
    if (front > 0) parts.push_back(zeros(layers(), front));
    if (head > 0) parts.push_back(CopyOf(layers().Part(flat, {0, 0}, {head, 1}), head));
    parts.push_back(
        Materialized({{{Make({last}, read), std::move(w)}}, Numbers(static_cast<size_t>(tail))}));
    if (rest + back > tail) parts.push_back(zeros(layers(), rest + back - tail));
    if (!layers().status().ok()) return nullptr;
    return Fitted(layers().Join(parts, 0), front + count + back);
  }
  std::vector<ir::Value*> parts;
  if (front > 0) parts.push_back(zeros(layers(), front));
  ir::Value* middle = Fitted(flat, count);
  if (!in_place) middle = CopyOf(middle, count);
  parts.push_back(middle);
  if (back > 0) parts.push_back(zeros(layers(), back));
  return layers().status().ok() ? layers().Join(parts, 0) : nullptr;
}

}  // namespace tessera::npu
