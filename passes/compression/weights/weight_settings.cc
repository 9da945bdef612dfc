#include "passes/compression/weights/weight_settings.h"

#include "absl/strings/match.h"
#include "passes/compression/weights/packed_product.h"
#include "passes/compression/weights/tabled_product.h"

namespace tessera::compression {
namespace {

using Kind = Key::Kind;

constexpr char kMxfp4[] = "mxfp4", kNf4[] = "nf4";
constexpr double kMxfp4Group = 32;

constexpr Key kKeys[] = {
    {"target_scopes", Kind::kNames, "", "what is compressed; all by default"},
    {"ignored_scopes", Kind::kNames, "", "what is not"},
    {"mode", Kind::kText, "int8_asym",
     "bits of a weight, and whether grids have zero points (`asym`); `mxfp4`: floats of 4 bits "
     "with scales that are powers of two; `nf4`: codes of 4 bits for quantiles of a normal "
     "distribution",
     "int8_asym|int8_sym|int4_asym|int4_sym|int2_asym|int2_sym|mxfp4|nf4"},
    {"group_size", Kind::kNumber, "64",
     "with fewer than 8 bits: neighbouring inputs that share a scale (of `mxfp4` 32); -1: all of a "
     "channel",
     "", -1, 1 << 20},
    {"ratio", Kind::kNumber, "1",
     "with fewer than 8 bits: part of the weights that gets them; the most sensitive ones get "
     "`backup_mode`",
     "", 0, 1},
    {"backup_mode", Kind::kText, "int8_asym", "what the others get; `none`: they stay as they are",
     "none|int8_asym|int8_sym"},
    {"all_layers", Kind::kFlag, "false",
     "with fewer than 8 bits: also tables that are looked up, convolutions and the last products"},
    {"sensitivity_metric", Kind::kText, "output_error",
     "what `ratio` chooses by: the error of results (needs samples), or of weights",
     "output_error|weight_error"},
    {"data_aware", Kind::kFlag, "true",
     "with samples: codes and scales by the error of each product's result, "
     "given what the layers before it have become (GPTQ, least-squares scales)"},
    {"subset_size", Kind::kCount, "64", "samples that are used", "", 1, 1e6},
    {"format", Kind::kText, "auto",
     "of groups: blocks of ONNX's own DequantizeLinear (from opset 21 on), or ONNX Runtime's "
     "MatMulNBits; `auto`: what the model's opset has. Of `nf4` ONNX Runtime's MatMulBnb4 "
     "(`auto`), "
     "or, from opset 21 on, ONNX's own nodes that look codes up in a table (`lookup`)",
     "auto|dequantize_linear|matmul_nbits|matmul_bnb4|lookup"},
};

GroupedScheme SchemeOf(const std::string& mode) {
  GroupedScheme scheme;
  if (mode == kMxfp4) {
    // OCP microscaling: e2m1 numbers, e8m0 scales.
    static const auto* const levels =
        new std::vector<double>{-6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6};
    scheme.levels = levels;
    scheme.binary_scales = true;
    scheme.symmetric = true;
    scheme.group = 0;
    return scheme;
  }
  if (mode == kNf4) {
    scheme.levels = &NormalFloats();
    scheme.symmetric = true;
    scheme.group = 0;
    return scheme;
  }
  scheme.bits = absl::StartsWith(mode, "int2") ? 2 : absl::StartsWith(mode, "int4") ? 4 : 8;
  scheme.symmetric = absl::EndsWith(mode, "_sym");
  scheme.group = 0;
  return scheme;
}

}  // namespace

absl::Span<const Key> WeightKeys() { return kKeys; }

absl::StatusOr<WeightSettings> ReadWeightSettings(const Section& section) {
  WeightSettings settings;
  settings.targets = section.Names("target_scopes");
  settings.ignored = section.Names("ignored_scopes");
  settings.primary = SchemeOf(section.Text("mode"));
  settings.backup = SchemeOf(section.Text("backup_mode"));
  settings.has_backup = section.Text("backup_mode") != "none";
  settings.ratio = section.Number("ratio");
  settings.all_layers = section.Flag("all_layers");
  settings.by_output = section.Text("sensitivity_metric") == "output_error";
  settings.data_aware = section.Flag("data_aware");
  settings.samples = static_cast<size_t>(section.Number("subset_size"));
  if (!settings.data_aware && section.Has("subset_size"))
    return section.Error("subset_size", "means nothing with `data_aware: false`");
  const std::string format = section.Text("format");
  using Format = WeightSettings::Format;
  settings.format = format == "auto"           ? Format::kAuto
                    : format == "matmul_nbits" ? Format::kPacked
                    : format == "matmul_bnb4"  ? Format::kTabled
                    : format == "lookup"       ? Format::kLookup
                                               : Format::kBlocks;
  if (settings.primary.bits == 8) {
    for (const char* key :
         {"group_size", "ratio", "backup_mode", "all_layers", "sensitivity_metric", "format"}) {
      if (section.Has(key))
        return section.Error(key, "is about modes of fewer than 8 bits, and `mode` is one of 8");
    }
    return settings;
  }
  const bool mxfp4 = section.Text("mode") == kMxfp4;
  const double group =
      mxfp4 && !section.Has("group_size") ? kMxfp4Group : section.Number("group_size");
  if (group != static_cast<double>(static_cast<int64_t>(group)) || group == 0)
    return section.Error("group_size", "is a whole number from 1 on, or -1");
  settings.primary.group = group < 0 ? 0 : static_cast<int64_t>(group);
  if (section.Text("mode") == kNf4) {
    if (settings.format == Format::kAuto) settings.format = Format::kTabled;
    if (!IsTabled(settings.format))
      return section.Error("format", "of `nf4` is `matmul_bnb4` or `lookup`");
    if (settings.format == Format::kTabled && !IsPackableGroup(settings.primary.group))
      return section.Error("group_size", "of `matmul_bnb4` is a power of two from 16 on");
    return settings;
  }
  if (IsTabled(settings.format))
    return section.Error("format", "is about `mode: nf4`: the others have no table");
  const bool packed =
      settings.format == WeightSettings::Format::kPacked || settings.primary.bits == 2;
  if (mxfp4 && settings.format == WeightSettings::Format::kPacked)
    return section.Error("format",
                         "of `mxfp4` is `dequantize_linear`: the other has integers alone");
  if (mxfp4) settings.format = WeightSettings::Format::kBlocks;
  if (settings.primary.bits == 2 && settings.format == WeightSettings::Format::kBlocks)
    return section.Error("format", "of codes of 2 bits is `matmul_nbits`");
  if (packed && !IsPackableGroup(settings.primary.group))
    return section.Error("group_size", "of `matmul_nbits` is a power of two from 16 on");
  return settings;
}

}  // namespace tessera::compression
