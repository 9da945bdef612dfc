// From a graph of device layers over floats, and the ranges of its values, to a program of
// integers.
//
// Numbers of 16 or 8 bits: values that lie in the same memory, or that only moves between, have one
// scale, the greatest that what calibration saw leaves room for. Sums: the scale of a layer's sums
// is that of its input times that of its weights; sums that are added to each other have one. It is
// as great as weights, biases and sums allow, small enough that no sum can leave 32 bits if that
// leaves the greatest weight twelve bits (or else twice what calibration saw fits, and the layer is
// reported), and where the layer's function is made of lines, such that the device has their slopes
// exactly if that errs less.
#ifndef TESSERA_TARGETS_NPU_QUANTIZATION_QUANTIZE_H_
#define TESSERA_TARGETS_NPU_QUANTIZATION_QUANTIZE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "targets/npu/device/device.h"
#include "targets/npu/legalization/misfit.h"
#include "targets/npu/program/program.h"
#include "targets/npu/quantization/numbers.h"

namespace tessera::npu {

// What values were seen to be; by value of the graph.
using Ranges = absl::flat_hash_map<const ir::Value*, Interval>;

// A value that the device keeps: what a run leaves as `output` is `input` of the next one.
struct KeptState {
  std::string input, output;
  ir::Tensor initial;
};

struct QuantizeOptions {
  const Device* device = nullptr;
  bool int8_weights = false;            // where the device takes them
  DataType numbers = DataType::kInt16;  // of values that are no sums: i16 or i8
  double pwl_max_error = 0.002;
  std::map<std::string, double> scales;  // of inputs, in place of calibrated ones
  // Inputs that are parts of 1. What one multiplies and what is added to that have one scale, so
  // that the sum stays what it was where the part is 0.
  std::set<std::string> gates;
  std::vector<KeptState> states;
};

// What there is to say of a value that is not finite: of the operation that yields it, or of those
// that take it.
std::vector<Misfit> EndlessAt(const ir::Value& value);

// What the device turns out not to compute closely enough is added to `misfits`, all that is found
// at once; the program then is of no use. Errors: what NetworkOf finds; InvalidArgument where
// calibration says nothing of a value, or the device refuses what was made (with the limit).
absl::StatusOr<Program> Quantize(ir::Graph& graph, const Ranges& ranges,
                                 const QuantizeOptions& options, std::vector<Misfit>& misfits);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_QUANTIZATION_QUANTIZE_H_
