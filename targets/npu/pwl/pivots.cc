#include "targets/npu/pwl/pivots.h"

#include <cmath>

namespace tessera::npu {
namespace {

constexpr double kStep = 1e-4;

double SlopeAt(const Function& f, double x) { return (f(x + kStep) - f(x - kStep)) / (2 * kStep); }

// How far the tangent at `pivot` is from the curve at `x`.
double Off(const Function& f, double pivot, double x) {
  return std::abs(f(x) - f(pivot) - SlopeAt(f, pivot) * (x - pivot));
}

// The greatest x up to `most` at which `off(x)`, which rises, is at most `bound`.
template <class F>
double Furthest(double least, double most, double bound, F off) {
  if (off(most) <= bound) return most;
  double good = least, bad = most;
  for (int i = 0; i < 60; ++i) {
    const double middle = (good + bad) / 2;
    (off(middle) <= bound ? good : bad) = middle;
  }
  return good;
}

}  // namespace

int64_t PivotSegments(const Curve& curve, double error) {
  int64_t segments = 0;
  double begin = curve.least;
  std::vector<double> ends = curve.splits;
  ends.push_back(curve.most);
  for (const double end : ends) {
    // From where two tangents meet, twice the error off the curve, to where the next two do.
    while (begin < end) {
      const double pivot =
          Furthest(begin, end, 2 * error, [&](double t) { return Off(curve.function, t, begin); });
      begin =
          Furthest(pivot, end, 2 * error, [&](double x) { return Off(curve.function, pivot, x); });
      ++segments;
    }
  }
  return segments;
}

}  // namespace tessera::npu
