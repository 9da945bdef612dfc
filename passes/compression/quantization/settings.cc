#include "passes/compression/quantization/settings.h"

#include <string_view>

#include "absl/strings/str_cat.h"

namespace tessera::compression {
namespace {

using Kind = Key::Kind;

constexpr Key kKeys[] = {
    {"target_scopes", Kind::kNames, "", "what is quantized; all by default"},
    {"ignored_scopes", Kind::kNames, "", "what is not"},
    {"operations", Kind::kText, "products",
     "whose operands: `products` are convolutions and matrix products, `all` also additions, "
     "poolings and the like, `network` results too, for targets that compute on integers",
     "products|all|network"},
    {"quantize_outputs", Kind::kFlag, "false", "of `network`: the network's outputs too"},
    {"quantize_activations", Kind::kFlag, "true", "whether activations are"},
    {"quantize_weights", Kind::kFlag, "true", "whether weights are"},
    {"activations.mode", Kind::kText, "asymmetric",
     "`symmetric`: the zero point is 0; `dynamic`: what a product reads gets a grid by its own "
     "range "
     "whenever it is computed, which needs no samples",
     "symmetric|asymmetric|dynamic"},
    {"activations.bits", Kind::kNumber, "8", "8 or 16", "", 8, 16},
    {"activations.signed", Kind::kFlag, "true", "`i8` rather than `u8`"},
    {"weights.mode", Kind::kText, "symmetric", "symmetric: zero points are 0",
     "symmetric|asymmetric"},
    {"weights.bits", Kind::kNumber, "8", "8 or 16", "", 8, 16},
    {"weights.signed", Kind::kFlag, "true", "`i8` rather than `u8`"},
    {"weights.per_channel", Kind::kFlag, "true", "a scale per channel"},
    {"weights.search_scales", Kind::kFlag, "true",
     "the scale with the least error, not the one that just holds the largest weight"},
    {"weights.rounding", Kind::kText, "output",
     "`output`: by what weights make of results on the samples, where there are any; `nearest`",
     "output|nearest"},
    {"initializer.range.type", Kind::kText, "lp", "how ranges of activations are chosen",
     "min_max|mean_min_max|percentile|mse|lp|kl"},
    {"initializer.range.power", Kind::kNumber, "2.25", "for `lp`", "", 1, 16},
    {"initializer.range.min_percentile", Kind::kNumber, "0.1", "for `percentile`", "", 0, 100},
    {"initializer.range.max_percentile", Kind::kNumber, "99.9", "for `percentile`", "", 0, 100},
    {"initializer.range.num_init_samples", Kind::kCount, "0", "samples that are used; 0: all", "",
     0, 1e9},
    {"correct_biases", Kind::kFlag, "true",
     "biases make up for what results have become on average"},
};

absl::StatusOr<ir::DType> Storage(const Section& section, const std::string& group) {
  const double bits = section.Number(group + ".bits");
  const bool is_signed = section.Flag(group + ".signed");
  if (bits == 8) return is_signed ? ir::DType::kI8 : ir::DType::kU8;
  if (bits == 16) return is_signed ? ir::DType::kI16 : ir::DType::kU16;
  return section.Error(group + ".bits", "is 8 or 16");
}

// What goes together with grids that are made while the network runs.
absl::Status ReadDynamic(const Section& section, QuantizationSettings& settings) {
  for (const char* key : {"activations.bits", "activations.signed", "initializer.range.type",
                          "initializer.range.power", "initializer.range.min_percentile",
                          "initializer.range.max_percentile", "initializer.range.num_init_samples",
                          "quantize_outputs"}) {
    if (section.Has(key))
      return section.Error(key,
                           "means nothing with `activations.mode: dynamic`, where u8 covers "
                           "the range of each run");
  }
  if (settings.plan.extent != PlanOptions::Extent::kProducts)
    return section.Error("operations", "of `activations.mode: dynamic` is `products`");
  if (!settings.plan.activations || !settings.plan.weights)
    return section.Error(settings.plan.activations ? "quantize_weights" : "quantize_activations",
                         "is `true` with `activations.mode: dynamic`");
  if (settings.weights.storage != ir::DType::kI8 || !settings.weights.symmetric)
    return section.Error(!settings.weights.symmetric           ? "weights.mode"
                         : section.Number("weights.bits") != 8 ? "weights.bits"
                                                               : "weights.signed",
                         "of `activations.mode: dynamic`: weights are symmetric, of i8");
  settings.plan.dynamic = true;
  settings.storage = ir::DType::kU8;
  return absl::OkStatus();
}

// Keys that say how something is done that is not.
absl::Status CheckMeaning(const Section& section, const QuantizationSettings& settings) {
  const auto nothing = [&](std::string_view prefix, std::string_view why) {
    for (const Key& key : kKeys) {
      if (key.name.substr(0, prefix.size()) == prefix && section.Has(key.name))
        return section.Error(key.name, absl::StrCat("means nothing with ", std::string(why)));
    }
    return absl::OkStatus();
  };
  absl::Status status;
  if (!settings.plan.weights) status = nothing("weights.", "`quantize_weights: false`");
  for (const char* prefix : {"activations.", "initializer."}) {
    if (status.ok() && !settings.plan.activations)
      status = nothing(prefix, "`quantize_activations: false`");
  }
  if (!status.ok()) return status;
  // NNCF's configurations say `false` of it.
  if (settings.plan.outputs && settings.plan.extent != PlanOptions::Extent::kNetwork)
    return section.Error("quantize_outputs", "goes with `operations: network`");
  const std::string type = absl::StrCat("`initializer.range.type: ", settings.range.type, "`");
  if (settings.range.type != "lp") status = nothing("initializer.range.power", type);
  for (const char* key : {"initializer.range.min_percentile", "initializer.range.max_percentile"}) {
    if (status.ok() && settings.range.type != "percentile") status = nothing(key, type);
  }
  return status;
}

}  // namespace

absl::Span<const Key> QuantizationKeys() { return kKeys; }

absl::StatusOr<QuantizationSettings> ReadSettings(const Section& section) {
  QuantizationSettings settings;
  settings.targets = section.Names("target_scopes");
  settings.ignored = section.Names("ignored_scopes");
  const std::string operations = section.Text("operations");
  settings.plan.extent = operations == "all"       ? PlanOptions::Extent::kAll
                         : operations == "network" ? PlanOptions::Extent::kNetwork
                                                   : PlanOptions::Extent::kProducts;
  settings.plan.outputs = section.Flag("quantize_outputs");
  settings.plan.activations = section.Flag("quantize_activations");
  settings.plan.weights = section.Flag("quantize_weights");
  if (!settings.plan.activations && !settings.plan.weights)
    return section.Error("quantize_weights", "and `quantize_activations` leave nothing to do");
  settings.symmetric = section.Text("activations.mode") == "symmetric";
  absl::StatusOr<ir::DType> storage = Storage(section, "activations");
  if (!storage.ok()) return storage.status();
  settings.storage = *storage;
  settings.plan.fine = ir::SizeOf(settings.storage) >= 2;
  storage = Storage(section, "weights");
  if (!storage.ok()) return storage.status();
  settings.weights.storage = *storage;
  settings.weights.symmetric = section.Text("weights.mode") == "symmetric";
  settings.weights.search = section.Flag("weights.search_scales");
  settings.per_channel = section.Flag("weights.per_channel");
  settings.range.type = section.Text("initializer.range.type");
  settings.range.power = section.Number("initializer.range.power");
  settings.range.low_percentile = section.Number("initializer.range.min_percentile");
  settings.range.high_percentile = section.Number("initializer.range.max_percentile");
  if (settings.range.low_percentile >= settings.range.high_percentile)
    return section.Error("initializer.range.min_percentile", "is not below `max_percentile`");
  settings.samples = static_cast<size_t>(section.Number("initializer.range.num_init_samples"));
  settings.correct_biases = section.Flag("correct_biases");
  settings.round_by_output = section.Text("weights.rounding") == "output";
  const bool dynamic = section.Text("activations.mode") == "dynamic";
  const absl::Status status =
      dynamic ? ReadDynamic(section, settings) : CheckMeaning(section, settings);
  if (!status.ok()) return status;
  return settings;
}

}  // namespace tessera::compression
