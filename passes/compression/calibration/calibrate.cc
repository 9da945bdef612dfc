#include "passes/compression/calibration/calibrate.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/reference/executor.h"

namespace tessera::calibration {
namespace {

// Samples that are on their way at a time: so many, or as many as hold so many bytes.
constexpr size_t kMostTogether = 8;
constexpr int64_t kMostBytes = int64_t{1} << 29;

// How many are on their way decides in what order sums are made, so that it must follow from the
// samples alone: the first one runs by itself, and tells what one takes.
absl::Status RunAll(const ir::Graph& graph, const SampleSource& samples,
                    reference::Executor::Observer observer, Outputs outputs) {
  if (samples.size() == 0) return absl::InvalidArgumentError("no samples");
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return executor.status();
  size_t together = 1;
  for (size_t first = 0; first < samples.size();) {
    std::vector<std::vector<ir::Tensor>> inputs;
    while (inputs.size() < together && first + inputs.size() < samples.size()) {
      absl::StatusOr<std::vector<ir::Tensor>> loaded = samples.Load(first + inputs.size());
      if (!loaded.ok()) return loaded.status();
      inputs.push_back(*std::move(loaded));
    }
    reference::Executor::Together runs = executor->RunTogether(inputs, observer);
    if (!runs.status.ok())
      return absl::Status(runs.status.code(), absl::StrCat(samples.NameOf(first + runs.failed),
                                                           ": ", runs.status.message()));
    for (std::vector<ir::Tensor>& of_sample : runs.outputs) outputs(first++, std::move(of_sample));
    if (first == 1)
      together = static_cast<size_t>(std::clamp<int64_t>(
          kMostBytes / std::max<int64_t>(1, runs.live_bytes), 1, kMostTogether));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Calibrate(const ir::Graph& graph, const SampleSource& samples,
                       absl::Span<Observer* const> observers) {
  return RunAll(
      graph, samples,
      [&](const ir::Value& value, const ir::Tensor& tensor) {
        for (Observer* observer : observers) observer->See(value, tensor);
      },
      [](size_t, std::vector<ir::Tensor>) {});
}

absl::Status RunSamples(const ir::Graph& graph, const SampleSource& samples, Outputs outputs) {
  return RunAll(
      graph, samples, [](const ir::Value&, const ir::Tensor&) {}, outputs);
}

}  // namespace tessera::calibration
