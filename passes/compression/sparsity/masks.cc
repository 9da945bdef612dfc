#include "passes/compression/sparsity/masks.h"

#include <algorithm>
#include <cmath>

namespace tessera::compression {
namespace {

struct Element {
  double importance;
  size_t matrix, at;
};

// The `count` least important ones go.
void Remove(std::vector<Element> elements, size_t count, std::vector<Mask>& masks) {
  const auto less = [](const Element& a, const Element& b) {
    if (a.importance != b.importance) return a.importance < b.importance;
    return a.matrix != b.matrix ? a.matrix < b.matrix : a.at < b.at;
  };
  count = std::min(count, elements.size());
  std::nth_element(elements.begin(), elements.begin() + static_cast<int64_t>(count), elements.end(),
                   less);
  for (size_t i = 0; i < count; ++i) masks[elements[i].matrix][elements[i].at] = false;
}

void Append(const Matrix& weights, size_t matrix, double norm, std::vector<Element>& elements) {
  for (int64_t i = 0; i < weights.size(); ++i)
    elements.push_back({std::fabs(weights.data()[i]) / norm, matrix, static_cast<size_t>(i)});
}

std::vector<Mask> Everything(const std::vector<Matrix>& weights) {
  std::vector<Mask> masks;
  for (const Matrix& matrix : weights) masks.emplace_back(static_cast<size_t>(matrix.size()), true);
  return masks;
}

size_t Part(size_t size, double level) {
  return static_cast<size_t>(std::nearbyint(level * static_cast<double>(size)));
}

}  // namespace

std::vector<Mask> LocalMasks(const std::vector<Matrix>& weights, double level) {
  std::vector<Mask> masks = Everything(weights);
  for (size_t m = 0; m < weights.size(); ++m) {
    std::vector<Element> elements;
    Append(weights[m], m, 1, elements);
    Remove(std::move(elements), Part(masks[m].size(), level), masks);
  }
  return masks;
}

std::vector<Mask> GlobalMasks(const std::vector<Matrix>& weights, double level, bool normed) {
  std::vector<Mask> masks = Everything(weights);
  std::vector<Element> elements;
  for (size_t m = 0; m < weights.size(); ++m) {
    const double norm = weights[m].norm();
    Append(weights[m], m, normed && norm > 0 ? norm : 1, elements);
  }
  const size_t count = Part(elements.size(), level);
  Remove(std::move(elements), count, masks);
  return masks;
}

Mask PatternMask(const Matrix& weights, int64_t keep, int64_t of, const Neighbours& neighbours) {
  Mask mask(static_cast<size_t>(weights.size()), true);
  const int64_t inputs = weights.cols(), stride = neighbours.stride;
  const int64_t count = neighbours.count > 0 ? neighbours.count : inputs / stride;
  // Of the neighbours that begin with an input, all groups of each row.
  const auto thin = [&](int64_t r, int64_t first) {
    std::vector<int64_t> group;
    for (int64_t begin = 0; begin < count; begin += of) {
      group.clear();
      for (int64_t n = begin; n < std::min(count, begin + of); ++n)
        group.push_back(first + n * stride);
      std::stable_sort(group.begin(), group.end(), [&](int64_t a, int64_t b) {
        return std::fabs(weights(r, a)) > std::fabs(weights(r, b));
      });
      for (size_t i = static_cast<size_t>(keep); i < group.size(); ++i)
        mask[static_cast<size_t>(r * inputs + group[i])] = false;
    }
  };
  for (int64_t r = 0; r < weights.rows(); ++r) {
    for (int64_t block = 0; block < inputs; block += count * stride) {
      for (int64_t s = 0; s < stride; ++s) thin(r, block + s);
    }
  }
  return mask;
}

}  // namespace tessera::compression
