#include "tools/compression/nncf_keys.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"

namespace tessera::tools {
namespace {

using Verdict = NncfKey::Verdict;

constexpr char kTraining[] = "it is about training; the target is reached at once";
constexpr char kLeftAlone[] = "list what is to stay in `ignored_scopes`";

constexpr Verdict kMoved = Verdict::kMoved, kNothing = Verdict::kNothing,
                  kRefused = Verdict::kRefused;

// The first that fits decides.
constexpr NncfKey kKeys[] = {
    // Of all.
    {"", "compression_lr_multiplier", "", kNothing, "", "", kTraining},
    {"", "validate_scopes", "true|True", kNothing, "", "", "scopes are always checked"},
    {"", "validate_scopes", "", kRefused, "", "", "a scope that matches nothing is an error here"},

    {"filter_pruning", "pruning_init", "", kNothing, "", "", kTraining},
    {"filter_pruning", "pruning_steps", "", kNothing, "", "", kTraining},
    {"filter_pruning", "num_init_steps", "", kNothing, "", "", kTraining},
    {"filter_pruning", "schedule", "baseline|exponential|exponential_with_bias", kNothing, "", "",
     kTraining},
    {"filter_pruning", "initializer.batchnorm_adaptation.num_bn_adaptation_samples", "0", kMoved,
     "match_statistics", "false", ""},
    {"filter_pruning", "initializer.batchnorm_adaptation.num_bn_adaptation_samples", "", kMoved,
     "subset_size", "", ""},
    {"filter_pruning", "interlayer_ranking_type", "unweighted_ranking", kNothing, "", "",
     "each group of channels is ranked by itself"},
    {"filter_pruning", "interlayer_ranking_type", "", kRefused, "", "",
     "ranks between layers are not learned: that takes training"},
    {"filter_pruning", "legr_params*", "", kRefused, "", "",
     "ranks between layers are not learned: that takes training"},
    {"filter_pruning", "save_ranking_coeffs_path", "", kRefused, "", "",
     "ranks between layers are not learned: that takes training"},
    {"filter_pruning", "load_ranking_coeffs_path", "", kRefused, "", "",
     "ranks between layers are not learned: that takes training"},
    {"filter_pruning", "all_weights", "false|False", kNothing, "", "",
     "each group of channels loses the same part"},
    {"filter_pruning", "all_weights", "", kRefused, "", "",
     "each group of channels loses the same part here"},
    {"filter_pruning", "prune_first_conv", "true|True", kNothing, "", "",
     "all may lose channels that can"},
    {"filter_pruning", "prune_first_conv", "", kRefused, "", "", kLeftAlone},
    {"filter_pruning", "prune_last_conv", "true|True", kNothing, "", "",
     "all may lose channels that can"},
    {"filter_pruning", "prune_last_conv", "", kRefused, "", "", kLeftAlone},
    {"filter_pruning", "prune_downsample_convs", "true|True", kNothing, "", "",
     "all may lose channels that can"},
    {"filter_pruning", "prune_downsample_convs", "", kRefused, "", "", kLeftAlone},
    {"filter_pruning", "prune_batch_norms", "true|True", kNothing, "", "",
     "channels go with all that belongs to them"},
    {"filter_pruning", "prune_batch_norms", "", kRefused, "", "",
     "channels go with all that belongs to them"},

    {"magnitude_sparsity", "sparsity_init", "", kNothing, "", "", kTraining},
    {"magnitude_sparsity", "sparsity_target_epoch", "", kNothing, "", "", kTraining},
    {"magnitude_sparsity", "sparsity_freeze_epoch", "", kNothing, "", "", kTraining},
    {"magnitude_sparsity", "update_per_optimizer_step", "", kNothing, "", "", kTraining},
    {"magnitude_sparsity", "steps_per_epoch", "", kNothing, "", "", kTraining},
    {"magnitude_sparsity", "power", "", kNothing, "", "", kTraining},
    {"magnitude_sparsity", "concave", "", kNothing, "", "", kTraining},
    {"magnitude_sparsity", "patience", "", kNothing, "", "", kTraining},
    {"magnitude_sparsity", "schedule", "polynomial|exponential|adaptive", kNothing, "", "",
     kTraining},
    {"magnitude_sparsity", "schedule", "multistep", kRefused, "", "",
     "there are no steps without training: name the last level as `sparsity_target`"},
    {"magnitude_sparsity", "multistep_steps", "", kRefused, "", "",
     "there are no steps without training: name the last level as `sparsity_target`"},
    {"magnitude_sparsity", "multistep_sparsity_levels", "", kRefused, "", "",
     "there are no steps without training: name the last level as `sparsity_target`"},
    {"magnitude_sparsity", "initializer.batchnorm_adaptation.num_bn_adaptation_samples", "0",
     kMoved, "refit", "false", ""},
    {"magnitude_sparsity", "initializer.batchnorm_adaptation.num_bn_adaptation_samples", "", kMoved,
     "subset_size", "", ""},

    {"quantization", "preset", "mixed", kMoved, "activations.mode", "asymmetric", ""},
    {"quantization", "preset", "performance", kMoved, "activations.mode", "symmetric", ""},
    {"quantization", "initializer.range.type", "mixed_min_max", kMoved, "initializer.range.type",
     "mean_min_max", ""},
    {"quantization", "initializer.range.type", "threesigma|mean_percentile", kRefused, "", "",
     "there is none of that kind: `percentile`, or `lp`, the default, which weighs what is cut off "
     "against what is coarser"},
    {"quantization", "initializer.range.params.min_percentile", "", kMoved,
     "initializer.range.min_percentile", "", ""},
    {"quantization", "initializer.range.params.max_percentile", "", kMoved,
     "initializer.range.max_percentile", "", ""},
    {"quantization", "initializer.batchnorm_adaptation*", "", kNothing, "", "",
     "`correct_biases` does that, with all samples"},
    {"quantization", "initializer.precision*", "", kRefused, "", "",
     "bits are not searched here: sections with `target_scopes` give theirs to each part"},
    {"quantization", "scope_overrides*", "", kRefused, "", "",
     "sections with `target_scopes` give each part its own"},
    {"quantization", "overflow_fix", "disable", kNothing, "", "", "codes have all their bits"},
    {"quantization", "overflow_fix", "", kRefused, "", "", "codes have all their bits here"},
    {"quantization", "quantize_inputs", "true|True", kNothing, "", "",
     "what products read is quantized"},
    {"quantization", "quantize_inputs", "", kRefused, "", "",
     "list what reads the inputs in `ignored_scopes`"},
    {"quantization", "export_to_onnx_standard_ops", "", kNothing, "", "",
     "`QuantizeLinear` and `DequantizeLinear` are what is written"},
    {"quantization", "activations_quant_start_epoch", "", kNothing, "", "", kTraining},
    {"quantization", "weights_quant_start_epoch", "", kNothing, "", "", kTraining},
    {"quantization", "turn_off_*", "", kNothing, "", "", kTraining},
    {"quantization", "lr_poly_drop_*", "", kNothing, "", "", kTraining},
    {"quantization", "disable_wd_start_epoch", "", kNothing, "", "", kTraining},
    {"quantization", "base_lr", "", kNothing, "", "", kTraining},
    {"quantization", "base_wd", "", kNothing, "", "", kTraining},
    {"quantization", "weights.ignored_scopes", "", kRefused, "", "", kLeftAlone},
    {"quantization", "weights.target_scopes", "", kRefused, "", "",
     "`target_scopes` of a section of its own does that"},
    {"quantization", "weights.logarithm_scale", "", kNothing, "", "", kTraining},
    {"quantization", "activations.ignored_scopes", "", kRefused, "", "", kLeftAlone},
    {"quantization", "activations.target_scopes", "", kRefused, "", "",
     "`target_scopes` of a section of its own does that"},
    {"quantization", "activations.logarithm_scale", "", kNothing, "", "", kTraining},
    {"quantization", "activations.per_channel", "false|False", kNothing, "", "",
     "activations have one grid each"},
    {"quantization", "activations.per_channel", "", kRefused, "", "",
     "activations have one grid each; `equalization` and `smoothing` make their channels alike"},
    {"quantization", "activations.linked_quantizer_scopes", "", kRefused, "", "",
     "`operations: network` gives one grid to all values that an operation joins"},
    {"quantization", "activations.unified_scale_ops", "", kRefused, "", "",
     "`operations: network` gives one grid to all values that an operation joins"},
};

constexpr NncfKey kTopLevel[] = {
    {"", "input_info", "", kNothing, "", "", "sizes are the model's and the samples'"},
    {"", "target_device", "", kNothing, "", "", "presets, or `--target`, say what is computed how"},
    {"", "hw_config_type", "", kNothing, "", "",
     "presets, or `--target`, say what is computed how"},
    {"", "hw_config_subset", "", kNothing, "", "",
     "presets, or `--target`, say what is computed how"},
    {"", "disable_shape_matching", "", kNothing, "", "", "nothing is traced"},
    {"", "compression_lr_multiplier", "", kNothing, "", "", kTraining},
    {"", "log_dir", "", kNothing, "", "", "`--report` says where"},
    {"", "accuracy_aware_training", "", kRefused, "", "",
     "nothing is trained here: `max_drop` or `min_snr` beside `compression` bound the loss"},
    {"", "bootstrapNAS", "", kRefused, "", "", "no architectures are searched here"},
};

bool Fits(const NncfKey& known, std::string_view key, std::string_view value) {
  const bool begins = !known.key.empty() && known.key.back() == '*';
  const std::string_view name = known.key.substr(0, known.key.size() - (begins ? 1 : 0));
  if (begins ? key.substr(0, name.size()) != name : key != name) return false;
  if (known.values.empty()) return true;
  const std::vector<std::string> values = absl::StrSplit(std::string(known.values), '|');
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

const NncfKey* FindNncfKey(std::string_view algorithm, std::string_view key,
                           std::string_view value) {
  for (const NncfKey& known : kKeys) {
    if ((known.algorithm.empty() || known.algorithm == algorithm) && Fits(known, key, value))
      return &known;
  }
  return nullptr;
}

const NncfKey* FindNncfTopLevel(std::string_view key) {
  for (const NncfKey& known : kTopLevel) {
    if (Fits(known, key, "")) return &known;
  }
  return nullptr;
}

std::string_view WhyNoNncfAlgorithm(std::string_view name) {
  if (name == "rb_sparsity" || name == "movement_sparsity")
    return "it learns what goes by training; `magnitude_sparsity` takes the smallest weights";
  if (name == "const_sparsity")
    return "zeros stay what they are, unless weights are refitted (`refit: false`)";
  if (name == "binarization" || name == "knowledge_distillation") return "it takes training";
  if (name == "experimental_quantization") return "`quantization` is";
  return "";
}

}  // namespace tessera::tools
