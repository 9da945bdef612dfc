#include "passes/compression/weights/group_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::compression {
namespace {

class Search {
 public:
  Search(const double* w, const double* importance, int64_t n, const CodeRange& range)
      : w_(w), importance_(importance), n_(n), range_(range) {}

  void Consider(double scale, int zero_point) {
    const GroupGrid grid{static_cast<float>(scale), zero_point};
    if (!IsScale(grid.scale)) return;
    double error = 0;
    for (int64_t k = 0; k < n_ && error < error_; ++k) {
      const int code = range_.Nearest(w_[k] / grid.scale, zero_point);
      const double off = range_.LevelOf(code, zero_point) * static_cast<double>(grid.scale) - w_[k];
      error += (importance_ == nullptr ? 1 : importance_[k]) * off * off;
    }
    if (error >= error_) return;
    error_ = error;
    best_ = grid;
  }
  const GroupGrid& best() const { return best_; }
  bool exact() const { return error_ == 0; }
  void SetDefault(const GroupGrid& grid) { best_ = grid; }

 private:
  const double* w_;
  const double* importance_;
  int64_t n_;
  const CodeRange& range_;
  double error_ = std::numeric_limits<double>::infinity();
  GroupGrid best_;
};

}  // namespace

int CodeRange::Nearest(double steps, int zero_point) const {
  if (levels == nullptr)
    return static_cast<int>(std::nearbyint(
        std::clamp(steps + zero_point, static_cast<double>(low), static_cast<double>(high))));
  const auto above = std::lower_bound(levels->begin(), levels->end(), steps);
  const auto code = static_cast<int>(above - levels->begin());
  if (above == levels->begin()) return 0;
  if (above == levels->end()) return high;
  return steps - *(above - 1) <= *above - steps ? code - 1 : code;
}

bool IsScale(float scale) {
  return std::fabs(scale) > std::numeric_limits<float>::min() && std::isfinite(1 / scale);
}

namespace {

// Scales that put the largest weight between a bit below the largest level and far beyond it.
void ConsiderLevels(double largest, const GroupedScheme& scheme, Search& search) {
  const double most = std::max(-scheme.levels->front(), scheme.levels->back());
  const double fits = largest / most;
  if (scheme.binary_scales) {
    const int exponent = static_cast<int>(std::ceil(std::log2(fits)));
    for (const int by : {0, -1, 1, -2}) search.Consider(std::ldexp(1.0, exponent + by), 0);
    return;
  }
  search.Consider(fits, 0);
  constexpr int kSteps = 24;
  for (int i = 0; i < kSteps && !search.exact(); ++i) {
    const double scale = fits * (0.55 + 0.6 * i / kSteps);
    search.Consider(scale, 0);
    search.Consider(-scale, 0);
  }
}

}  // namespace

GroupGrid ChooseGroupGrid(const double* w, const double* importance, int64_t n,
                          const GroupedScheme& scheme) {
  const CodeRange range = CodeRange::Of(scheme);
  double least = 0, most = 0;
  for (int64_t k = 0; k < n; ++k) {
    least = std::min(least, w[k]);
    most = std::max(most, w[k]);
  }
  Search search(w, importance, n, range);
  const int middle = scheme.symmetric || scheme.levels != nullptr ? 0 : (range.high + 1) / 2;
  search.SetDefault({1, middle});
  if (least == most) return search.best();
  const int codes = range.high - range.low;
  // Of 8 bits, steps about as many as codes; all of them would take long and gain little.
  const int from = scheme.bits == 8 ? codes - 8 : std::max(1, codes / 2);
  const int to = scheme.bits == 8 ? codes + 40 : codes + codes / 2 + 1;
  const int stride = scheme.bits == 8 ? 4 : 1;
  const double largest = std::max(-least, most);
  if (scheme.levels != nullptr) {
    ConsiderLevels(largest, scheme, search);
    return search.best();
  }
  // What just holds everything comes first: a bound for the rest.
  for (int i = from - stride; i <= to && !search.exact(); i += stride) {
    const int steps = i < from ? codes : i;
    if (scheme.symmetric) {
      search.Consider(2 * largest / steps, 0);
      // The largest may have the code without a counterpart, which is negative.
      search.Consider((most > -least ? -2 : 2) * largest / (steps + 1), 0);
      continue;
    }
    const double scale = (most - least) / steps;
    const double zero_point = range.low - least / scale;
    const int below = range.Nearest(std::floor(zero_point), 0);
    const int above = range.Nearest(std::ceil(zero_point), 0);
    search.Consider(scale, below);
    if (above != below) search.Consider(scale, above);
  }
  return search.best();
}

}  // namespace tessera::compression
