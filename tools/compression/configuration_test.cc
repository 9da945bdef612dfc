#include "tools/compression/configuration.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::tools {
namespace {

std::string ErrorOf(const std::string& text) {
  const auto configuration = ParseCompression("c.yaml", text);
  return configuration.ok() ? "none" : std::string(configuration.status().message());
}

TEST(CompressionConfiguration, IsOneAlgorithmOrAList) {
  const auto one = ParseCompression("c.yaml", "compression: {algorithm: quantization}");
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->algorithms.size(), 1u);
  const auto list = ParseCompression("c.yaml",
                                     "version: \"1.0\"\n"
                                     "compression:\n"
                                     "  - algorithm: quantization\n"
                                     "    ignored_scopes: [a, \"{re}b\"]\n"
                                     "    initializer: {range: {type: percentile}}\n");
  ASSERT_TRUE(list.ok()) << list.status();
  const compression::Section& section = list->algorithms.at(0).section;
  EXPECT_EQ(section.Names("ignored_scopes"), (std::vector<std::string>{"a", "{re}b"}));
  EXPECT_EQ(section.Text("initializer.range.type"), "percentile");
  EXPECT_EQ(section.Number("activations.bits"), 8);  // by default
  EXPECT_FALSE(section.Has("activations.bits"));
}

TEST(CompressionConfiguration, ErrorsHaveAPlaceAndWhatIsNearest) {
  EXPECT_EQ(ErrorOf(","), "c.yaml:1:1: no value begins like this");
  EXPECT_EQ(ErrorOf("compression:\n  algorithm: quantisation\n").substr(0, 50),
            "c.yaml:2:14: unknown algorithm `quantisation`; did");
  const std::string key =
      ErrorOf("compression:\n  algorithm: quantization\n  initialiser: {range: {type: mse}}\n");
  EXPECT_EQ(key.substr(0, 13), "c.yaml:3:25: ") << key;
  EXPECT_NE(key.find("`initializer.range.type`"), std::string::npos) << key;
  const std::string choice =
      ErrorOf("compression:\n  algorithm: quantization\n  initializer: {range: {type: minmax}}\n");
  EXPECT_NE(choice.find("`min_max`"), std::string::npos) << choice;
  EXPECT_EQ(ErrorOf("compresion: {}").substr(0, 12), "c.yaml:1:1: ");
}

TEST(CompressionConfiguration, RefusesWhatIsNone) {
  for (const char* text :
       {"", "[]", "compression: 3", "compression: []", "compression: {}", "version: 2",
        "compression: {algorithm: [quantization]}", "compression: {algorithm: quantization, a",
        "compression: {algorithm: quantization, quantize_weights: perhaps}",
        "compression: {algorithm: quantization, quantize_weights: [true, false]}",
        "compression: {algorithm: quantization, activations: {bits: 1e3}}",
        "compression: {algorithm: quantization, activations: {bits: eight}}",
        "compression: {algorithm: quantization, activations: ~}",
        "compression: {algorithm: quantization, ignored_scopes: [[a]]}",
        "compression: {algorithm: quantization, ? [a] : b}",
        "compression: {algorithm: quantization, algorithm: quantization}",
        "compression: {algorithm: quantization}\n---\ncompression: {algorithm: quantization}",
        "a: &a [*a]"})
    EXPECT_NE(ErrorOf(text), "none") << text;
}

