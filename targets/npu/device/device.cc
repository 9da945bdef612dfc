#include "targets/npu/device/device.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "targets/npu/device/parse.h"
#include "targets/npu/devices/devices_text.h"

namespace tessera::npu {
namespace {

template <class Map>
const typename Map::mapped_type* FindIn(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

const std::vector<Device>& All() {
  static const std::vector<Device>* const devices = [] {
    absl::StatusOr<std::vector<Device>> parsed = ParseDevices(DevicesText());
    if (!parsed.ok()) {
      std::cerr << "descriptions of devices: " << parsed.status() << "\n";
      std::abort();
    }
    return new std::vector<Device>(*std::move(parsed));
  }();
  return *devices;
}

}  // namespace

int64_t Limit::MultipleFor(DataType type) const {
  const auto found = multiples.find(type);
  return found == multiples.end() ? multiple : found->second;
}

std::string Limit::Text(DataType type) const {
  std::string text = least == most ? absl::StrCat(least) : absl::StrCat(least, "..", most);
  const int64_t factor = MultipleFor(type);
  if (factor > 1) absl::StrAppend(&text, ", a multiple of ", factor);
  return text;
}

const Limit* Place::Find(char dim) const {
  for (const auto& [letter, limit] : dims) {
    if (letter == dim) return &limit;
  }
  return nullptr;
}

const Place* Layer::Find(std::string_view place) const { return FindIn(places, place); }
const Layer* Device::Find(std::string_view layer) const { return FindIn(layers, layer); }

int64_t Device::BufferPerVector(int64_t vectors, DataType input, DataType weights) const {
  const bool narrow = input == DataType::kInt8 && weights == DataType::kInt8 && buffer_i8[0] > 0;
  const size_t row = static_cast<size_t>(std::clamp<int64_t>(vectors, 1, kVectors)) - 1;
  return std::max<int64_t>(1, (narrow ? buffer_i8 : buffer)[row] / std::max<int64_t>(1, vectors));
}

absl::Span<const Device> Devices() { return All(); }

const Device* FindDevice(std::string_view name) {
  for (const Device& device : All()) {
    if (device.name == name) return &device;
  }
  return nullptr;
}

const Device* FindRecorded(std::string_view recorded) {
  for (const Device& device : All()) {
    if (device.recorded == recorded) return &device;
  }
  return nullptr;
}

}  // namespace tessera::npu
