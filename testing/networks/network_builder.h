// Writes convolutional networks layer by layer as ONNX models, with seeded random weights.
#ifndef TESSERA_TESTING_NETWORKS_NETWORK_BUILDER_H_
#define TESSERA_TESTING_NETWORKS_NETWORK_BUILDER_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "onnx/onnx_pb.h"

namespace tessera::testing {

// An activation [N, channels, height, width], or [N, channels] behind Flatten.
struct Activation {
  std::string name;
  int64_t channels = 0;
};

struct ConvLayer {
  int64_t channels = 0;  // of the result
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t groups = 1;
};

class NetworkBuilder {
 public:
  // Opset 13; input `input` of shape [N, 3, size, size], N symbolic.
  NetworkBuilder(const std::string& name, int64_t size, uint32_t seed);

  const Activation& input() const { return input_; }

  // Weights are uniform within sqrt(3 / fan-in) of zero, whose variance is 1 / fan-in, so that
  // activations neither vanish nor grow with depth; `gain` scales them. Biases are within 0.1.
  Activation Conv(const Activation& x, const ConvLayer& layer, double gain = 1.4);
  Activation Dense(const Activation& x, int64_t channels);
  Activation Relu(const Activation& x);
  Activation Clip(const Activation& x, float low, float high);
  // `ceil`: the last window may be cut off by the border.
  Activation MaxPool(const Activation& x, int64_t kernel, int64_t stride, int64_t padding,
                     bool ceil);
  Activation Add(const Activation& x, const Activation& y);
  Activation Concat(const Activation& x, const Activation& y);  // of channels
  Activation GlobalMean(const Activation& x);
  Activation Flatten(const Activation& x);

  // The model's bytes, with `x` as output `output`.
  std::string Finish(const Activation& x);

 private:
  Activation Node(const std::string& op, const std::vector<std::string>& inputs, int64_t channels);
  onnx::NodeProto& last();
  void Ints(const std::string& name, const std::vector<int64_t>& values);  // of the last node
  std::string Weights(const std::vector<int64_t>& dims, double bound);

  onnx::ModelProto model_;
  Activation input_;
  std::mt19937 random_;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETWORKS_NETWORK_BUILDER_H_
