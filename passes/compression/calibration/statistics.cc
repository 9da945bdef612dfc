#include "passes/compression/calibration/statistics.h"

#include <algorithm>
#include <cmath>

namespace tessera::calibration {

void Statistics::Add(const ir::Tensor& tensor) {
  ++tensors;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.AsDouble(i);
    if (!std::isfinite(value)) {
      ++not_finite;
      continue;
    }
    ++elements;
    least = std::min(least, value);
    most = std::max(most, value);
    // Welford's recurrence, which does not cancel.
    const double from_mean = value - mean;
    mean += from_mean / static_cast<double>(elements);
    squares += from_mean * (value - mean);
  }
}

int64_t CountNotFinite(const ir::Tensor& tensor) {
  int64_t count = 0;
  if (tensor.dtype() == ir::DType::kF32) {
    const float* x = tensor.data<float>();
    for (int64_t i = 0; i < tensor.size(); ++i) count += std::isfinite(x[i]) ? 0 : 1;
  } else if (ir::IsFloat(tensor.dtype())) {
    for (int64_t i = 0; i < tensor.size(); ++i) count += std::isfinite(tensor.AsDouble(i)) ? 0 : 1;
  }
  return count;
}

double Statistics::Deviation() const {
  return elements == 0 ? 0 : std::sqrt(squares / static_cast<double>(elements));
}

void Collector::See(const ir::Value& value, const ir::Tensor& tensor) {
  if (tensor.dtype() == ir::DType::kBool) return;
  all_[&value].Add(tensor);
}

const Statistics* Collector::Find(const ir::Value& value) const {
  const auto found = all_.find(&value);
  return found == all_.end() ? nullptr : &found->second;
}

}  // namespace tessera::calibration
