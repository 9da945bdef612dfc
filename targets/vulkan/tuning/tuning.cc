#include "targets/vulkan/tuning/tuning.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/artifact/emit.h"
#include "targets/vulkan/executor.h"
#include "targets/vulkan/kernels/kernel.h"
#include "targets/vulkan/program/match_shader.h"
#include "targets/vulkan/tuning/choose.h"

namespace tessera::vulkan {
namespace {

double Median(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const size_t n = seconds.size();
  return (seconds[(n - 1) / 2] + seconds[n / 2]) / 2;
}

// Medians by dispatch; none of one that has nothing to do.
absl::StatusOr<std::vector<std::optional<double>>> TimesOf(Executor& executor,
                                                           const std::vector<ir::Tensor>& inputs,
                                                           int runs) {
  std::vector<std::vector<double>> seconds;
  std::vector<bool> idle;
  for (int run = 0; run <= runs; ++run) {
    const auto steps = executor.Profile(inputs);
    if (!steps.ok()) return steps.status();
    seconds.resize(steps->size());
    idle.resize(steps->size());
    for (size_t i = 0; i < steps->size(); ++i) {
      idle[i] = (*steps)[i].info.invocations == 0;
      if (run > 0) seconds[i].push_back((*steps)[i].seconds);
    }
  }
  std::vector<std::optional<double>> medians;
  for (size_t i = 0; i < seconds.size(); ++i)
    medians.push_back(idle[i] ? std::nullopt : std::optional<double>(Median(seconds[i])));
  return medians;
}

}  // namespace

absl::StatusOr<Tuned> MeasureKernels(ir::Graph& graph, Program program,
                                     const UsesByStage& shaders_of,
                                     absl::Span<const std::vector<ir::Tensor>> inputs,
                                     absl::Span<const std::string> labels, int runs,
                                     const std::function<void(const std::string&)>& progress,
                                     TuneDatabase& database) {
  Tuned tuned;
  std::set<std::string> measured;
  Shaders shaders;
  std::vector<std::vector<Variant>> variants;   // by stage
  std::vector<std::vector<ShaderUse>> several;  // those that take other stages with them
  size_t rounds = 0, rounds_of_several = 0;
  for (const std::vector<ShaderUse>& uses : shaders_of) {
    variants.push_back(Variants(UsesOf(uses, false)));
    several.push_back(UsesOf(uses, true));
    rounds = std::max(rounds, variants.back().size());
    rounds_of_several = std::max(rounds_of_several, several.back().size());
  }
  const auto measure = [&](const Program& one, size_t round) -> absl::Status {
    std::vector<std::string> keys;  // by stage
    for (const Stage& stage : one.stages) {
      const absl::StatusOr<KernelText> kernel = KernelOf(one, stage);
      if (!kernel.ok()) return kernel.status();
      keys.push_back(KernelKey(kernel->glsl));
    }
    const bool fresh = std::any_of(
        keys.begin(), keys.end(), [&](const std::string& key) { return measured.count(key) == 0; });
    if (!fresh) return absl::OkStatus();
    progress(absl::StrCat("variant ", round, " of ", rounds + rounds_of_several));
    const absl::StatusOr<std::vector<uint8_t>> bytes = EmitProgram(graph, one, {}, {}, shaders);
    if (!bytes.ok()) return bytes.status();
    absl::StatusOr<Executor> executor = Executor::Create(*bytes);
    if (!executor.ok()) return executor.status();
    tuned.device = {executor->device(), executor->driver()};
    for (size_t set = 0; set < inputs.size(); ++set) {
      const auto times = TimesOf(*executor, inputs[set], runs);
      if (!times.ok()) return times.status();
      std::map<std::string, std::vector<double>> by_kernel;
      for (size_t i = 0; i < times->size(); ++i) {
        if ((*times)[i].has_value() && measured.count(keys[i]) == 0)
          by_kernel[keys[i]].push_back(*(*times)[i]);
      }
      for (const auto& [kernel, seconds] : by_kernel) {
        double sum = 0;
        for (double second : seconds) sum += second;
        database.Set(tuned.device, kernel, labels[set], sum / static_cast<double>(seconds.size()));
      }
    }
    measured.insert(keys.begin(), keys.end());
    return absl::OkStatus();
  };
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t s = 0; s < program.stages.size(); ++s)
      SetVariant(variants[s][round < variants[s].size() ? round : 0], program.stages[s]);
    if (absl::Status status = measure(program, round + 1); !status.ok()) return status;
  }
  for (size_t s = 0; s < program.stages.size(); ++s) SetVariant(variants[s][0], program.stages[s]);
  for (size_t round = 0; round < rounds_of_several; ++round) {
    Program merged = program;
    // Those that read before those that they read.
    for (size_t s = merged.stages.size(); s-- > 0;) {
      if (round < several[s].size() && AreThere(merged, several[s][round].stages) &&
          AreThere(merged, {s}))
        UseShader(several[s][round], merged, s);
    }
    DropEmptyStages(merged);
    if (absl::Status status = measure(merged, rounds + round + 1); !status.ok()) return status;
  }
  tuned.kernels = measured.size();
  return tuned;
}

}  // namespace tessera::vulkan
