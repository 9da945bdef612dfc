#include "targets/vulkan/tuning/database.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace tessera::vulkan {
namespace {

constexpr int kVersion = 1;

absl::Status Wrong(std::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("no database of times: ", std::string(why)));
}

}  // namespace

absl::StatusOr<TuneDatabase> TuneDatabase::Parse(std::string_view text) {
  TuneDatabase database;
  if (text.empty()) return database;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("version") || !json.contains("records") ||
      !json["records"].is_array())
    return Wrong("not JSON with `version` and `records`");
  if (json["version"] != kVersion)
    return Wrong(absl::StrCat("version ", json["version"].dump(), ", not ", kVersion));
  size_t number = 0;
  for (const auto& record : json["records"]) {
    const auto wrong = [&] { return Wrong(absl::StrCat("record ", number, " is malformed")); };
    if (!record.is_object()) return wrong();
    for (const char* field : {"device", "driver", "kernel", "sizes"}) {
      if (!record.contains(field) || !record[field].is_string()) return wrong();
    }
    if (!record.contains("seconds") || !record["seconds"].is_number()) return wrong();
    const double seconds = record["seconds"].get<double>();
    if (!std::isfinite(seconds) || seconds < 0) return wrong();
    database.Set({record["device"].get<std::string>(), record["driver"].get<std::string>()},
                 record["kernel"].get<std::string>(), record["sizes"].get<std::string>(), seconds);
    ++number;
  }
  return database;
}

std::string TuneDatabase::Serialize() const {
  nlohmann::ordered_json records = nlohmann::ordered_json::array();
  for (const auto& [device, kernels] : records_) {
    for (const auto& [kernel, all] : kernels) {
      for (const auto& [sizes, seconds] : all)
        records.push_back({{"device", device.device},
                           {"driver", device.driver},
                           {"kernel", kernel},
                           {"sizes", sizes},
                           {"seconds", seconds}});
    }
  }
  const nlohmann::ordered_json json = {{"version", kVersion}, {"records", std::move(records)}};
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

const std::map<std::string, double>* TuneDatabase::Find(const DeviceName& device,
                                                        const std::string& kernel) const {
  const auto kernels = records_.find(device);
  if (kernels == records_.end()) return nullptr;
  const auto found = kernels->second.find(kernel);
  return found == kernels->second.end() ? nullptr : &found->second;
}

std::set<DeviceName> TuneDatabase::devices() const {
  std::set<DeviceName> devices;
  for (const auto& [device, kernels] : records_) devices.insert(device);
  return devices;
}

size_t TuneDatabase::size() const {
  size_t count = 0;
  for (const auto& [device, kernels] : records_) {
    for (const auto& [kernel, all] : kernels) count += all.size();
  }
  return count;
}

}  // namespace tessera::vulkan
