#include "passes/compression/calibration/calibrate.h"

#include "absl/strings/str_cat.h"
#include "targets/reference/executor.h"

namespace tessera::calibration {

absl::Status Calibrate(const ir::Graph& graph, const SampleSource& samples,
                       absl::Span<Observer* const> observers) {
  if (samples.size() == 0) return absl::InvalidArgumentError("no samples");
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return executor.status();
  for (size_t i = 0; i < samples.size(); ++i) {
    const absl::StatusOr<std::vector<ir::Tensor>> inputs = samples.Load(i);
    if (!inputs.ok()) return inputs.status();
    const absl::Status status = executor
                                    ->Run(*inputs,
                                          [&](const ir::Value& value, const ir::Tensor& tensor) {
                                            for (Observer* observer : observers)
                                              observer->See(value, tensor);
                                          })
                                    .status();
    if (!status.ok())
      return absl::Status(status.code(), absl::StrCat(samples.NameOf(i), ": ", status.message()));
  }
  return absl::OkStatus();
}

}  // namespace tessera::calibration
