// The choice of scales in its steps: those of numbers (scales.cc), of sums (sum_scales.cc), and the
// tables between them (scale_tables.cc).
#ifndef TESSERA_TARGETS_NPU_QUANTIZATION_CHOOSER_H_
#define TESSERA_TARGETS_NPU_QUANTIZATION_CHOOSER_H_

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "targets/npu/quantization/scales.h"

namespace tessera::npu {

inline constexpr double kMostWeight = 32767, kLeastSum = -2147483648.0, kMostSum = 2147483647.0;
inline constexpr double kRoundingRoom = 0.998;  // what rounding weights may add to a bound

// Sets with one representative each.
class Classes {
 public:
  explicit Classes(size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }
  size_t Find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Unite(size_t a, size_t b) {
    a = Find(a), b = Find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> parent_;
};

class Chooser {
 public:
  Chooser(const Network& network, const Ranges& ranges, const QuantizeOptions& options,
          std::vector<Misfit>& misfits)
      : network_(network),
        ranges_(ranges),
        options_(options),
        misfits_(misfits),
        any_(NumbersOfType(options.numbers)),
        classes_(network.buffers.size() + network.layers.size()),
        scale_(network.buffers.size() + network.layers.size(), 0),
        interval_(network.buffers.size(), any_) {
    for (size_t i = 0; i < network.buffers.size(); ++i) {
      if (network.buffers[i].is_sum) interval_[i] = {kLeastSum, kMostSum};
    }
    scaling_.layers.resize(network.layers.size());
  }

  absl::StatusOr<Scaling> Choose(const std::vector<std::pair<size_t, size_t>>& pairs);

 private:
  size_t SumNode(size_t layer) const { return network_.buffers.size() + layer; }
  double& ScaleOf(size_t node) { return scale_[classes_.Find(node)]; }
  // Of a value that is not finite there is none, and a misfit.
  absl::StatusOr<Interval> RangeOf(const ir::Value* value) const;
  void Add(Misfit misfit) const;
  void AddTable(const NetworkLayer& layer, std::string reason) const;
  void Unite(const std::vector<std::pair<size_t, size_t>>& pairs);
  void UniteAroundGates();
  absl::Status ScaleNumbers();
  absl::Status FitProducts();
  bool ScalesAlike(const NetworkLayer& a, const NetworkLayer& b) {
    const size_t ax = classes_.Find(a.x), ay = classes_.Find(a.y);
    const size_t bx = classes_.Find(b.x), by = classes_.Find(b.y);
    return (ax == bx && ay == by) || (ax == by && ay == bx);
  }
  double LeastRounding(const std::vector<size_t>& members, double scale);
  absl::Status ScaleSums(size_t layer);
  absl::Status Finish(size_t layer);
  absl::StatusOr<Table> TableAt(const NetworkLayer& layer, double sum_scale,
                                const Interval& sums) const;
  double ErrorOf(const NetworkLayer& layer) const;
  WeightForm FormOf(const NetworkLayer& layer) const;
  size_t RootOf(size_t buffer) const;
  Interval IntervalOf(size_t buffer) const;
  void FindFilled(const std::vector<std::pair<size_t, size_t>>& pairs);
  void Widen(size_t buffer, const Interval& interval);

  const Network& network_;
  const Ranges& ranges_;
  const QuantizeOptions& options_;
  std::vector<Misfit>& misfits_;
  const Interval any_;  // what a number that is no sum can be
  Classes classes_;
  std::vector<double> scale_;        // by representative; 0: not chosen
  std::vector<Interval> interval_;   // by buffer that is no part: what its integers can be
  std::vector<bool> filled_, seen_;  // by buffer that is no part, of such that has parts
  Scaling scaling_;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_QUANTIZATION_CHOOSER_H_
