#include "targets/vulkan/tuning/choose.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/sha256.h"
#include "targets/vulkan/kernels/kernel.h"
#include "targets/vulkan/program/match_shader.h"

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

namespace {

using Times = std::map<std::string, double>;  // by sizes

// Those of the stage's kernel, if it was measured.
absl::StatusOr<const Times*> TimesOf(const Program& program, const Stage& stage,
                                     const TuneDatabase& database, const DeviceName& device) {
  const absl::StatusOr<KernelText> kernel = KernelOf(program, stage);
  if (!kernel.ok()) return kernel.status();
  return database.Find(device, KernelKey(kernel->glsl));
}

// The least of all variants of the stage alone, at each size at which any was measured.
absl::StatusOr<Times> LeastAlone(const Program& program, size_t s,
                                 const std::vector<ShaderUse>& uses, const TuneDatabase& database,
                                 const DeviceName& device) {
  Times least;
  Stage stage = program.stages[s];
  for (const Variant& variant : Variants(UsesOf(uses, false))) {
    SetVariant(variant, stage);
    const absl::StatusOr<const Times*> times = TimesOf(program, stage, database, device);
    if (!times.ok()) return times.status();
    if (*times == nullptr) continue;
    for (const auto& [sizes, seconds] : **times) {
      const auto [known, added] = least.try_emplace(sizes, seconds);
      if (!added) known->second = std::min(known->second, seconds);
    }
  }
  return least;
}

}  // namespace

absl::StatusOr<Settled> ChooseSeveral(Program& program, const UsesByStage& shaders,
                                      const TuneDatabase& database, const DeviceName& device) {
  Settled settled;
  settled.apart.assign(program.stages.size(), false);
  for (size_t s = program.stages.size(); s-- > 0;) {
    const ShaderUse* best = nullptr;
    double most = 0;  // time that is saved
    for (const ShaderUse& use : shaders[s]) {
      if (use.stages.empty() || !AreThere(program, use.stages) || !AreThere(program, {s})) continue;
      Program merged = program;
      UseShader(use, merged, s);
      const absl::StatusOr<const Times*> together =
          TimesOf(merged, merged.stages[s], database, device);
      if (!together.ok()) return together.status();
      if (*together == nullptr) continue;
      std::vector<size_t> stages = use.stages;
      stages.push_back(s);
      std::vector<Times> alone;
      for (size_t stage : stages) {
        absl::StatusOr<Times> least = LeastAlone(program, stage, shaders[stage], database, device);
        if (!least.ok()) return least.status();
        alone.push_back(*std::move(least));
      }
      double saved = 0;
      size_t sizes_of_all = 0;
      for (const auto& [sizes, seconds] : **together) {
        const bool all = std::all_of(alone.begin(), alone.end(),
                                     [&](const Times& times) { return times.count(sizes) != 0; });
        if (!all) continue;
        ++sizes_of_all;
        saved -= seconds;
        for (const Times& times : alone) saved += times.at(sizes);
      }
      if (sizes_of_all == 0) continue;
      settled.apart[s] = true;
      if (saved <= most) continue;
      most = saved;
      best = &use;
    }
    if (best == nullptr) continue;
    settled.together += best->stages.size() + 1;
    UseShader(*best, program, s);
  }
  return settled;
}

absl::StatusOr<size_t> ChooseKernels(Program& program, const UsesByStage& shaders,
                                     const TuneDatabase& database, const DeviceName& device) {
  size_t chosen = 0;
  for (size_t s = 0; s < program.stages.size(); ++s) {
    Stage& stage = program.stages[s];
    if (stage.IsSettled()) continue;
    const Variant before = VariantOf(stage);
    std::vector<Variant> variants;
    std::vector<const std::map<std::string, double>*> times;
    for (const Variant& variant : Variants(UsesOf(shaders[s], false))) {
      SetVariant(variant, stage);
      const absl::StatusOr<const Times*> found = TimesOf(program, stage, database, device);
      if (!found.ok()) return found.status();
      if (*found == nullptr) continue;
      variants.push_back(variant);
      times.push_back(*found);
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
