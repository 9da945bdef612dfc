#include "targets/vulkan/options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera::vulkan {
namespace {

constexpr char kPrecision[] = "precision", kPrefer[] = "prefer", kDatabase[] = "tune-db",
               kDevice[] = "tune-device", kArena[] = "arena", kProfile[] = "device-profile";

std::string Given(const targets::FlagValues& flags, const char* name, const char* otherwise = "") {
  const auto found = flags.find(name);
  return found == flags.end() ? otherwise : found->second.back();
}

// `64M`: 1024 times 1024 bytes each; at least one.
std::optional<int64_t> BytesIn(std::string text) {
  int64_t unit = 1;
  constexpr std::string_view kUnits = "KMG";
  if (const size_t place = text.empty() ? kUnits.npos : kUnits.find(text.back());
      place != kUnits.npos) {
    unit = int64_t{1} << (10 * (place + 1));
    text.pop_back();
  }
  int64_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number < 1 || number > (int64_t{1} << 62) / unit)
    return std::nullopt;
  return number * unit;
}

}  // namespace

std::vector<targets::Flag> CompileFlags() {
  return {
      {kPrecision,
       "TYPE",
       "how floats of 32 bits are stored between dispatches, and weights: `f32`, or `f16`, which "
       "takes half the memory; they are computed in f32 always; default: f32",
       false,
       {"f32", "f16"}},
      {kPrefer,
       "WHAT",
       "`time`, or `memory`: convolutions of 3 by 3 are not taken apart by Winograd's method, "
       "which "
       "needs two to three times the memory between dispatches; default: time",
       false,
       {"time", "memory"}},
      {kArena, "SIZE",
       "the most memory that what is computed may take on the device (`64M`, `2G`, bytes); inputs "
       "for which it would be more are run part by part, with what convolutions need around each "
       "part and the same results; it goes without Winograd's method; default: any"},
      {kProfile,
       "NAME",
       "the device whose limits and times decide which kernels that are written by hand are taken: "
       "`portable`, which every device can run, `h100`, `lavapipe`, or a file (docs/vulkan.md); "
       "default: portable",
       false,
       {},
       targets::Flag::Reads::kFile},
      {kDatabase,
       "FILE",
       "a database that `tune` wrote: each kernel is the one that took the least time there",
       false,
       {},
       targets::Flag::Reads::kFile},
      {kDevice, "NAME",
       "a part of the name of the device whose times count; default: the only one of the database"},
  };
}

absl::StatusOr<CompileOptions> OptionsOf(const targets::FlagValues& flags) {
  CompileOptions options;
  const std::string precision = Given(flags, kPrecision, "f32");
  if (precision != "f32" && precision != "f16")
    return absl::InvalidArgumentError(
        absl::StrCat("`--", kPrecision, " ", precision, "`: neither f32 nor f16"));
  options.half = precision == "f16";
  const std::string prefer = Given(flags, kPrefer, "time");
  if (prefer != "time" && prefer != "memory")
    return absl::InvalidArgumentError(
        absl::StrCat("`--", kPrefer, " ", prefer, "`: neither time nor memory"));
  options.least_memory = prefer == "memory";
  if (const std::string arena = Given(flags, kArena); !arena.empty()) {
    const std::optional<int64_t> bytes = BytesIn(arena);
    if (!bytes.has_value())
      return absl::InvalidArgumentError(
          absl::StrCat("`--", kArena, " ", arena, "`: no number of bytes, such as 64M"));
    options.arena = *bytes;
    options.least_memory = true;
  }
  options.device_profile = Given(flags, kProfile);
  options.tune_db = Given(flags, kDatabase);
  options.tune_device = Given(flags, kDevice);
  if (!options.tune_device.empty() && options.tune_db.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("`--", kDevice, "` goes with `--", kDatabase, "`"));
  return options;
}

}  // namespace tessera::vulkan
