#include "testing/networks/growth_shapes.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace tessera::testing {
namespace {

using Dim = std::variant<int64_t, std::string>;
using Dims = std::vector<Dim>;
using Names = std::vector<std::string>;

class Model {
 public:
  Model() {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(17);
    graph().set_name("growth");
  }

  std::string Input(const std::string& name, const Dims& dims) {
    Declare(graph().add_input(), name, &dims);
    return name;
  }
  void Output(const std::string& name) { Declare(graph().add_output(), name, nullptr); }

  std::string Floats(const std::vector<int64_t>& dims, float value) {
    onnx::TensorProto& tensor = Constant(onnx::TensorProto::FLOAT, dims);
    int64_t count = 1;
    for (int64_t dim : dims) count *= dim;
    for (int64_t i = 0; i < count; ++i) tensor.add_float_data(value);
    return tensor.name();
  }
  std::string Ints(const std::vector<int64_t>& values) {
    onnx::TensorProto& tensor =
        Constant(onnx::TensorProto::INT64, {static_cast<int64_t>(values.size())});
    for (int64_t value : values) tensor.add_int64_data(value);
    return tensor.name();
  }
  std::string Scalar(float value) { return Floats({}, value); }

  // The name of its result.
  std::string Node(const std::string& op, const Names& inputs,
                   std::initializer_list<std::pair<const char*, std::vector<int64_t>>> lists = {},
                   std::initializer_list<std::pair<const char*, int64_t>> ints = {}) {
    onnx::NodeProto& node = *graph().add_node();
    node.set_op_type(op);
    node.set_name(absl::StrCat("node", graph().node_size()));
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(absl::StrCat("v", graph().node_size()));
    for (const auto& [name, values] : lists) {
      onnx::AttributeProto& attribute = *node.add_attribute();
      attribute.set_name(name);
      attribute.set_type(onnx::AttributeProto::INTS);
      for (int64_t value : values) attribute.add_ints(value);
    }
    for (const auto& [name, value] : ints) {
      onnx::AttributeProto& attribute = *node.add_attribute();
      attribute.set_name(name);
      attribute.set_type(onnx::AttributeProto::INT);
      attribute.set_i(value);
    }
    return node.output(0);
  }

  onnx::ModelProto Take() { return std::move(model_); }

 private:
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }

  void Declare(onnx::ValueInfoProto* info, const std::string& name, const Dims* dims) {
    info->set_name(name);
    onnx::TypeProto::Tensor& type = *info->mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    if (dims == nullptr) return;
    for (const Dim& dim : *dims) {
      onnx::TensorShapeProto::Dimension& d = *type.mutable_shape()->add_dim();
      if (const auto* size = std::get_if<int64_t>(&dim)) {
        d.set_dim_value(*size);
      } else {
        d.set_dim_param(std::get<std::string>(dim));
      }
    }
  }

  onnx::TensorProto& Constant(onnx::TensorProto::DataType type, const std::vector<int64_t>& dims) {
    onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name(absl::StrCat("c", graph().initializer_size()));
    tensor.set_data_type(type);
    for (int64_t dim : dims) tensor.add_dims(dim);
    return tensor;
  }

  onnx::ModelProto model_;
};

const Dims kRows = {"N", int64_t{4}};
const Dims kImage = {int64_t{1}, int64_t{4}, "H", "W"};

// One step of a chain, as often as `nodes` of `each` allow.
onnx::ModelProto Chain(int nodes, int each, const Dims& dims,
                       const std::function<std::string(Model&, const std::string&, int)>& step) {
  Model m;
  std::string x = m.Input("x", dims);
  for (int i = 0; i < nodes / each; ++i) x = step(m, x, i);
  m.Output(x);
  return m.Take();
}

onnx::ModelProto Relu(int n) {
  return Chain(n, 1, kRows,
               [](Model& m, const std::string& x, int) { return m.Node("Relu", {x}); });
}

onnx::ModelProto AddOfConstants(int n) {
  return Chain(n, 1, kRows, [](Model& m, const std::string& x, int i) {
    return m.Node("Add", {x, m.Floats({4}, static_cast<float>(i))});
  });
}

onnx::ModelProto Swish(int n) {
  return Chain(n, 2, kRows, [](Model& m, const std::string& x, int) {
    return m.Node("Mul", {x, m.Node("Sigmoid", {x})});
  });
}

onnx::ModelProto Gelu(int n) {
  return Chain(n, 5, kRows, [](Model& m, const std::string& x, int) {
    const std::string erf = m.Node("Erf", {m.Node("Div", {x, m.Scalar(1.4142135f)})});
    const std::string half = m.Node("Mul", {x, m.Node("Add", {erf, m.Scalar(1)})});
    return m.Node("Mul", {half, m.Scalar(0.5f)});
  });
}

onnx::ModelProto MatMul(int n) {
  return Chain(n, 1, kRows, [](Model& m, const std::string& x, int) {
    return m.Node("MatMul", {x, m.Floats({4, 4}, 0.25f)});
  });
}

onnx::ModelProto LayerNorm(int n) {
  return Chain(n, 1, kRows, [](Model& m, const std::string& x, int) {
    return m.Node("LayerNormalization", {x, m.Floats({4}, 1), m.Floats({4}, 0)});
  });
}

onnx::ModelProto Reshapes(int n) {
  return Chain(n, 2, {"N", int64_t{4}, int64_t{6}}, [](Model& m, const std::string& x, int) {
    return m.Node("Transpose", {m.Node("Reshape", {x, m.Ints({0, 4, -1})})}, {{"perm", {0, 2, 1}}});
  });
}

