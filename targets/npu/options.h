// What a user asks of the target.
#ifndef TESSERA_TARGETS_NPU_OPTIONS_H_
#define TESSERA_TARGETS_NPU_OPTIONS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/npu/device/device.h"
#include "targets/target.h"

namespace tessera::npu {

struct CompileOptions {
  const Device* device = nullptr;
  bool int8_weights = false, int8_activations = false;
  bool host_fallback = false;
  double pwl_max_error = 0.002;  // in parts of a function's range
  bool any_pwl_error = true;     // nobody asked for that one: a smaller one may be taken
  std::string calibration;       // folder; empty: none
  std::string stream;            // a symbol, of which `frame` entries come at once; empty: none
  int64_t frame = 1;
  std::map<std::string, double> scales;  // integers per unit, by input
};

std::vector<targets::Flag> CompileFlags();

// Error (InvalidArgument): a value that a flag does not take, with what it takes.
absl::StatusOr<CompileOptions> OptionsOf(const targets::FlagValues& flags);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_OPTIONS_H_
