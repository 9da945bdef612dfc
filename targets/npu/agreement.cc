#include "targets/npu/agreement.h"

#include <cmath>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/npu/execution/executor.h"
#include "targets/reference/executor.h"

namespace tessera::npu {

Agreement AgreementOf(const ir::Tensor& network, const ir::Tensor& artifact) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Agreement agreement;
  double signal = 0, noise = 0;
  for (int64_t i = 0; i < network.size(); ++i) {
    const double value = network.AsDouble(i), error = artifact.AsDouble(i) - value;
    if (!std::isfinite(value)) {
      ++agreement.left_out;
      continue;
    }
    signal += value * value;
    noise += std::isnan(error) ? kInfinity : error * error;
  }
  const bool none = agreement.left_out > 0 && agreement.left_out == network.size();
  agreement.snr = none        ? std::numeric_limits<double>::quiet_NaN()
                  : noise > 0 ? 10 * std::log10(signal / noise)
                              : kInfinity;
  return agreement;
}

absl::StatusOr<std::vector<Agreement>> AgreementsOf(const ir::Graph& graph, const Bundle& bundle,
                                                    absl::Span<const ir::Tensor> inputs) {
  const absl::StatusOr<reference::Executor> exact = reference::Executor::Create(graph);
  if (!exact.ok()) return exact.status();
  const absl::StatusOr<std::vector<ir::Tensor>> expected = exact->Run(inputs);
  if (!expected.ok()) return expected.status();
  absl::StatusOr<Executor> device = Executor::Create(bundle);
  if (!device.ok()) return device.status();
  const absl::StatusOr<std::vector<ir::Tensor>> actual = device->RunLast(inputs);
  if (!actual.ok()) return actual.status();
  std::vector<Agreement> all;
  for (size_t k = 0; k < expected->size(); ++k) {
    const ir::Tensor &x = (*expected)[k], &y = (*actual)[k];
    if (x.size() != y.size())
      return absl::InternalError(
          absl::StrCat("output ", k, " has ", y.size(), " elements, not ", x.size()));
    all.push_back(AgreementOf(x, y));
  }
  return all;
}

}  // namespace tessera::npu
