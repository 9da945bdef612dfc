// What an artifact holds: stages on the device and on the host, and what goes between them.
#ifndef TESSERA_TARGETS_NPU_ARTIFACT_BUNDLE_H_
#define TESSERA_TARGETS_NPU_ARTIFACT_BUNDLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/dtype.h"
#include "ir/tensor.h"
#include "targets/npu/artifact/gate_kind.h"
#include "targets/npu/program/program.h"

namespace tessera::npu {

// In order; values that cross from one to the next have names.
struct Stage {
  std::optional<Program> program;  // on the device; or else
  std::string text, constants;     // a graph for the host (ir/text.h, ir/constants_file.h)
};

struct HostState {
  std::string input, output;  // what a stage reads, and what the next run finds there
  ir::Tensor initial;         // f32
};

struct NetworkPort {
  std::string name;
  ir::DType dtype = ir::DType::kF32;
  std::vector<int64_t> dims;  // -1: the input decides
};

// The value is cut into frames along this axis. Of an output entries may come late: entry t of all
// frames is entry t - delay of the network's, of which there are floor((T + offset) / stride) for T
// entries of the inputs. An output without such an axis is what the last of these entries leaves.
struct FramedValue {
  std::string name;
  int axis = 0;         // -1: none
  int64_t entries = 1;  // in a frame
  int64_t delay = 0, stride = 1, offset = 0;
};
// A value that stages read and no input is: a number for each entry of a frame, which it counts as
// an output does.
struct Gate {
  FramedValue value;
  std::vector<int64_t> shape;
  GateKind kind = GateKind::kExists;
  GateWindow window;
};
inline constexpr int64_t kMostEntries = int64_t{1} << 20;  // in a frame; also of delays and strides
inline constexpr int64_t kMostFramesLate = int64_t{1} << 16;  // of an output

struct Bundle {
  std::string device;
  std::vector<NetworkPort> inputs, outputs;
  std::vector<Stage> stages;
  std::vector<HostState> host_states;
  // The symbol that says how many frames there are; empty: one run takes everything.
  std::string frames;
  std::vector<FramedValue> frame_inputs, frame_outputs;
  std::vector<Gate> gates;
  double device_share = 1;  // of the multiplications and additions
  std::map<std::string, std::string> metadata;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_ARTIFACT_BUNDLE_H_
