#include "targets/npu/emulator/emulator.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/npu/emulator/layers.h"
#include "targets/npu/model/check.h"

namespace tessera::npu {

absl::StatusOr<OperationResult> RunOperation(const Operation& operation, const Device& device,
                                             const RunOptions& options) {
  LayerRun run(operation, device, options.use_fast, nullptr);
  absl::StatusOr<ir::Tensor> output = run.Output();
  if (!output.ok())
    return absl::Status(
        output.status().code(),
        absl::StrCat(std::string(FactsOf(operation.type).name), ": ", output.status().message()));
  return OperationResult{*std::move(output), run.saturations()};
}

absl::StatusOr<Execution> RunModel(const Model& model, const Device& device,
                                   const RunOptions& options) {
  if (const std::optional<Violation> violation = CheckModel(model, device); violation.has_value())
    return absl::InvalidArgumentError(violation->Text(model, device.name));
  Execution execution;
  for (size_t i = 0; i < model.operations.size(); ++i) {
    const Operation& operation = model.operations[i];
    const std::optional<int64_t> from = operation.operand(kInput).from;
    LayerRun run(operation, device, options.use_fast,
                 from.has_value() ? &execution.outputs[static_cast<size_t>(*from)] : nullptr);
    absl::StatusOr<ir::Tensor> output = run.Output();
    if (!output.ok())
      return absl::Status(
          output.status().code(),
          absl::StrCat("operation ", i, " (", std::string(FactsOf(operation.type).name),
                       "): ", output.status().message()));
    execution.outputs.push_back(*std::move(output));
    execution.saturations.push_back(run.saturations());
  }
  return execution;
}

}  // namespace tessera::npu
