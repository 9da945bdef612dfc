#include "targets/vulkan/selection/device_profile.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "targets/vulkan/devices/devices_text.h"

namespace tessera::vulkan {
namespace {

using Words = std::vector<std::string>;

absl::Status Bad(size_t line, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", std::string(what)));
}

// The profile that `device ...` begins.
absl::Status Begin(const Words& words, std::vector<DeviceProfile>& profiles, size_t line) {
  const auto find = [&](std::string_view name) {
    return std::find_if(profiles.begin(), profiles.end(),
                        [&](const DeviceProfile& profile) { return profile.name == name; });
  };
  if ((words.size() != 2 && words.size() != 4) || (words.size() == 4 && words[2] != "like"))
    return Bad(line, "expected `device NAME` or `device NAME like OTHER`");
  if (find(words[1]) != profiles.end())
    return Bad(line, absl::StrCat("a second device `", words[1], "`"));
  DeviceProfile profile;
  if (words.size() == 4) {
    const auto other = find(words[3]);
    if (other == profiles.end())
      return Bad(line, absl::StrCat("there is no device `", words[3], "` before it"));
    profile = *other;
  }
  profile.name = words[1];
  profiles.push_back(std::move(profile));
  return absl::OkStatus();
}

absl::Status Set(const Words& words, DeviceProfile& profile, size_t line) {
  const std::pair<std::string_view, int64_t*> kLimits[] = {
      {"shared_bytes", &profile.shared_bytes},
      {"invocations", &profile.invocations},
      {"lanes", &profile.lanes},
      {"busy_workgroup", &profile.busy_workgroup},
      {"binding_bytes", &profile.binding_bytes},
      {"steps", &profile.steps}};
  const std::pair<std::string_view, double*> kTimes[] = {{"load", &profile.load},
                                                         {"multiply", &profile.multiply},
                                                         {"exchange", &profile.exchange},
                                                         {"matrix", &profile.matrix}};
  for (const auto& [name, limit] : kLimits) {
    if (words[0] != name) continue;
    const int64_t most = limit == &profile.binding_bytes ? UINT32_MAX : INT32_MAX;
    if (words.size() == 2 && absl::SimpleAtoi(words[1], limit) && *limit >= 1 && *limit <= most)
      return absl::OkStatus();
    return Bad(line, absl::StrCat("`", std::string(name), "` is an integer between 1 and ", most));
  }
  for (const auto& [name, time] : kTimes) {
    if (words[0] != name) continue;
    if (words.size() == 2 && absl::SimpleAtod(words[1], time) && std::isfinite(*time) && *time > 0)
      return absl::OkStatus();
    return Bad(line, absl::StrCat("`", std::string(name), "` is a number above 0"));
  }
  return Bad(line,
             absl::StrCat("`", words[0],
                          "` is none of device, shared_bytes, invocations, lanes, load, multiply, "
                          "exchange, matrix, busy_workgroup, binding_bytes, steps"));
}

}  // namespace

absl::StatusOr<std::vector<DeviceProfile>> ParseProfiles(std::string_view text,
                                                         std::vector<DeviceProfile> known) {
  const size_t before = known.size();
  std::vector<DeviceProfile> profiles = std::move(known);
  size_t number = 0;
  const std::vector<std::string> lines = absl::StrSplit(std::string(text), '\n');
  for (const std::string& line : lines) {
    ++number;
    const Words words = absl::StrSplit(line.substr(0, line.find("//")), absl::ByAnyChar(" \t\r"),
                                       absl::SkipEmpty());
    if (words.empty()) continue;
    absl::Status status;
    if (words[0] == "device")
      status = Begin(words, profiles, number);
    else if (profiles.size() == before)
      status = Bad(number, "a number before the first `device`");
    else
      status = Set(words, profiles.back(), number);
    if (!status.ok()) return status;
  }
  if (profiles.size() == before) return absl::InvalidArgumentError("it names no device");
  for (const DeviceProfile& profile : profiles) {
    if (profile.shared_bytes == 0 || profile.invocations == 0 || profile.lanes == 0 ||
        profile.load == 0 || profile.multiply == 0 || profile.exchange == 0)
      return absl::InvalidArgumentError(
          absl::StrCat("device `", profile.name, "` does not have all numbers"));
  }
  return profiles;
}

const std::vector<DeviceProfile>& KnownProfiles() {
  static const auto* const known = [] {
    absl::StatusOr<std::vector<DeviceProfile>> profiles = ParseProfiles(DevicesText());
    if (!profiles.ok()) {
      std::cerr << "profiles of devices: " << profiles.status() << "\n";
      std::abort();
    }
    return new std::vector<DeviceProfile>(*std::move(profiles));
  }();
  return *known;
}

}  // namespace tessera::vulkan
