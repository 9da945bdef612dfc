#include "fuzz/networks/judge.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fuzz/networks/calibrated.h"
#include "fuzz/networks/noise.h"
#include "solver/assignment.h"
#include "targets/reference/executor.h"
#include "tools/proving/discharge.h"
#include "tools/verification/comparison.h"
#include "tools/verification/halves.h"
#include "tools/verification/sizes.h"

namespace tessera::fuzz {
namespace {

constexpr size_t kSizes = kSamples;
constexpr double kModerate = 1e5;
constexpr double kTolerance = 1e-4;
// What a device that an SNR is asked of may leave on each value: a table's error, above all.
constexpr double kCoarse = 2e-3;
// A few units of the last place of f32.
constexpr double kLastBits = 5e-7;

std::string SizesText(const solver::Assignment& sizes) {
  return sizes.empty() ? "known sizes" : solver::ToText(sizes);
}

// The first two lines of a message with `N` for numbers: equal defects have equal texts.
std::string Normalized(const absl::Status& status) {
  const std::string message(status.message());
  const size_t first = message.find('\n');
  const std::string lines =
      message.substr(0, first == std::string::npos ? first : message.find('\n', first + 1));
  std::string text;
  for (const char c : lines) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit) {
      text += c == '\n' ? ' ' : c;
    } else if (text.empty() || text.back() != 'N') {
      text += 'N';
    }
  }
  return text;
}

bool IsModerate(const ir::Tensor& tensor) {
  if (!ir::IsFloat(tensor.dtype())) return true;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (!(std::abs(tensor.AsDouble(i)) <= kModerate)) return false;
  }
  return true;
}

// Whether an error is what a few roundings of the largest element are, all there is to tell
// elements apart that should be equal; or one of denormal numbers, which devices may take for 0.
bool IsRounding(const ir::Tensor& expected, double error) {
  double largest = 0;
  if (!ir::IsFloat(expected.dtype())) return false;
  for (int64_t i = 0; i < expected.size(); ++i)
    largest = std::max(largest, std::abs(expected.AsDouble(i)));
  return error <= std::max(1e-6 * largest, 1e-37);
}

// Floats a few units of the last place away.
ir::Tensor Nudged(const ir::Tensor& tensor, int64_t phase) {
  if (!ir::IsFloat(tensor.dtype())) return tensor;
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double sign = (i + phase) % 2 == 0 ? 1 : -1;
    values.push_back(tensor.AsDouble(i) * (1 + sign * 1e-6) + sign * 1e-7);
  }
  return ir::Tensor::Of<double>(tensor.dtype(), tensor.shape(), values);
}

struct Sample {
  solver::Assignment sizes;
  std::vector<ir::Tensor> inputs, expected;
  std::vector<bool> firm;  // of each output: small changes of the inputs change it little
};

// The same network on f64 wherever it has f32.
Recipe Widened(Recipe recipe) {
  const auto widen = [](ir::DType& dtype) {
    if (dtype == ir::DType::kF32) dtype = ir::DType::kF64;
  };
  for (RecipeInput& input : recipe.inputs) widen(input.dtype);
  for (Step& step : recipe.steps) {
    for (RecipeOperand& operand : step.operands) {
      if (operand.constant.has_value() && operand.constant->dtype() == ir::DType::kF32)
        operand.constant = operand.constant->CastTo(ir::DType::kF64);
    }
    for (ir::Attribute& attr : step.attrs) {
      if (auto* const dtype = std::get_if<ir::DType>(&attr)) widen(*dtype);
    }
  }
  return recipe;
}

// Outputs that more bits change say nothing either: where a small number is left of large ones.
void CompareWithWidened(const Recipe& recipe, std::vector<Sample>& samples) {
  ir::Graph graph;
  std::vector<ir::Value*> values;
  if (!Build(Widened(recipe), graph, values).ok()) return;  // an op that takes no f64
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return;
  for (Sample& sample : samples) {
    std::vector<ir::Tensor> inputs;
    for (const ir::Tensor& input : sample.inputs) {
      inputs.push_back(input.dtype() == ir::DType::kF32 ? input.CastTo(ir::DType::kF64) : input);
    }
    const absl::StatusOr<std::vector<ir::Tensor>> outputs = executor->Run(inputs);
    if (!outputs.ok() || outputs->size() != sample.expected.size()) continue;
    for (size_t i = 0; i < outputs->size(); ++i) {
      const ir::Tensor narrowed = (*outputs)[i].CastTo(sample.expected[i].dtype());
      sample.firm[i] = sample.firm[i] &&
                       verification::Compare(sample.expected[i], narrowed, kTolerance / 2).holds;
    }
  }
}

