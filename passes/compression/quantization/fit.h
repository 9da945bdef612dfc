// What is chosen by looking at the exact network and the quantized one side by side: weights that
// are rounded by what they make of results, and biases that make up for what results have become on
// average. Each is chosen before anything behind it is computed, so that later ones see what
// earlier ones have left.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_FIT_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_FIT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/compression/builder.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/quantization/side_by_side.h"
#include "passes/compression/quantization/weight_scales.h"

namespace tessera::compression {

struct QuantizedWeight {
  Grid grid;
  ir::Tensor codes;  // i32
  bool zeros_stay = false;
};

// What was decided, by the sites of the plan.
struct Decisions {
  std::vector<Grid> activations;  // by ActivationSite::range
  std::map<const ir::Value*, QuantizedWeight> weights;
};

struct FitOptions {
  bool correct_biases = true;
  bool round_by_output = true;
  WeightScheme scheme;  // of weights with an axis of channels; -1: one scale for all
  SideBySide::Limits limits = {};
};

struct Fit {
  std::map<const ir::Operation*, double> snr;         // of the result, dB; by product and output
  std::map<const ir::Value*, double> saturated;       // of activations: the part that is cut off
  std::map<const ir::Operation*, ir::Tensor> biases;  // new ones, by BiasSite::op
  size_t rounded_by_output = 0;                       // weights
};

// Changes weights in `decisions`, by the context's samples. Errors: what the reference says of a
// sample; what a product reads is not finite. Unimplemented: the network has loops.
absl::StatusOr<Fit> FitNetwork(const BuildContext& context, const Plan& plan, Decisions& decisions,
                               const FitOptions& options);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_FIT_H_
