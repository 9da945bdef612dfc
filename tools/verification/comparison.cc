#include "tools/verification/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::verification {
namespace {

std::string Place(const ir::Tensor& tensor, int64_t position) {
  std::vector<int64_t> index(tensor.shape().size());
  for (size_t d = index.size(); d-- > 0;) {
    index[d] = position % tensor.shape()[d];
    position /= tensor.shape()[d];
  }
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

std::string Values(const ir::Tensor& expected, const ir::Tensor& actual, int64_t i) {
  const std::string place = Place(expected, i);
  if (ir::IsFloat(expected.dtype())) {
    return absl::StrCat("at ", place, ": ", actual.AsDouble(i), ", expected ",
                        expected.AsDouble(i));
  }
  const int64_t a = actual.AsInt(i), e = expected.AsInt(i);
  if (expected.dtype() == ir::DType::kU64) {
    return absl::StrCat("at ", place, ": ", static_cast<uint64_t>(a), ", expected ",
                        static_cast<uint64_t>(e));
  }
  return absl::StrCat("at ", place, ": ", a, ", expected ", e);
}

struct Extent {
  double range;      // as comparison.h has it
  double magnitude;  // of the largest element
};

Extent ExtentOf(const ir::Tensor& expected) {
  double low = std::numeric_limits<double>::infinity(), high = -low, magnitude = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double v = expected.AsDouble(i);
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
    magnitude = std::max(magnitude, std::fabs(v));
  }
  return {high > low ? high - low : magnitude > 0 ? magnitude : 1, magnitude};
}

// The spacing of the numbers just above 1: what storing a result may cost, whatever computed it.
double Spacing(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kF16:
      return 1.0 / (1 << 10);
    case ir::DType::kBF16:
      return 1.0 / (1 << 7);
    case ir::DType::kF32:
      return std::numeric_limits<float>::epsilon();
    default:
      return std::numeric_limits<double>::epsilon();
  }
}

// Both NaN, or the same infinity.
bool SameSpecial(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

}  // namespace

Comparison Compare(const ir::Tensor& expected, const ir::Tensor& actual, double tolerance,
                   double least_snr, double step) {
  Comparison c;
  c.exact = !ir::IsFloat(expected.dtype());
  if (expected.dtype() != actual.dtype()) {
    c.complaint = absl::StrCat("dtype ", std::string(ir::NameOf(actual.dtype())), ", expected ",
                               std::string(ir::NameOf(expected.dtype())));
    return c;
  }
  if (expected.shape() != actual.shape()) {
    c.complaint = absl::StrCat("shape [", absl::StrJoin(actual.shape(), ","), "], expected [",
                               absl::StrJoin(expected.shape(), ","), "]");
    return c;
  }
  double signal = 0, noise = 0;
  int64_t worst = 0, unequal = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double e = expected.AsDouble(i), a = actual.AsDouble(i);
    if (!std::isfinite(e) || !std::isfinite(a)) {
      if (SameSpecial(e, a)) continue;
      ++unequal;
      if (!c.complaint.empty()) continue;
      c.complaint = absl::StrCat("differs ", Values(expected, actual, i));
      continue;
    }
    const double error = std::fabs(a - e);
    signal += e * e;
    noise += error * error;
    unequal += error == 0 ? 0 : 1;
    if (e != 0) c.max_rel = std::max(c.max_rel, error / std::fabs(e));
    if (error > c.max_abs) {
      c.max_abs = error;
      worst = i;
    }
  }
  c.snr = noise == 0 ? std::numeric_limits<double>::infinity() : 10 * std::log10(signal / noise);
  const Extent extent = ExtentOf(expected);
  c.peir = c.max_abs / extent.range;
  c.steps = step > 0 ? c.max_abs / step : 0;
  c.differing = expected.size() == 0
                    ? 0
                    : static_cast<double>(unequal) / static_cast<double>(expected.size());
  // Both are products of a code and a scale, each rounded to half of a spacing.
  const bool within_a_step =
      step > 0 && c.max_abs <= step + Spacing(expected.dtype()) * extent.magnitude;
  if (!c.exact && least_snr > 0) {
    if (c.complaint.empty() && !(c.snr >= least_snr) && !within_a_step) {
      c.complaint = absl::StrCat("SNR of ", c.snr, " dB is below ", least_snr, " dB, most ",
                                 Values(expected, actual, worst));
    }
  } else if (!c.exact) {
    const double spacing = Spacing(expected.dtype());
    const double allowed = std::max(tolerance, spacing);
    if (c.complaint.empty() && !(c.peir <= allowed) && !within_a_step &&
        !(c.max_abs <= spacing * extent.magnitude)) {
      c.complaint =
          absl::StrCat("PEIR ", c.peir, " exceeds ", allowed, " ", Values(expected, actual, worst));
    }
  } else if (!Identical(expected, actual)) {
    // 64-bit integers may differ where their doubles do not.
    while (c.max_abs == 0 && expected.AsInt(worst) == actual.AsInt(worst)) ++worst;
    c.complaint = absl::StrCat("differs ", Values(expected, actual, worst));
  }
  c.holds = c.complaint.empty();
  return c;
}

}  // namespace tessera::verification