// Of a device with coarse numbers: outputs that these alone bring below what is asked of it.
void CompareWithNoise(const Recipe& recipe, double least_snr, std::vector<Sample>& samples) {
  for (Sample& sample : samples) {
    for (const uint64_t seed : {1, 2}) {
      const absl::StatusOr<std::vector<ir::Tensor>> outputs =
          RunWithNoise(recipe, sample.inputs, {kCoarse, true}, seed);
      for (size_t i = 0; i < sample.expected.size(); ++i) {
        sample.firm[i] =
            sample.firm[i] && outputs.ok() &&
            verification::Compare(sample.expected[i], (*outputs)[i], kTolerance / 2, least_snr)
                .holds;
      }
    }
  }
}

// Whether the last bits of some value decide what an output is: equal numbers that are taken apart,
// say, which every order of sums leaves unequal otherwise.
bool HangsOnLastBits(const Recipe& recipe, const Sample& sample, size_t output) {
  for (const uint64_t seed : {1, 2}) {
    const absl::StatusOr<std::vector<ir::Tensor>> outputs =
        RunWithNoise(recipe, sample.inputs, {kLastBits, false}, seed);
    if (!outputs.ok() ||
        !verification::Compare(sample.expected[output], (*outputs)[output], kTolerance / 2).holds)
      return true;
  }
  return false;
}

// Reason why there are none, or empty.
std::string Samples(const ir::Graph& graph, uint64_t seed, std::vector<Sample>& samples) {
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return Normalized(executor.status());
  for (const solver::Assignment& sizes : verification::ChooseSizes(graph, kSizes, seed)) {
    absl::StatusOr<std::vector<ir::Tensor>> inputs = verification::RandomInputs(graph, sizes, seed);
    if (!inputs.ok()) return Normalized(inputs.status());
    absl::StatusOr<std::vector<ir::Tensor>> expected = executor->Run(*inputs);
    if (!expected.ok()) return Normalized(expected.status());
    Sample sample{sizes, *std::move(inputs), *std::move(expected), {}};
    sample.firm.assign(sample.expected.size(), true);
    for (const int64_t phase : {0, 1}) {
      std::vector<ir::Tensor> nudged;
      for (const ir::Tensor& input : sample.inputs) nudged.push_back(Nudged(input, phase));
      const absl::StatusOr<std::vector<ir::Tensor>> moved = executor->Run(nudged);
      for (size_t i = 0; i < sample.expected.size(); ++i) {
        sample.firm[i] =
            sample.firm[i] && moved.ok() && IsModerate(sample.expected[i]) &&
            verification::Compare(sample.expected[i], (*moved)[i], kTolerance / 2).holds;
      }
    }
    samples.push_back(std::move(sample));
  }
  return samples.empty() ? "no sizes" : "";
}

}  // namespace