TEST(CompressionConfiguration, RefusesWhatMeansNothing) {
  for (const auto& [section, said] : std::vector<std::pair<std::string, std::string>>{
           {"quantization, quantize_outputs: true}", "`quantize_outputs` goes with"},
           {"quantization, quantize_weights: false, weights: {bits: 8}}", "`weights.bits` means"},
           {"quantization, quantize_activations: false, activations: {bits: 16}}",
            "`activations.bits` means"},
           {"quantization, quantize_activations: false, initializer: {range: {type: mse}}}",
            "`initializer.range.type` means"},
           {"quantization, initializer: {range: {type: min_max, max_percentile: 99}}}",
            "`initializer.range.max_percentile` means nothing with `initializer.range.type: "
            "min_max`"},
           {"quantization, initializer: {range: {min_percentile: 1}}}",
            "`initializer.range.min_percentile` means"},
           {"quantization, initializer: {range: {type: kl, power: 2}}}",
            "`initializer.range.power` means"},
           {"magnitude_sparsity, pattern: \"2:4\", sparsity_level_setting_mode: global}",
            "`sparsity_level_setting_mode` is `local`"},
           {"magnitude_sparsity, refit: false, subset_size: 3}", "`subset_size` means"},
           {"filter_pruning, refit: false, match_statistics: false, filter_importance: L1, "
            "subset_size: 3}",
            "`subset_size` means"},
           {"weight_compression, data_aware: false, subset_size: 3}", "`subset_size` means"}}) {
    const std::string error = ErrorOf("compression: {algorithm: " + section);
    EXPECT_EQ(error.substr(0, 9), "c.yaml:1:") << section << ": " << error;
    EXPECT_NE(error.find(said), std::string::npos) << section << ": " << error;
  }
  for (const char* section :
       {"quantization, quantize_outputs: false}", "filter_pruning, refit: false, subset_size: 3}",
        "quantization, initializer: {range: {type: percentile, max_percentile: 99}}}",
        "quantization, initializer: {range: {power: 2}}}"})
    EXPECT_EQ(ErrorOf(std::string("compression: {algorithm: ") + section), "none") << section;
}

TEST(CompressionConfiguration, CountsAreWhole) {
  for (const char* section :
       {"quantization, initializer: {range: {num_init_samples: 1.5}}}",
        "weight_compression, subset_size: 2.5}", "filter_pruning, subset_size: 2.5}",
        "magnitude_sparsity, subset_size: 2.5}", "awq, subset_size: 2.5}", "awq, steps: 2.5}"}) {
    const std::string error = ErrorOf(std::string("compression: {algorithm: ") + section);
    EXPECT_NE(error.find("is a whole number, not `"), std::string::npos)
        << section << ": " << error;
  }
}

TEST(CompressionConfiguration, MayHaveOneBound) {
  const std::string plain = "compression: {algorithm: quantization}\n";
  const auto with = [&](const std::string& more) {
    return ParseCompression("c.yaml", plain + more);
  };
  EXPECT_FALSE(with("")->bound.has_value());
  for (const char* text : {"max_drop: 0.5", "max_drop: 0.5dB", "max_drop: 0.5 dB"}) {
    const auto drop = with(text);
    ASSERT_TRUE(drop.ok()) << drop.status();
    ASSERT_TRUE(drop->bound.has_value()) << text;
    EXPECT_EQ(drop->bound->kind, Bound::Kind::kMostDrop);
    EXPECT_EQ(drop->bound->decibels, 0.5);
  }
  EXPECT_EQ(with("min_snr: -3dB")->bound->ToString(), "an SNR of at least -3 dB");
  EXPECT_EQ(ErrorOf(plain + "max_drop: 5%"), "c.yaml:2:11: `max_drop` is a number of dB, not `5%`");
  for (const char* text : {"max_drop: 0", "max_drop: -1", "max_drop: nan", "max_drop: dB",
                           "max_drop: [1]", "min_snr: inf", "min_snr: 20\nmax_drop: 1"})
    EXPECT_NE(ErrorOf(plain + text), "none") << text;
  EXPECT_NE(ErrorOf(plain + "max_dorp: 1").find("`max_drop`"), std::string::npos);
}

