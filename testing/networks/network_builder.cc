#include "testing/networks/network_builder.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace tessera::testing {

NetworkBuilder::NetworkBuilder(const std::string& name, int64_t size, uint32_t seed)
    : input_{"input", 3}, random_(seed) {
  model_.set_ir_version(8);
  model_.add_opset_import()->set_version(13);
  model_.mutable_graph()->set_name(name);
  onnx::ValueInfoProto& input = *model_.mutable_graph()->add_input();
  input.set_name(input_.name);
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape()->add_dim()->set_dim_param("N");
  for (int64_t dim : {int64_t{3}, size, size}) type.mutable_shape()->add_dim()->set_dim_value(dim);
}

onnx::NodeProto& NetworkBuilder::last() {
  return *model_.mutable_graph()->mutable_node()->rbegin();
}

Activation NetworkBuilder::Node(const std::string& op, const std::vector<std::string>& inputs,
                                int64_t channels) {
  onnx::NodeProto& node = *model_.mutable_graph()->add_node();
  node.set_op_type(op);
  node.set_name(absl::StrCat(op, "_", model_.graph().node_size()));
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(node.name() + ":0");
  return {node.output(0), channels};
}

void NetworkBuilder::Ints(const std::string& name, const std::vector<int64_t>& values) {
  onnx::AttributeProto& attribute = *last().add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values) attribute.add_ints(value);
}

std::string NetworkBuilder::Weights(const std::vector<int64_t>& dims, double bound) {
  onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
  tensor.set_name(absl::StrCat("weights_", model_.graph().initializer_size()));
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  int64_t count = 1;
  for (int64_t dim : dims) {
    tensor.add_dims(dim);
    count *= dim;
  }
  // Of the generator's own bits: distributions of the library differ between its versions.
  std::string& bytes = *tensor.mutable_raw_data();
  bytes.reserve(static_cast<size_t>(count) * sizeof(float));
  for (int64_t i = 0; i < count; ++i) {
    const double unit = static_cast<double>(random_()) / 4294967296.0;
    const float value = static_cast<float>((2 * unit - 1) * bound);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return tensor.name();
}

Activation NetworkBuilder::Conv(const Activation& x, const ConvLayer& layer, double gain) {
  const int64_t depth = x.channels / layer.groups;
  const double fan_in = static_cast<double>(depth * layer.kernel * layer.kernel);
  const std::string weights =
      Weights({layer.channels, depth, layer.kernel, layer.kernel}, gain * std::sqrt(3.0 / fan_in));
  const std::string bias = Weights({layer.channels}, 0.1);
  const Activation y = Node("Conv", {x.name, weights, bias}, layer.channels);
  Ints("dilations", {1, 1});
  Ints("kernel_shape", {layer.kernel, layer.kernel});
  Ints("pads", {layer.padding, layer.padding, layer.padding, layer.padding});
  Ints("strides", {layer.stride, layer.stride});
  onnx::AttributeProto& group = *last().add_attribute();
  group.set_name("group");
  group.set_type(onnx::AttributeProto::INT);
  group.set_i(layer.groups);
  return y;
}

Activation NetworkBuilder::Dense(const Activation& x, int64_t channels) {
  const std::string weights =
      Weights({channels, x.channels}, std::sqrt(3.0 / static_cast<double>(x.channels)));
  const std::string bias = Weights({channels}, 0.1);
  const Activation y = Node("Gemm", {x.name, weights, bias}, channels);
  onnx::AttributeProto& transposed = *last().add_attribute();
  transposed.set_name("transB");
  transposed.set_type(onnx::AttributeProto::INT);
  transposed.set_i(1);
  return y;
}

Activation NetworkBuilder::Relu(const Activation& x) { return Node("Relu", {x.name}, x.channels); }

Activation NetworkBuilder::Clip(const Activation& x, float low, float high) {
  std::vector<std::string> inputs{x.name};
  for (float bound : {low, high}) {
    onnx::TensorProto& tensor = *model_.mutable_graph()->add_initializer();
    tensor.set_name(absl::StrCat("bound_", model_.graph().initializer_size()));
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(bound);
    inputs.push_back(tensor.name());
  }
  return Node("Clip", inputs, x.channels);
}

Activation NetworkBuilder::MaxPool(const Activation& x, int64_t kernel, int64_t stride,
                                   int64_t padding, bool ceil) {
  const Activation y = Node("MaxPool", {x.name}, x.channels);
  Ints("kernel_shape", {kernel, kernel});
  Ints("pads", {padding, padding, padding, padding});
  Ints("strides", {stride, stride});
  onnx::AttributeProto& mode = *last().add_attribute();
  mode.set_name("ceil_mode");
  mode.set_type(onnx::AttributeProto::INT);
  mode.set_i(ceil);
  return y;
}

Activation NetworkBuilder::Add(const Activation& x, const Activation& y) {
  return Node("Add", {x.name, y.name}, x.channels);
}

Activation NetworkBuilder::Concat(const Activation& x, const Activation& y) {
  const Activation both = Node("Concat", {x.name, y.name}, x.channels + y.channels);
  onnx::AttributeProto& axis = *last().add_attribute();
  axis.set_name("axis");
  axis.set_type(onnx::AttributeProto::INT);
  axis.set_i(1);
  return both;
}

Activation NetworkBuilder::GlobalMean(const Activation& x) {
  return Node("GlobalAveragePool", {x.name}, x.channels);
}

Activation NetworkBuilder::Flatten(const Activation& x) {
  return Node("Flatten", {x.name}, x.channels);
}

std::string NetworkBuilder::Finish(const Activation& x) {
  onnx::GraphProto& graph = *model_.mutable_graph();
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for (std::string& output : *node.mutable_output()) {
      if (output == x.name) output = "output";
    }
  }
  graph.add_output()->set_name("output");
  return model_.SerializeAsString();
}

}  // namespace tessera::testing
