#include "targets/npu/options.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/npu/artifact/bundle.h"

namespace tessera::npu {
namespace {

constexpr char kDefaultDevice[] = "gna-3.0";

std::vector<std::string> DeviceNames() {
  std::vector<std::string> names;
  for (const Device& device : Devices()) names.push_back(device.name);
  return names;
}

template <class... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// The last value that was given; null where there is none.
const std::string* Given(const targets::FlagValues& flags, std::string_view name) {
  const auto found = flags.find(name);
  return found == flags.end() || found->second.empty() ? nullptr : &found->second.back();
}

// One of two words: whether it is the second one.
absl::Status Choose(const targets::FlagValues& flags, std::string_view name, const char* first,
                    const char* second, bool& is_second) {
  const std::string* const text = Given(flags, name);
  if (text == nullptr) return absl::OkStatus();
  is_second = *text == second;
  if (is_second || *text == first) return absl::OkStatus();
  return Wrong("`--", std::string(name), " ", *text, "`: it takes `", first, "` or `", second, "`");
}

}  // namespace

std::vector<targets::Flag> CompileFlags() {
  return {
      {"npu-device", "NAME",
       absl::StrCat("the generation of the NPU: `", absl::StrJoin(DeviceNames(), "`, `"),
                    "`; default: ", kDefaultDevice),
       false, DeviceNames()},
      {"npu-weights",
       "TYPE",
       "`i16`, or `i8` where the device takes it beside the activations; default: i16",
       false,
       {"i16", "i8"}},
      {"npu-activations",
       "TYPE",
       "`i16`, or `i8` where the device has it: half the memory, and an output holds from 25 dB "
       "on; "
       "default: i16",
       false,
       {"i16", "i8"}},
      {"npu-fallback",
       "SIDE",
       "`host` runs what the NPU lacks on the host, `none` refuses it; default: none",
       false,
       {"none", "host"}},
      {std::string(targets::kCalibrationFlag),
       "FOLDER",
       "holds `test_data_set_K/input_I.pb` (or .npy), of which the ranges of values are measured; "
       "of `verify` the default is the data that it compares",
       false,
       {},
       targets::Flag::Reads::kSamples},
      {"scale", "INPUT=NUMBER",
       "that many integers are 1.0 of an input; with one for each input no data are needed: seeded "
       "random inputs of that range stand for them",
       true},
      {"stream", "SYMBOL",
       "a size that has no end, time, say: the artifact takes frames of it one after the other and "
       "keeps what it needs of earlier ones"},
      {"frame", "ENTRIES", "of a frame; goes with `--stream`; default: 1"},
      {"pwl-max-error", "PERCENT",
       "the greatest error of a function's table, of the function's range; default: 0.2"},
  };
}

absl::StatusOr<CompileOptions> OptionsOf(const targets::FlagValues& flags) {
  CompileOptions options;
  const std::string* const name = Given(flags, "npu-device");
  options.device = FindDevice(name == nullptr ? kDefaultDevice : *name);
  if (options.device == nullptr)
    return Wrong("`--npu-device ", *name, "`: there are `", absl::StrJoin(DeviceNames(), "`, `"),
                 "`");
  if (absl::Status s = Choose(flags, "npu-weights", "i16", "i8", options.int8_weights); !s.ok())
    return s;
  if (absl::Status s = Choose(flags, "npu-activations", "i16", "i8", options.int8_activations);
      !s.ok())
    return s;
  if (options.int8_activations) {
    const std::vector<DataType>& types = options.device->Find("affine")->Find("input")->types;
    if (std::find(types.begin(), types.end(), DataType::kInt8) == types.end())
      return Wrong("`--npu-activations i8`: ", options.device->name, " affine.input.type: i16");
  }
  if (absl::Status s = Choose(flags, "npu-fallback", "none", "host", options.host_fallback);
      !s.ok())
    return s;
  if (const std::string* const folder = Given(flags, targets::kCalibrationFlag))
    options.calibration = *folder;
  if (const std::string* const text = Given(flags, "pwl-max-error")) {
    double percent = 0;
    if (!absl::SimpleAtod(*text, &percent) || !(percent > 0) || percent > 50)
      return Wrong("`--pwl-max-error ", *text, "`: no number above 0 and up to 50");
    options.pwl_max_error = percent / 100;
    options.any_pwl_error = false;
  }
  if (const std::string* const symbol = Given(flags, "stream")) options.stream = *symbol;
  if (const std::string* const text = Given(flags, "frame")) {
    if (options.stream.empty()) return Wrong("`--frame` goes with `--stream SYMBOL`");
    if (!absl::SimpleAtoi(*text, &options.frame) || options.frame < 1 ||
        options.frame > kMostEntries)
      return Wrong("`--frame ", *text, "`: no number from 1 to ", kMostEntries);
  }
  const auto scales = flags.find("scale");
  if (scales == flags.end()) return options;
  for (const std::string& text : scales->second) {
    const size_t at = text.rfind('=');
    double scale = 0;
    if (at == std::string::npos || at == 0 || !absl::SimpleAtod(text.substr(at + 1), &scale) ||
        !(scale > 0) || !std::isfinite(scale))
      return Wrong("`--scale ", text, "`: not of the form INPUT=NUMBER with a number above 0");
    if (!options.scales.emplace(text.substr(0, at), scale).second)
      return Wrong("`--scale ", text.substr(0, at), "` given twice");
  }
  return options;
}

}  // namespace tessera::npu