Verdict Judge(const Recipe& recipe, const verification::Target& target, uint64_t seed) {
  ir::Graph graph;
  std::vector<ir::Value*> values;
  if (const absl::Status built = Build(recipe, graph, values); !built.ok())
    return {Verdict::kNoValues, "not built", std::string(built.message())};
  if (graph.outputs().empty()) return {Verdict::kNoValues, "no outputs", ""};
  std::vector<Sample> samples;
  if (const std::string reason = Samples(graph, seed, samples); !reason.empty())
    return {Verdict::kNoValues, absl::StrCat("reference: ", reason), ""};
  CompareWithWidened(recipe, samples);
  const std::vector<bool> on_halves = verification::FollowFromHalves(graph);

  const absl::StatusOr<std::string> artifact = target.Compile(graph);
  if (!artifact.ok()) {
    // Of what is computed when the network is compiled some is found to fail for every input.
    const bool stated = absl::IsUnimplemented(artifact.status()) ||
                        absl::IsFailedPrecondition(artifact.status()) ||
                        (absl::StrContains(artifact.status().message(), "pass `fold-constants`") &&
                         absl::StrContains(artifact.status().message(), "constraint `"));
    return {stated ? Verdict::kRefused : Verdict::kFinding,
            absl::StrCat("compile: ", Normalized(artifact.status())),
            std::string(artifact.status().message())};
  }
  if (const absl::Status proved = proving::ShapeCheck("network")(graph); !proved.ok()) {
    return {Verdict::kFinding, absl::StrCat("refuted: ", Normalized(proved)),
            std::string(proved.message())};
  }
  if (target.least_snr() > 0) CompareWithNoise(recipe, target.least_snr(), samples);
  for (const Sample& sample : samples) {
    const absl::StatusOr<std::vector<ir::Tensor>> actual = target.Execute(*artifact, sample.inputs);
    if (!actual.ok()) {
      return {Verdict::kFinding, absl::StrCat("run: ", Normalized(actual.status())),
              absl::StrCat(SizesText(sample.sizes), ": ", std::string(actual.status().message()))};
    }
    if (actual->size() != sample.expected.size())
      return {Verdict::kFinding, "another number of outputs", SizesText(sample.sizes)};
    for (size_t i = 0; i < actual->size(); ++i) {
      if ((*actual)[i].shape() == sample.expected[i].shape() && !sample.firm[i]) continue;
      const double tolerance = std::max(kTolerance, target.tolerance());
      const verification::Comparison comparison = verification::Compare(
          sample.expected[i], (*actual)[i],
          on_halves[i] ? std::max(tolerance, verification::kHalvesTolerance) : tolerance,
          target.least_snr());
      // Where nothing but zeros is expected there is no signal.
      if (comparison.snr < 0 && std::isinf(comparison.snr) && comparison.max_abs <= kCoarse)
        continue;
      const bool near = absl::StartsWith(comparison.complaint, "PEIR");
      if (comparison.holds || (near && IsRounding(sample.expected[i], comparison.max_abs)))
        continue;
      // Asked for what differs alone: whole numbers in floats hang on them too, where they are cut.
      if (near && HangsOnLastBits(recipe, sample, i)) continue;
      return {Verdict::kFinding, "other values",
              absl::StrCat(SizesText(sample.sizes), ", output ", i, ": ", comparison.complaint)};
    }
  }
  return {Verdict::kHolds, "", ""};
}

namespace {

// The steps that a refusal names, by their labels or as what the network's outputs come from.
std::set<size_t> Named(const Recipe& recipe, const std::string& refusal) {
  std::set<size_t> named;
  for (size_t i = 0; i < recipe.steps.size(); ++i) {
    if (absl::StrContains(refusal, absl::StrCat("`", LabelOf(recipe, i), "`"))) named.insert(i);
  }
  ir::Graph graph;
  std::vector<ir::Value*> values;
  if (!named.empty() || !Build(recipe, graph, values).ok()) return named;
  std::set<const ir::Value*> outputs;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    if (absl::StrContains(refusal, absl::StrCat("output `out", i, "`")))
      outputs.insert(graph.outputs()[i]);
  }
  for (size_t i = 0; i < recipe.steps.size(); ++i) {
    for (int r = 0; r < recipe.steps[i].results; ++r) {
      if (outputs.count(values[static_cast<size_t>(recipe.FirstResult(i) + r)]) != 0)
        named.insert(i);
    }
  }
  return named;
}

}  // namespace

Verdict JudgeWhatIsTaken(Recipe& recipe, const verification::Target& target, uint64_t seed,
                         std::set<std::string>& refusals) {
  Verdict verdict = Judge(recipe, target, seed);
  for (int round = 0; round < 12 && verdict.kind == Verdict::kRefused; ++round) {
    refusals.insert(verdict.reason);
    const std::set<size_t> named = Named(recipe, verdict.detail);
    if (named.empty()) return verdict;
    recipe = Without(recipe, named);
    if (recipe.steps.empty()) return verdict;
    verdict = Judge(recipe, target, seed);
  }
  return verdict;
}