onnx::ModelProto ShapesOfItself(int n) {
  return Chain(n, 3, {"N", "M"}, [](Model& m, const std::string& x, int) {
    return m.Node("Reshape", {m.Node("Tanh", {x}), m.Node("Shape", {x})});
  });
}

onnx::ModelProto Slices(int n) {
  return Chain(n, 2, kRows, [](Model& m, const std::string& x, int) {
    const std::string cut =
        m.Node("Slice", {x, m.Ints({1}), m.Ints({int64_t{1} << 31}), m.Ints({0})});
    return m.Node("Tanh", {m.Node("Pad", {cut, m.Ints({1, 0, 0, 0})})});
  });
}

onnx::ModelProto Pads(int n) {
  return Chain(n, 2, kRows, [](Model& m, const std::string& x, int) {
    return m.Node("Tanh", {m.Node("Pad", {x, m.Ints({1, 0, 1, 0})})});
  });
}

onnx::ModelProto Gathers(int n) {
  return Chain(n, 2, kRows, [](Model& m, const std::string& x, int) {
    return m.Node("Tanh", {m.Node("Gather", {x, m.Ints({3, 1, 2, 0})}, {}, {{"axis", 1}})});
  });
}

std::string Conv(Model& m, const std::string& x) {
  return m.Node("Conv", {x, m.Floats({4, 4, 3, 3}, 0.03f), m.Floats({4}, 0.1f)},
                {{"pads", {1, 1, 1, 1}}});
}

onnx::ModelProto ConvRelu(int n) {
  return Chain(n, 2, kImage,
               [](Model& m, const std::string& x, int) { return m.Node("Relu", {Conv(m, x)}); });
}

onnx::ModelProto Residual(int n) {
  return Chain(n, 2, kImage, [](Model& m, const std::string& x, int) {
    return m.Node("Add", {Conv(m, x), x});
  });
}

onnx::ModelProto BatchNorm(int n) {
  return Chain(n, 1, kImage, [](Model& m, const std::string& x, int) {
    return m.Node("BatchNormalization",
                  {x, m.Floats({4}, 1), m.Floats({4}, 0), m.Floats({4}, 0), m.Floats({4}, 1)});
  });
}

// Another size at each step.
onnx::ModelProto MaxPool(int n) {
  return Chain(n, 1, {int64_t{1}, int64_t{2}, "H", "W"}, [](Model& m, const std::string& x, int) {
    return m.Node("MaxPool", {x}, {{"kernel_shape", {2, 2}}, {"pads", {1, 1, 1, 1}}});
  });
}

// One more entry at each step, side by side at last.
onnx::ModelProto ConcatOfAll(int n) {
  Model m;
  std::string x = m.Input("x", kRows);
  const std::string more = m.Input("more", {"M", int64_t{4}});
  for (int i = 0; i < n; ++i) x = m.Node("Concat", {x, more}, {}, {{"axis", 0}});
  m.Output(x);
  return m.Take();
}

onnx::ModelProto Inputs(int n) {
  Model m;
  for (int i = 0; i < n; ++i)
    m.Output(m.Node("Tanh", {m.Input(absl::StrCat("x", i), {absl::StrCat("N", i)})}));
  return m.Take();
}

onnx::ModelProto Branches(int n) {
  Model m;
  const std::string x = m.Input("x", kRows);
  for (int i = 0; i < n / 2; ++i)
    m.Output(m.Node("Tanh", {m.Node("Mul", {x, m.Floats({4}, static_cast<float>(i))})}));
  return m.Take();
}

onnx::ModelProto FanOut(int n) {
  Model m;
  const std::string x = m.Node("Tanh", {m.Input("x", kRows)});
  Names parts;
  for (int i = 0; i < n; ++i)
    parts.push_back(m.Node("Mul", {x, m.Floats({4}, static_cast<float>(i))}));
  m.Output(m.Node("Concat", parts, {}, {{"axis", 1}}));
  return m.Take();
}

onnx::ModelProto SumOfConstants(int n) {
  Model m;
  Names parts = {m.Input("x", kRows)};
  for (int i = 0; i < n; ++i) parts.push_back(m.Floats({4}, static_cast<float>(i)));
  m.Output(m.Node("Sum", parts));
  return m.Take();
}

// One value read by two at each step.
onnx::ModelProto Diamonds(int n) {
  return Chain(n, 3, kRows, [](Model& m, const std::string& x, int) {
    return m.Node("Add", {m.Node("Tanh", {x}), m.Node("Sigmoid", {x})});
  });
}

}  // namespace

const std::vector<GrowthShape>& GrowthShapes() {
  static const auto* const shapes = new std::vector<GrowthShape>{
      {"relu", Relu},         {"add_of_constants", AddOfConstants},
      {"swish", Swish},       {"gelu", Gelu},
      {"mat_mul", MatMul},    {"layer_norm", LayerNorm},
      {"reshapes", Reshapes}, {"shapes_of_itself", ShapesOfItself},
      {"slices", Slices},     {"pads", Pads},
      {"gathers", Gathers},   {"conv_relu", ConvRelu},
      {"residual", Residual}, {"batch_norm", BatchNorm},
      {"max_pool", MaxPool},  {"concat_of_all", ConcatOfAll},
      {"inputs", Inputs},     {"branches", Branches},
      {"fan_out", FanOut},    {"sum_of_constants", SumOfConstants},
      {"diamonds", Diamonds},
  };
  return *shapes;
}

}  // namespace tessera::testing
