// Builds models for tests.
#ifndef TESSERA_FRONTENDS_ONNX_MODEL_FOR_TEST_H_
#define TESSERA_FRONTENDS_ONNX_MODEL_FOR_TEST_H_

#include <string>
#include <variant>
#include <vector>

#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {

using DimForTest = std::variant<int, const char*>;  // `""` is a dim without a name

struct ModelForTest {
  onnx::ModelProto proto;

  explicit ModelForTest(int opset = 13) {
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(opset);
    proto.mutable_graph()->set_name("g");
  }
  onnx::GraphProto& graph() { return *proto.mutable_graph(); }

  static void Declare(onnx::ValueInfoProto& info, const std::string& name,
                      const std::vector<DimForTest>& dims, int type = onnx::TensorProto::FLOAT) {
    info.set_name(name);
    auto* tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    auto* shape = tensor->mutable_shape();
    for (const DimForTest& dim : dims) {
      auto* d = shape->add_dim();
      if (const int* size = std::get_if<int>(&dim)) {
        d->set_dim_value(*size);
      } else if (*std::get<const char*>(dim) != '\0') {
        d->set_dim_param(std::get<const char*>(dim));
      }
    }
  }
  ModelForTest& Input(const std::string& name, const std::vector<DimForTest>& dims,
                      int type = onnx::TensorProto::FLOAT) {
    Declare(*graph().add_input(), name, dims, type);
    return *this;
  }
  ModelForTest& Output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }
  static void Fill(onnx::TensorProto& tensor, const std::string& name, std::vector<int64_t> dims,
                   const std::vector<float>& values) {
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t dim : dims) tensor.add_dims(dim);
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  }
  ModelForTest& Floats(const std::string& name, std::vector<int64_t> dims,
                       const std::vector<float>& values) {
    Fill(*graph().add_initializer(), name, std::move(dims), values);
    return *this;
  }
  // Rank 1, or 0 where `scalar`.
  ModelForTest& Ints(const std::string& name, const std::vector<int64_t>& values,
                     bool scalar = false) {
    onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    if (!scalar) tensor.add_dims(static_cast<int64_t>(values.size()));
    for (int64_t value : values) tensor.add_int64_data(value);
    return *this;
  }
  ModelForTest& Bool(const std::string& name, bool value) {
    onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::BOOL);
    tensor.add_int32_data(value);
    return *this;
  }
  onnx::NodeProto& Node(const std::string& op, const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs, const std::string& name = "") {
    return AddNode(*graph().mutable_node(), op, inputs, outputs, name);
  }

  static onnx::NodeProto& AddNode(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                                  const std::string& op, const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& outputs,
                                  const std::string& name = "") {
    onnx::NodeProto& node = *nodes.Add();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string& input : inputs) node.add_input(input);
    for (const std::string& output : outputs) node.add_output(output);
    return node;
  }
  static onnx::AttributeProto& Int(onnx::NodeProto& node, const std::string& name, int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
    return attribute;
  }
  static onnx::GraphProto& Graph(onnx::NodeProto& node, const std::string& name) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    return *attribute.mutable_g();
  }
};

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_MODEL_FOR_TEST_H_
