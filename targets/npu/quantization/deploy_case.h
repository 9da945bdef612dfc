// Graphs of layers in floats, deployed, and run from the artifact's bytes against the reference.
#ifndef TESSERA_TARGETS_NPU_QUANTIZATION_DEPLOY_CASE_H_
#define TESSERA_TARGETS_NPU_QUANTIZATION_DEPLOY_CASE_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/npu/artifact/bundle.h"
#include "targets/npu/device/data_type.h"

namespace tessera::npu::example {

void RegisterAll();

// `%ID = ir.Constant [...] : f32[SHAPE]` of numbers from -scale to scale.
std::string Constant(int id, const std::vector<int64_t>& shape, double scale, uint64_t seed);

// One stage on the device, over seeded samples.
struct Case {
  std::string device = "gna-2.0";
  bool int8_weights = false;
  std::string text;
  std::vector<HostState> states;
  int samples = 4;
  DataType numbers = DataType::kInt16;
};

struct Outcome {
  std::vector<double> snr;  // by output, over all samples, in dB
  Bundle bundle;
  std::string bytes;
  int64_t saturations = 0;
  std::set<std::string> endless;  // outputs
};

absl::StatusOr<Outcome> Try(const Case& c);

}  // namespace tessera::npu::example

#endif  // TESSERA_TARGETS_NPU_QUANTIZATION_DEPLOY_CASE_H_
