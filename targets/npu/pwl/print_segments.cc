// The manual's table of how many segments functions take.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "targets/npu/pwl/curves.h"
#include "targets/npu/pwl/design.h"
#include "targets/npu/pwl/pivots.h"

int main() {
  using namespace tessera::npu;
  constexpr int64_t kIn = 1 << 20;  // integers per unit of the sums
  std::cout << "| Function | Inputs | Error | Segments | At least | Error reached | By pivots |\n"
               "| --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Curve& curve : Curves()) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i <= 4000; ++i) {
      const double y = curve.function(curve.least + (curve.most - curve.least) * i / 4000);
      low = std::min(low, y);
      high = std::max(high, y);
    }
    for (const double error : {0.01, 0.005, 0.002}) {
      TableRequest request;
      request.function = {&curve.function, kIn, 32700 / std::max(-low, high)};
      request.least = request.lowest = static_cast<int64_t>(curve.least * (kIn));
      request.most = request.highest = static_cast<int64_t>(curve.most * (kIn));
      request.max_error = error;
      const absl::StatusOr<Table> table = DesignTable(request);
      if (!table.ok()) {
        std::cerr << curve.name << ": " << table.status().message() << "\n";
        return 1;
      }
      std::cout << absl::StrFormat("| %s | %g to %g | %g %% | %d | %d | %.3f %% | %d |\n",
                                   curve.name, curve.least, curve.most, error * 100,
                                   table->segments.size(), table->lower_bound, table->error * 100,
                                   PivotSegments(curve, error * (high - low)));
    }
  }
  return 0;
}
