// Reductions in one pass over x in memory order.
#ifndef TESSERA_OPS_DEFS_REDUCE_KERNEL_H_
#define TESSERA_OPS_DEFS_REDUCE_KERNEL_H_

#include <cstdint>
#include <vector>

#include "codegen/support/nd.h"
#include "codegen/support/scalar.h"
#include "ir/op_info.h"
#include "ops_defs/dispatch.h"

namespace tessera::ops {

// Folds x into one double per result, then `finish`es each. `combine(accumulator, element)`.
template <class Shape, class Combine, class Finish>
bool ReduceFast(const Shape& s, const ir::KernelArgs& args, double first, Combine combine,
                Finish finish) {
  return InFloatType(s.T, [&]<class T>() {
    const T* x = args.inputs[0]->data<T>();
    T* y = args.outputs[0].mutable_data<T>();
    std::vector<double> folded(static_cast<size_t>(kernels::Count(s.Y)), first);
    // The result's strides, 0 along what is reduced.
    std::vector<int64_t> strides = kernels::BroadcastStrides(s.Y, s.X);
    const int64_t last = s.X.empty() ? 1 : s.X.back();
    const int64_t step = s.X.empty() ? 0 : strides.back();
    std::vector<int64_t> rows = s.X;
    if (!rows.empty()) rows.pop_back();
    for (kernels::Odometer at(rows); last > 0 && !at.done(); at.Next()) {
      double* result =
          folded.data() + kernels::Offset(at.index().data(), strides.data(), rows.size());
      const T* row = x + at.linear() * last;
      if (step == 0) {
        double value = *result;
        for (int64_t i = 0; i < last; ++i) value = combine(value, static_cast<double>(row[i]));
        *result = value;
      } else {
        for (int64_t i = 0; i < last; ++i) {
          result[i * step] = combine(result[i * step], static_cast<double>(row[i]));
        }
      }
    }
    for (size_t i = 0; i < folded.size(); ++i) y[i] = static_cast<T>(finish(folded[i]));
  });
}

template <class Shape>
bool ReduceSumFast(const Shape& s, const ir::KernelArgs& args) {
  return ReduceFast(
      s, args, 0.0, [](double a, double b) { return a + b; }, [](double v) { return v; });
}
template <class Shape>
bool ReduceMeanFast(const Shape& s, const ir::KernelArgs& args) {
  const double count = static_cast<double>(kernels::Product(s.R));
  return ReduceFast(
      s, args, 0.0, [](double a, double b) { return a + b; },
      [count](double v) { return v / count; });
}
template <class Shape>
bool ReduceProdFast(const Shape& s, const ir::KernelArgs& args) {
  return ReduceFast(
      s, args, 1.0, [](double a, double b) { return a * b; }, [](double v) { return v; });
}
template <class Shape>
bool ReduceMaxFast(const Shape& s, const ir::KernelArgs& args) {
  return ReduceFast(
      s, args, kernels::Lowest<double>(), [](double a, double b) { return kernels::Max(a, b); },
      [](double v) { return v; });
}
template <class Shape>
bool ReduceMinFast(const Shape& s, const ir::KernelArgs& args) {
  return ReduceFast(
      s, args, kernels::Highest<double>(), [](double a, double b) { return kernels::Min(a, b); },
      [](double v) { return v; });
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_REDUCE_KERNEL_H_
