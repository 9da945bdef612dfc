#include "targets/circle/file/sample_models.h"

#include <string>
#include <utility>

namespace tessera::circle {
namespace {

FileOperator Operator(int32_t code, std::vector<int32_t> inputs, std::vector<int32_t> outputs) {
  FileOperator op;
  op.builtin_code = code;
  op.inputs = std::move(inputs);
  op.outputs = std::move(outputs);
  return op;
}

}  // namespace

FileTensor Activation(std::string name, std::vector<int64_t> shape) {
  FileTensor tensor;
  tensor.name = std::move(name);
  tensor.shape = std::move(shape);
  return tensor;
}

FileModel AddModel() {
  FileModel model;
  model.description = "tessera";
  model.main().name = "main";
  for (const char* name : {"a", "b", "c"})
    model.main().tensors.push_back(Activation(name, {-1, 2}));
  model.main().inputs = {0, 1};
  model.main().outputs = {2};
  model.main().operators = {Operator(::circle::BuiltinOperator_ADD, {0, 1}, {2})};
  model.main().operators[0].options_table = "AddOptions";
  model.main().operators[0].options = {{"fused_activation_function", "NONE"}};
  return model;
}

FileModel ConvModel() {
  std::vector<float> filter, bias{0.5f, -1.0f, 2.0f};
  for (int i = 0; i < 3 * 3 * 3 * 2; ++i) filter.push_back(static_cast<float>(i % 7 - 3) / 4);
  FileModel model;
  model.description = "tessera";
  model.main().tensors = {
      Activation("image", {1, 4, 5, 2}),
      Constant<float>("filter", ::circle::TensorType_FLOAT32, {3, 3, 3, 2}, filter),
      Constant<float>("bias", ::circle::TensorType_FLOAT32, {3}, bias),
      Activation("features", {1, 2, 5, 3}),
  };
  model.main().inputs = {0};
  model.main().outputs = {3};
  model.main().operators = {Operator(::circle::BuiltinOperator_CONV_2D, {0, 1, 2}, {3})};
  model.main().operators[0].options_table = "Conv2DOptions";
  model.main().operators[0].options = {{"padding", "SAME"},
                                       {"stride_w", int64_t{1}},
                                       {"stride_h", int64_t{2}},
                                       {"fused_activation_function", "RELU"}};
  return model;
}

namespace {

FileTensor Typed(std::string name, TensorType type, std::vector<int64_t> shape) {
  FileTensor tensor = Activation(std::move(name), std::move(shape));
  tensor.type = type;
  return tensor;
}

FileOperator Of(FileOperator op, std::string options_table,
                std::vector<std::pair<std::string, OptionValue>> options) {
  op.options_table = std::move(options_table);
  op.options = std::move(options);
  return op;
}

FileOperator Add(std::vector<int32_t> inputs, std::vector<int32_t> outputs) {
  return Of(Operator(::circle::BuiltinOperator_ADD, std::move(inputs), std::move(outputs)),
            "AddOptions", {{"fused_activation_function", "NONE"}});
}

}  // namespace

FileModel WhileModel() {
  constexpr TensorType kInt = ::circle::TensorType_INT32, kBool = ::circle::TensorType_BOOL;
  FileModel model;
  model.graphs.resize(3);
  FileGraph& main = model.graphs[0];
  main.name = "main";
  main.tensors = {
      Typed("n", kInt, {}),         Activation("x", {-1}), Constant<int32_t>("zero", kInt, {}, {0}),
      Typed("positions", kInt, {}), Typed("n'", kInt, {}), Activation("y", {-1})};
  main.inputs = {0, 1};
  main.outputs = {5};
  main.operators = {Of(Operator(::circle::BuiltinOperator_WHILE, {2, 0, 1}, {3, 4, 5}),
                       "WhileOptions",
                       {{"cond_subgraph_index", int64_t{1}}, {"body_subgraph_index", int64_t{2}}})};
  FileGraph& condition = model.graphs[1];
  condition.name = "condition";
  condition.tensors = {Typed("at", kInt, {}), Typed("n", kInt, {}), Activation("x", {-1}),
                       Typed("goes_on", kBool, {})};
  condition.inputs = {0, 1, 2};
  condition.outputs = {3};
  condition.operators = {
      Of(Operator(::circle::BuiltinOperator_LESS, {0, 1}, {3}), "LessOptions", {})};
  FileGraph& body = model.graphs[2];
  body.name = "body";
  body.tensors = {Typed("at", kInt, {}),   Typed("n", kInt, {}),
                  Activation("x", {-1}),   Constant<int32_t>("one", kInt, {}, {1}),
                  Typed("next", kInt, {}), Activation("y", {-1})};
  body.inputs = {0, 1, 2};
  body.outputs = {4, 1, 5};
  body.operators = {Add({0, 3}, {4}), Add({2, 2}, {5})};
  return model;
}

FileModel ComputedSizeLoopModel() {
  FileModel model = WhileModel();
  FileGraph& main = model.main();
  const auto first = static_cast<int32_t>(main.tensors.size());
  main.tensors.push_back(Typed("shape", ::circle::TensorType_INT32, {1}));
  main.tensors.push_back(Constant<float>("nothing", ::circle::TensorType_FLOAT32, {}, {0}));
  main.tensors.push_back(Activation("zeros", {-1}));
  main.tensors.push_back(Activation("x'", {-1}));
  FileOperator loop = std::move(main.operators[0]);
  const int32_t x = std::exchange(loop.inputs.back(), first + 3);
  main.operators = {
      Of(Operator(::circle::BuiltinOperator_SHAPE, {x}, {first}), "ShapeOptions",
         {{"out_type", "INT32"}}),
      Of(Operator(::circle::BuiltinOperator_BROADCAST_TO, {first + 1, first}, {first + 2}),
         "BroadcastToOptions", {}),
      Add({x, first + 2}, {first + 3}), std::move(loop)};
  main.operators[1].version = 2;  // its first in TFLite
  return model;
}

FileModel ComputedShapeModel() {
  FileModel model;
  model.main().name = "main";
  model.main().tensors = {Typed("x", ::circle::TensorType_INT32, {-1}),
                          Typed("shape", ::circle::TensorType_INT32, {2}),
                          Typed("y", ::circle::TensorType_INT32, {-1, -1})};
  model.main().inputs = {0, 1};
  model.main().outputs = {2};
  model.main().operators = {
      Of(Operator(::circle::BuiltinOperator_RESHAPE, {0, 1}, {2}), "ReshapeOptions", {})};
  return model;
}

FileModel SharedOperandModel(FileModel model) {
  FileGraph& main = model.main();
  FileOperator last = std::move(main.operators.back());
  main.operators.pop_back();
  const int32_t x = last.inputs.back();
  const std::vector<int64_t> shape = main.tensors[static_cast<size_t>(x)].shape;
  const auto add = [&shape](FileGraph& graph, const std::string& name) {
    graph.tensors.push_back(Activation(name, shape));
    return static_cast<int32_t>(graph.tensors.size() - 1);
  };
  int32_t sum = x;
  for (const char* name : {"2x", "4x", "8x", "16x", "32x"}) {
    const int32_t from = std::exchange(sum, add(main, name));
    main.operators.push_back(Add({from, from}, {sum}));
    if (from == x) last.inputs.back() = sum;
  }
  last.inputs.push_back(sum);
  const bool loops = last.builtin_code == ::circle::BuiltinOperator_WHILE;
  if (loops) last.outputs.push_back(add(main, "32x'"));
  for (size_t g : {1, 2}) {
    FileGraph& graph = model.graphs[g];
    graph.inputs.push_back(add(graph, "32x"));
    if (loops && g == 2) graph.outputs.push_back(graph.inputs.back());
  }
  main.operators.push_back(std::move(last));
  return model;
}

FileModel IfModel() {
  FileModel model;
  model.graphs.resize(3);
  model.main().name = "main";
  model.main().tensors = {Typed("c", ::circle::TensorType_BOOL, {}), Activation("x", {-1}),
                          Activation("y", {-1})};
  model.main().inputs = {0, 1};
  model.main().outputs = {2};
  model.main().operators = {
      Of(Operator(::circle::BuiltinOperator_IF, {0, 1}, {2}), "IfOptions",
         {{"then_subgraph_index", int64_t{1}}, {"else_subgraph_index", int64_t{2}}})};
  for (size_t g : {1, 2}) {
    FileGraph& branch = model.graphs[g];
    branch.name = g == 1 ? "then" : "else";
    branch.tensors = {Activation("x", {-1}), Activation("y", {-1})};
    branch.inputs = {0};
    branch.outputs = {1};
  }
  model.graphs[1].operators = {Add({0, 0}, {1})};
  model.graphs[2].operators = {Of(Operator(::circle::BuiltinOperator_MUL, {0, 0}, {1}),
                                  "MulOptions", {{"fused_activation_function", "NONE"}})};
  return model;
}

FileModel EveryKindModel() {
  FileModel model;
  model.description = "every kind";
  model.main().name = "graph";
  auto& tensors = model.main().tensors;
  tensors.push_back(Activation("x", {-1, 8, -1, 4}));
  tensors.push_back(Constant<float>("weights", ::circle::TensorType_FLOAT32, {4}, {1, 2, 3, 4}));
  tensors.push_back(Constant<float>("same", ::circle::TensorType_FLOAT32, {2, 2}, {1, 2, 3, 4}));
  tensors.push_back(Constant<int32_t>("scalar", ::circle::TensorType_INT32, {}, {-7}));
  tensors.push_back(Constant<uint8_t>("nibbles", ::circle::TensorType_INT4, {5}, {0x21, 0x43, 5}));
  tensors.push_back(Constant<double>("nothing", ::circle::TensorType_FLOAT64, {0, 3}, {}));
  tensors.push_back(Constant<uint8_t>("bytes", ::circle::TensorType_UINT8, {3}, {1, 2, 3}));
  tensors.push_back(
      Constant<int8_t>("int8", ::circle::TensorType_INT8, {2, 3}, {1, 2, 3, 4, 5, 6}));
  tensors.back().quantization = FileQuantization{{-1}, {1}, {0.5f, 0.25f}, {0, 3}, 0};
  tensors.push_back(Activation("state", {1, 4}));
  tensors.back().is_variable = true;
  for (const char* name : {"y0", "y1", "y2", "y3", "y4", "y5"}) {
    tensors.push_back(Activation(name, {-1, 8, -1, 4}));
  }
  const int32_t y = 9;
  auto& operators = model.main().operators;

  operators.push_back(Operator(::circle::BuiltinOperator_INSTANCE_NORM, {0, 1, 2}, {y}));
  operators.back().options_table = "InstanceNormOptions";
  operators.back().options = {{"epsilon", 0.25}, {"fused_activation_function", "RELU6"}};

  operators.push_back(Operator(::circle::BuiltinOperator_GELU, {y}, {y + 1}));
  operators.back().options_table = "GeluOptions";
  operators.back().options = {{"approximate", true}};

  operators.push_back(Operator(::circle::BuiltinOperator_RESHAPE, {y + 1, 3}, {y + 2}));
  operators.back().options_table = "ReshapeOptions";
  operators.back().options = {{"new_shape", std::vector<int64_t>{-1, 4}}};

  operators.push_back(Operator(::circle::BuiltinOperator_FULLY_CONNECTED, {y + 2, 7, -1}, {y + 3}));
  operators.back().version = 6;
  operators.back().options_table = "FullyConnectedOptions";
  operators.back().options = {{"fused_activation_function", "NONE"},
                              {"weights_format", "DEFAULT"},
                              {"keep_num_dims", true},
                              {"asymmetric_quantize_inputs", false},
                              {"quantized_bias_type", "INT32"}};

  operators.push_back(Operator(::circle::BuiltinOperator_STABLEHLO_CUSTOM_CALL, {4, 5}, {y + 4}));
  operators.back().options_table = "StablehloCustomCallOptions";
  operators.back().options = {{"call_target_name", "target"},
                              {"has_side_effect", false},
                              {"api_version", int64_t{-2}},
                              {"called_computations", std::vector<int64_t>{1, 2}},
                              {"custom_attributes", std::vector<int64_t>{0, 255}}};

  operators.push_back(Operator(::circle::BuiltinOperator_CUSTOM, {y + 3, 6, 8}, {y + 5}));
  operators.back().custom_code = "MyOperator";
  operators.back().custom_options = std::string("\0\1\2", 3);

  operators.push_back(operators[1]);  // the same code again, with another output
  operators.back().outputs = {static_cast<int32_t>(tensors.size())};
  tensors.push_back(Activation("y6", {-1, 8, -1, 4}));

  model.main().inputs = {0};
  model.main().outputs = {y + 4, y + 5, static_cast<int32_t>(tensors.size()) - 1};
  model.signatures = {{"serving", {{"image", 0}}, {{"first", y + 4}, {"second", y + 5}}}};
  model.metadata = {{"tessera.guards", "{}"}, {"empty", ""}, {"zeros", std::string(40, '\0')}};
  return model;
}

}  // namespace tessera::circle
