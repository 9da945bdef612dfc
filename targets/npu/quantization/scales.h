// The scale of every value and sum of a network, and the tables that follow from them.
#ifndef TESSERA_TARGETS_NPU_QUANTIZATION_SCALES_H_
#define TESSERA_TARGETS_NPU_QUANTIZATION_SCALES_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/npu/pwl/design.h"
#include "targets/npu/quantization/network.h"
#include "targets/npu/quantization/numbers.h"
#include "targets/npu/quantization/quantize.h"

namespace tessera::npu {

struct ScaledLayer {
  RealNumbers real;
  IntegerNumbers integers;
  double input_scale = 1, weight_scale = 1, sum_scale = 1, output_scale = 1;
  bool proved = true;  // no sum can leave 32 bits
  std::optional<Table> table;
};

struct Scaling {
  std::vector<double> buffers;      // by buffer, integers per unit
  std::vector<ScaledLayer> layers;  // by layer
};

// `pairs` are buffers that have one scale besides what the network says (states). What the values
// leave no scale or table for is added to `misfits`; the result then is of no use.
absl::StatusOr<Scaling> ScalesOf(const Network& network, const Ranges& ranges,
                                 const std::vector<std::pair<size_t, size_t>>& pairs,
                                 const QuantizeOptions& options, std::vector<Misfit>& misfits);

// The device's name for the layer (device.h).
std::string_view LayerName(LayerKind kind, const Device& device);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_QUANTIZATION_SCALES_H_
