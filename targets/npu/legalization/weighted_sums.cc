// Weighted sums as affine layers, of as many rows and columns as it takes.
#include <algorithm>
#include <utility>

#include "targets/npu/legalization/translation.h"

namespace tessera::npu {

// The elements are added to `sum`, in place of the biases of layers with a weight of 1 each.
ir::Value* Translation::Added(ir::Value* x, ir::Value* sum) {
  if (x == nullptr || sum == nullptr) return nullptr;
  const int64_t count = ElementCountOf(*x);
  x = layers().Reshaped(x, {count, 1});
  sum = layers().Reshaped(sum, {count, 1});
  std::vector<ir::Value*> pieces;
  for (int64_t from = 0; from < count; from += MostElements()) {
    const int64_t n = std::min(MostElements(), count - from);
    ir::Value* base = layers().Part(sum, {from, 0}, {n, 1});
    ir::Value* part = layers().Part(x, {from, 0}, {n, 1});
    if (!layers().status().ok()) return nullptr;
    pieces.push_back(layers().Accumulate(part, Numbers(static_cast<size_t>(n), 1.0f), base));
  }
  return layers().status().ok() ? layers().Join(pieces, 0) : nullptr;
}

// Rows are rounded up, so that what reads the result finds whole vectors: by more of the last one,
// of which every function that follows is what it is of a value that counts. Of a zero it may be
// infinite, and no weight makes that vanish where calibration computes in floats.
//
// Columns that are more than a layer takes are those of several layers, whose results are added.
ir::Value* Translation::Materialized(const Form& form) {
  struct Column {  // of one term, in a place of `size` elements
    size_t term;
    int64_t from, count, size;
    ir::Value* x;
  };
  const auto rows = static_cast<int64_t>(form.bias.size());
  const int64_t all = RoundUp(rows, Multiple());
  const int64_t widest = Most(device_, "affine", "input", 'H') / Alignment() * Alignment();
  std::vector<std::vector<Column>> groups(1);
  int64_t room = widest;
  for (size_t t = 0; t < form.terms.size(); ++t) {
    const Term& term = form.terms[t];
    ir::Value* flat = FlatOf(*term.x);
    if (flat == nullptr) return nullptr;
    for (int64_t from = 0; from < term.x->count; from += widest) {
      const int64_t count = std::min(widest, term.x->count - from);
      // Vectors that are joined begin where memory may.
      const int64_t size = RoundUp(count, form.terms.size() == 1 ? Multiple() : Alignment());
      const int64_t there = std::min(size, ElementCountOf(*flat) - from);
      if (there < count) return Fitted(flat, from + count);
      ir::Value* x = layers().Part(flat, {from, 0}, {there, 1});
      if (x == nullptr) return nullptr;
      if (size > room) {
        groups.emplace_back();
        room = widest;
      }
      room -= size;
      groups.back().push_back({t, from, count, form.terms.size() == 1 ? there : size, x});
    }
  }
  int64_t most = Most(device_, "affine", "weights", 'H') / Alignment() * Alignment();
  if (groups.size() > 1) most = std::min(most, MostElements());
  std::vector<ir::Value*> pieces, vectors;
  for (const std::vector<Column>& group : groups) {
    std::vector<ir::Value*> parts;
    std::vector<int64_t> sizes;
    for (const Column& column : group) {
      parts.push_back(column.x);
      sizes.push_back(column.size);
    }
    vectors.push_back(parts.size() == 1 ? parts[0] : Beside(parts, sizes));
    if (vectors.back() == nullptr) return nullptr;
  }
  for (int64_t from = 0; from < all; from += most) {
    const int64_t to = std::min(all, from + most);
    ir::Value* sum = nullptr;
    for (size_t k = 0; k < groups.size(); ++k) {
      const int64_t columns = ElementCountOf(*vectors[k]);
      Numbers w(static_cast<size_t>((to - from) * columns)), bias(static_cast<size_t>(to - from));
      for (int64_t m = from; m < to; ++m) {
        const int64_t row = std::min(m, rows - 1);
        if (k == 0) bias[static_cast<size_t>(m - from)] = form.bias[static_cast<size_t>(row)];
        int64_t at = (m - from) * columns;
        for (const Column& column : groups[k]) {
          const Term& term = form.terms[column.term];
          std::copy_n(term.w.begin() + row * term.x->count + column.from, column.count,
                      w.begin() + at);
          at += column.size;
        }
      }
      ir::Value* y = layers().Affine(vectors[k], std::move(w), std::move(bias));
      sum = sum == nullptr ? y : Added(y, sum);
      if (sum == nullptr) return nullptr;
    }
    pieces.push_back(sum);
  }
  return layers().status().ok() ? layers().Join(pieces, 0) : nullptr;
}

}  // namespace tessera::npu
