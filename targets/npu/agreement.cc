#include "targets/npu/agreement.h"

#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/npu/execution/executor.h"
#include "targets/reference/executor.h"

namespace tessera::npu {

absl::StatusOr<std::vector<double>> SnrOf(const ir::Graph& graph, const Bundle& bundle,
                                          absl::Span<const ir::Tensor> inputs) {
  const absl::StatusOr<reference::Executor> exact = reference::Executor::Create(graph);
  if (!exact.ok()) return exact.status();
  const absl::StatusOr<std::vector<ir::Tensor>> expected = exact->Run(inputs);
  if (!expected.ok()) return expected.status();
  absl::StatusOr<Executor> device = Executor::Create(bundle);
  if (!device.ok()) return device.status();
  const absl::StatusOr<std::vector<ir::Tensor>> actual = device->RunLast(inputs);
  if (!actual.ok()) return actual.status();
  std::vector<double> all;
  for (size_t k = 0; k < expected->size(); ++k) {
    const ir::Tensor &x = (*expected)[k], &y = (*actual)[k];
    if (x.size() != y.size())
      return absl::InternalError(
          absl::StrCat("output ", k, " has ", y.size(), " elements, not ", x.size()));
    double signal = 0, noise = 0;
    for (int64_t i = 0; i < x.size(); ++i) {
      const double value = x.AsDouble(i), error = y.AsDouble(i) - value;
      signal += value * value;
      noise += error * error;
    }
    all.push_back(noise > 0 ? 10 * std::log10(signal / noise)
                            : std::numeric_limits<double>::infinity());
  }
  return all;
}

}  // namespace tessera::npu
