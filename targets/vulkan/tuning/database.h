// What kernels took on devices: a `.tdb` file, JSON.
//
// {"version": 1,
//  "records": [{"device": "llvmpipe ...", "driver": "...", "kernel": SHA-256 of its GLSL,
//               "sizes": "H=64, W=64", "seconds": 0.0012}]}
#ifndef TESSERA_TARGETS_VULKAN_TUNING_DATABASE_H_
#define TESSERA_TARGETS_VULKAN_TUNING_DATABASE_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"

namespace tessera::vulkan {

// One that was measured on one of these need not be as fast on another.
struct DeviceName {
  std::string device, driver;
  friend auto operator<=>(const DeviceName&, const DeviceName&) = default;
};

class TuneDatabase {
 public:
  // Error (InvalidArgument): text of another form or version. Nothing: an empty one.
  static absl::StatusOr<TuneDatabase> Parse(std::string_view text);
  std::string Serialize() const;  // in a fixed order

  // What is known of the same kernel and sizes is replaced.
  void Set(const DeviceName& device, const std::string& kernel, const std::string& sizes,
           double seconds) {
    records_[device][kernel][sizes] = seconds;
  }
  // By sizes; null: it was not measured there.
  const std::map<std::string, double>* Find(const DeviceName& device,
                                            const std::string& kernel) const;
  std::set<DeviceName> devices() const;
  size_t size() const;

 private:
  std::map<DeviceName, std::map<std::string, std::map<std::string, double>>> records_;
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_TUNING_DATABASE_H_
