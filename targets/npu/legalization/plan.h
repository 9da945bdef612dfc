// What a network becomes: stretches that run on the device or on the host, one after the other, and
// what lasts from one frame to the next.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_PLAN_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/tensor.h"
#include "targets/npu/artifact/gate_kind.h"

namespace tessera::npu {

// A graph of floats with known sizes. Its inputs and outputs are named: by the inputs and outputs
// of the network, by states, and by names of their own for what crosses from one stretch to
// another.
struct Stretch {
  enum class Side : uint8_t { kHost, kDevice } side = Side::kHost;
  std::unique_ptr<ir::Graph> graph;
};

// A value that is kept from frame to frame: what the output was becomes the input, which is
// `initial` in the first frame. All three have one shape.
struct State {
  std::string input, output;
  ir::Tensor initial;  // f32
};

// An input or output of the network that is cut into frames along an axis. Of an output entries may
// come late: entry t of all frames is entry t - delay of the network's, of which there are
// floor((T + offset) / stride) for T entries of the inputs. An output without the axis is what the
// last of such entries leaves.
struct FrameAxis {
  std::string name;
  int64_t axis = 0;     // -1: none
  int64_t entries = 1;  // in a frame
  int64_t delay = 0, stride = 1, offset = 0;
};

// An input of stretches that no input of the network is: a number for each entry of a frame, which
// it counts as an output's axis does.
struct FrameGate {
  FrameAxis axis;
  std::vector<int64_t> shape;
  GateKind kind = GateKind::kExists;
  GateWindow window;
};

struct Plan {
  std::vector<Stretch> stretches;  // in the order in which they run
  std::vector<State> states;
  // The symbol (a batch, or time) of which each entry, or some of them, is one run of all
  // stretches; outputs are put beside each other. Empty: the network has one size and runs once.
  std::string frames;
  std::vector<FrameAxis> frame_inputs, frame_outputs;
  std::vector<FrameGate> gates;
  std::vector<std::string> inputs, outputs;  // of the network, in its order
  // Multiply-adds of the network, per frame, on either side.
  int64_t device_work = 0, host_work = 0;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_PLAN_H_
