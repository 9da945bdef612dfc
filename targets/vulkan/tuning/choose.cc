#include "targets/vulkan/tuning/choose.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/sha256.h"
#include "targets/vulkan/kernels/kernel.h"

namespace tessera::vulkan {
namespace {

// Times at the sizes that all of these have.
std::vector<double> Totals(const std::vector<const std::map<std::string, double>*>& times) {
  std::vector<double> totals(times.size(), 0);
  for (const auto& [sizes, seconds] : *times.front()) {
    const bool all = std::all_of(times.begin(), times.end(),
                                 [&](const auto* of) { return of->count(sizes) != 0; });
    if (!all) continue;
    for (size_t i = 0; i < times.size(); ++i) totals[i] += times[i]->at(sizes);
  }
  return totals;
}

}  // namespace

std::string KernelKey(const std::string& glsl) { return support::Sha256(glsl); }

absl::StatusOr<DeviceName> DeviceOf(const TuneDatabase& database, std::string_view part) {
  std::vector<DeviceName> fit;
  std::vector<std::string> names;
  for (const DeviceName& device : database.devices()) {
    names.push_back(absl::StrCat("`", device.device, "` (", device.driver, ")"));
    if (device.device.find(part) != std::string::npos) fit.push_back(device);
  }
  if (fit.size() == 1) return fit.front();
  return absl::InvalidArgumentError(
      names.empty() ? "the database holds no times"
                    : absl::StrCat(fit.empty() ? "no device" : "more than one device",
                                   " of the database has `", std::string(part),
                                   "` in its name; it has ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<size_t> ChooseKernels(Program& program, const UsesByStage& shaders,
                                     const TuneDatabase& database, const DeviceName& device) {
  size_t chosen = 0;
  for (size_t s = 0; s < program.stages.size(); ++s) {
    Stage& stage = program.stages[s];
    if (stage.IsByShaderAlone()) continue;
    const Variant before = VariantOf(stage);
    std::vector<Variant> variants;
    std::vector<const std::map<std::string, double>*> times;
    for (const Variant& variant : Variants(shaders[s])) {
      SetVariant(variant, stage);
      const absl::StatusOr<KernelText> kernel = KernelOf(program, stage);
      if (!kernel.ok()) return kernel.status();
      const auto* found = database.Find(device, KernelKey(kernel->glsl));
      if (found == nullptr) continue;
      variants.push_back(variant);
      times.push_back(found);
    }
    SetVariant(before, stage);
    if (times.empty()) continue;
    const std::vector<double> totals = Totals(times);
    const auto least = std::min_element(totals.begin(), totals.end());
    if (*least <= 0) continue;  // no size that all have
    SetVariant(variants[static_cast<size_t>(least - totals.begin())], stage);
    ++chosen;
  }
  return chosen;
}

}  // namespace tessera::vulkan