Recipe Tempered(const Recipe& recipe, uint64_t seed) {
  Recipe result = recipe;
  for (int round = 0; round < 8 && !result.steps.empty(); ++round) {
    ir::Graph graph;
    std::vector<ir::Value*> values;
    if (!Build(result, graph, values).ok()) return {};
    std::map<const ir::Value*, size_t> step_of;
    for (size_t i = 0; i < result.steps.size(); ++i) {
      for (int r = 0; r < result.steps[i].results; ++r)
        step_of.emplace(values[static_cast<size_t>(result.FirstResult(i) + r)], i);
    }
    std::set<size_t> wild;
    const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
    if (!executor.ok()) return {};
    size_t reached = 0;
    bool failed = false;
    for (const solver::Assignment& sizes : verification::ChooseSizes(graph, kSizes, seed)) {
      const auto inputs = verification::RandomInputs(graph, sizes, seed);
      if (!inputs.ok()) return {};
      const auto observe = [&](const ir::Value& value, const ir::Tensor& tensor) {
        const auto step = step_of.find(&value);
        if (step == step_of.end()) return;
        reached = std::max(reached, step->second + 1);
        if (!IsModerate(tensor)) wild.insert(step->second);
      };
      reached = 0;
      if (!executor->Run(*inputs, observe).ok()) {
        // The one behind the last that had values has none: an index of data outside, say.
        wild.insert(std::min(reached, result.steps.size() - 1));
        failed = true;
        break;
      }
    }
    if (wild.empty() && !failed) return result;
    result = Without(result, wild);
  }
  return result;
}

Recipe Reduced(const Recipe& recipe, const verification::Target& target, uint64_t seed,
               const std::string& reason) {
  const auto still = [&](const Recipe& candidate) {
    if (candidate.steps.empty()) return false;
    const Verdict verdict = Judge(candidate, target, seed);
    return verdict.kind == Verdict::kFinding && verdict.reason == reason;
  };
  Recipe best = recipe;
  for (bool smaller = true; smaller;) {
    smaller = false;
    const auto take = [&](Recipe candidate) {
      if (!still(candidate)) return false;
      best = std::move(candidate);
      return smaller = true;
    };
    // Whole halves first: most of a network has nothing to do with it.
    for (size_t size = best.steps.size(); size > 0; size /= 2) {
      for (size_t first = 0; first < best.steps.size();) {
        std::set<size_t> steps;
        for (size_t i = first; i < std::min(first + size, best.steps.size()); ++i) steps.insert(i);
        if (!take(Without(best, steps))) first += size;
      }
    }
    // A step's result in the place of another step's, where the network stays legal.
    for (size_t i = 0; i < best.steps.size(); ++i) {
      const int own = best.FirstResult(i);
      for (size_t o = 0; o < best.steps[i].operands.size(); ++o) {
        const int operand = best.steps[i].operands[o].value;
        if (operand < 0) continue;
        Recipe candidate = best;
        for (size_t later = i + 1; later < candidate.steps.size(); ++later) {
          for (RecipeOperand& use : candidate.steps[later].operands) {
            if (use.value == own) use.value = operand;
          }
        }
        if (take(Without(candidate, {i}))) break;
      }
      if (i >= best.steps.size()) break;
    }
    for (size_t i = 0; i < best.outputs.size() && best.outputs.size() > 1;) {
      Recipe candidate = best;
      candidate.outputs.erase(candidate.outputs.begin() + static_cast<ptrdiff_t>(i));
      if (!take(std::move(candidate))) ++i;
    }
    for (size_t i = 0; i < best.symbols.size(); ++i) {
      Recipe candidate = best;
      for (RecipeInput& input : candidate.inputs) {
        for (RecipeDim& dim : input.dims) {
          if (dim.symbol == static_cast<int>(i)) dim = {-1, best.symbols[i].least};
        }
      }
      candidate = Without(candidate, {});
      if (take(std::move(candidate))) break;
    }
  }
  return best;
}

}  // namespace tessera::fuzz
