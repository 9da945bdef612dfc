#include "targets/circle/file/sample_models.h"

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
  model.graph_name = "main";
  for (const char* name : {"a", "b", "c"}) model.tensors.push_back(Activation(name, {-1, 2}));
  model.inputs = {0, 1};
  model.outputs = {2};
  model.operators = {Operator(::circle::BuiltinOperator_ADD, {0, 1}, {2})};
  model.operators[0].options_table = "AddOptions";
  model.operators[0].options = {{"fused_activation_function", "NONE"}};
  return model;
}

FileModel ConvModel() {
  std::vector<float> filter, bias{0.5f, -1.0f, 2.0f};
  for (int i = 0; i < 3 * 3 * 3 * 2; ++i) filter.push_back(static_cast<float>(i % 7 - 3) / 4);
  FileModel model;
  model.description = "tessera";
  model.tensors = {
      Activation("image", {1, 4, 5, 2}),
      Constant<float>("filter", ::circle::TensorType_FLOAT32, {3, 3, 3, 2}, filter),
      Constant<float>("bias", ::circle::TensorType_FLOAT32, {3}, bias),
      Activation("features", {1, 2, 5, 3}),
  };
  model.inputs = {0};
  model.outputs = {3};
  model.operators = {Operator(::circle::BuiltinOperator_CONV_2D, {0, 1, 2}, {3})};
  model.operators[0].options_table = "Conv2DOptions";
  model.operators[0].options = {{"padding", "SAME"},
                                {"stride_w", int64_t{1}},
                                {"stride_h", int64_t{2}},
                                {"fused_activation_function", "RELU"}};
  return model;
}

FileModel EveryKindModel() {
  FileModel model;
  model.description = "every kind";
  model.graph_name = "graph";
  auto& tensors = model.tensors;
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
  auto& operators = model.operators;

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

  model.inputs = {0};
  model.outputs = {y + 4, y + 5, static_cast<int32_t>(tensors.size()) - 1};
  model.signatures = {{"serving", {{"image", 0}}, {{"first", y + 4}, {"second", y + 5}}}};
  model.metadata = {{"tessera.guards", "{}"}, {"empty", ""}, {"zeros", std::string(40, '\0')}};
  return model;
}

}  // namespace tessera::circle