TEST(CompressionConfiguration, TakesKeysOfNncfAndSaysWhichHaveNoEffect) {
  // As NNCF's examples have it, in JSON.
  const auto configuration = ParseCompression("c.json", R"({
    "input_info": {"sample_size": [1, 3, 224, 224]},
    "target_device": "ANY",
    "compression": [
      {
        "algorithm": "filter_pruning",
        "initializer": {"batchnorm_adaptation": {"num_bn_adaptation_samples": 64}},
        "pruning_init": 0.1,
        "params": {
          "schedule": "exponential",
          "pruning_flops_target": 0.4,
          "num_init_steps": 0,
          "pruning_steps": 15,
          "all_weights": false,
          "filter_importance": "geometric_median"
        }
      },
      {
        "algorithm": "magnitude_sparsity",
        "params": {"schedule": "multistep", "sparsity_target": 0.5}
      }
    ]
  })");
  EXPECT_NE(configuration.status().message().find("c.json:20:20: `params.schedule` is not taken "
                                                  "from NNCF: there are no steps"),
            std::string::npos)
      << configuration.status();
  const auto pruned = ParseCompression(
      "c.yaml",
      "input_info: {sample_size: [1, 3]}\n"
      "compression:\n"
      "  algorithm: filter_pruning\n"
      "  initializer: {batchnorm_adaptation: {num_bn_adaptation_samples: 64}}\n"
      "  params: {schedule: exponential, pruning_flops_target: 0.4, all_weights: false}\n");
  ASSERT_TRUE(pruned.ok()) << pruned.status();
  EXPECT_EQ(pruned->algorithms[0].section.Number("pruning_flops_target"), 0.4);
  EXPECT_EQ(pruned->algorithms[0].section.Number("subset_size"), 64);
  EXPECT_FALSE(pruned->algorithms[0].section.Has("schedule"));
  ASSERT_EQ(pruned->notes.size(), 3u);
  EXPECT_EQ(pruned->notes[0].substr(0, 12), "c.yaml:1:1: ");
  EXPECT_EQ(pruned->notes[1].substr(0, 47), "c.yaml:5:12: `params.schedule` has no effect: i");
  const auto quantized = ParseCompression(
      "c.yaml",
      "compression:\n"
      "  algorithm: quantization\n"
      "  preset: performance\n"
      "  overflow_fix: disable\n"
      "  initializer:\n"
      "    range: {type: percentile, params: {min_percentile: 0.01, max_percentile: 99.99}}\n"
      "    batchnorm_adaptation: {num_bn_adaptation_samples: 0}\n");
  ASSERT_TRUE(quantized.ok()) << quantized.status();
  const compression::Section& section = quantized->algorithms[0].section;
  EXPECT_EQ(section.Text("activations.mode"), "symmetric");
  EXPECT_EQ(section.Number("initializer.range.max_percentile"), 99.99);
  EXPECT_EQ(quantized->notes.size(), 2u);
}

TEST(CompressionConfiguration, SaysWhatStandsInPlaceOfKeysOfNncf) {
  const auto of = [](const std::string& section) {
    return ErrorOf("compression: {algorithm: " + section + "}");
  };
  for (const auto& [section, said] : std::vector<std::pair<std::string, std::string>>{
           {"filter_pruning, params: {interlayer_ranking_type: learned_ranking}", "training"},
           {"filter_pruning, params: {legr_params: {generations: 400}}", "training"},
           {"filter_pruning, params: {prune_first_conv: false}", "`ignored_scopes`"},
           {"quantization, scope_overrides: {weights: {a: {bits: 4}}}", "`target_scopes`"},
           {"quantization, initializer: {precision: {type: hawq}}", "`target_scopes`"},
           {"quantization, initializer: {range: {type: threesigma}}", "`percentile`"},
           {"quantization, overflow_fix: enable", "all their bits"},
           {"quantization, activations: {unified_scale_ops: [a]}", "`operations: network`"},
           {"rb_sparsity", "`magnitude_sparsity`"},
           {"magnitude_sparsity, validate_scopes: false", "an error"},
           // The same twice, in two places.
           {"filter_pruning, pruning_target: 0.4, params: {pruning_target: 0.5}", "twice"},
           {"filter_pruning, params: {pruning_taget: 0.5}", "`pruning_target`"},
           {"weight_compression, params: {mode: int4_sym, nodes: 3}", "unknown key"}}) {
    EXPECT_NE(of(section).find(said), std::string::npos) << section << ": " << of(section);
  }
  EXPECT_NE(ErrorOf("accuracy_aware_training: {mode: early_exit}\n"
                    "compression: {algorithm: quantization}")
                .find("`max_drop`"),
            std::string::npos);
}

TEST(Presets, AreAllRead) {
  EXPECT_GE(PresetNames().size(), 4u);
  for (const std::string& name : PresetNames()) {
    const auto preset = ReadPreset(name);
    ASSERT_TRUE(preset.ok()) << preset.status();
    for (const Chosen& chosen : preset->algorithms)
      EXPECT_TRUE(chosen.algorithm->configure(chosen.section).ok()) << name;
  }
  EXPECT_NE(std::string(ReadPreset("int9").status().message()).find("`int8`"), std::string::npos);
}

}  // namespace
}  // namespace tessera::tools
