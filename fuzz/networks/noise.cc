#include "fuzz/networks/noise.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "targets/reference/executor.h"
#include "testing/sampling/random.h"

namespace tessera::fuzz {
namespace {

// Whether the step turns floats into codes, which may come out as the next one.
bool Rounds(const Step& step, const std::vector<ir::Tensor>& values) {
  return std::any_of(step.operands.begin(), step.operands.end(), [&](const RecipeOperand& operand) {
    if (operand.constant.has_value()) return ir::IsFloat(operand.constant->dtype());
    return operand.value >= 0 && ir::IsFloat(values[static_cast<size_t>(operand.value)].dtype());
  });
}

ir::Tensor OffByOne(const ir::Tensor& codes, testing::Random& random) {
  if (ir::IsFloat(codes.dtype()) || codes.dtype() == ir::DType::kBool ||
      codes.dtype() == ir::DType::kI64)
    return codes;
  std::vector<double> values;
  for (int64_t i = 0; i < codes.size(); ++i)
    values.push_back(codes.AsDouble(i) + static_cast<double>(random.Below(3) - 1));
  return ir::Tensor::Of<double>(ir::DType::kF64, codes.shape(), values).CastTo(codes.dtype());
}

ir::Tensor Noisy(const ir::Tensor& tensor, double part, testing::Random& random) {
  if (!ir::IsFloat(tensor.dtype())) return tensor;
  constexpr int64_t kSteps = 1 << 20;
  double greatest = 0;
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    values.push_back(tensor.AsDouble(i));
    if (std::isfinite(values.back())) greatest = std::max(greatest, std::abs(values.back()));
  }
  for (double& value : values) {
    const double unit = static_cast<double>(random.Below(2 * kSteps + 1)) / kSteps - 1;
    value += unit * part * greatest;
  }
  return ir::Tensor::Of<double>(tensor.dtype(), tensor.shape(), values);
}

// The step alone, as a network of known sizes. What is no float is a constant: inference may have
// to know it.
absl::StatusOr<std::vector<ir::Tensor>> RunStep(const Step& step,
                                                const std::vector<ir::Tensor>& values) {
  Recipe alone;
  Step& only = alone.steps.emplace_back(step);
  std::vector<ir::Tensor> inputs;
  for (RecipeOperand& operand : only.operands) {
    if (operand.value < 0) continue;
    const ir::Tensor& value = values[static_cast<size_t>(operand.value)];
    operand.value = -1;
    if (!ir::IsFloat(value.dtype())) {
      operand.constant = value;
      continue;
    }
    RecipeInput input{value.dtype(), {}};
    for (const int64_t size : value.shape()) input.dims.push_back({-1, size});
    operand.value = static_cast<int>(inputs.size());
    alone.inputs.push_back(std::move(input));
    inputs.push_back(value);
  }
  for (int i = 0; i < step.results; ++i)
    alone.outputs.push_back(static_cast<int>(inputs.size()) + i);
  ir::Graph graph;
  std::vector<ir::Value*> built;
  if (absl::Status status = Build(alone, graph, built); !status.ok()) return status;
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return executor.status();
  return executor->Run(inputs);
}

}  // namespace

absl::StatusOr<std::vector<ir::Tensor>> RunWithNoise(const Recipe& recipe,
                                                     absl::Span<const ir::Tensor> inputs,
                                                     const Noise& noise, uint64_t seed) {
  testing::Random random(seed);
  std::vector<ir::Tensor> values;
  for (const ir::Tensor& input : inputs) values.push_back(Noisy(input, noise.part, random));
  for (const Step& step : recipe.steps) {
    const absl::StatusOr<std::vector<ir::Tensor>> results = RunStep(step, values);
    if (!results.ok()) return results.status();
    const bool rounds = noise.codes && Rounds(step, values);
    for (const ir::Tensor& result : *results) {
      ir::Tensor noisy = Noisy(result, noise.part, random);
      values.push_back(rounds ? OffByOne(noisy, random) : std::move(noisy));
    }
  }
  std::vector<ir::Tensor> outputs;
  for (const int output : recipe.outputs) outputs.push_back(values[static_cast<size_t>(output)]);
  return outputs;
}

}  // namespace tessera::fuzz
