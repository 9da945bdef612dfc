#include "targets/circle/schema/schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "targets/circle/schema/circle_generated.h"
#include "targets/circle/schema/operator_rules.h"

// The ids below are those of the files that ONE, TICO and TFLite exchange.
namespace tessera::circle {
namespace {

struct Member {
  const char* type;
  const char* name;
  int64_t value;
};

constexpr Member kMembers[] = {
    {"TensorType", "FLOAT32", 0},
    {"TensorType", "FLOAT16", 1},
    {"TensorType", "INT32", 2},
    {"TensorType", "UINT8", 3},
    {"TensorType", "INT64", 4},
    {"TensorType", "STRING", 5},
    {"TensorType", "BOOL", 6},
    {"TensorType", "INT16", 7},
    {"TensorType", "COMPLEX64", 8},
    {"TensorType", "INT8", 9},
    {"TensorType", "FLOAT64", 10},
    {"TensorType", "COMPLEX128", 11},
    {"TensorType", "UINT64", 12},
    {"TensorType", "RESOURCE", 13},
    {"TensorType", "VARIANT", 14},
    {"TensorType", "UINT32", 15},
    {"TensorType", "UINT16", 16},
    {"TensorType", "INT4", 17},
    {"TensorType", "BFLOAT16", 18},
    {"TensorType", "UINT4", -1},
    {"TensorType", "GGML_Q4_0", -2},
    {"TensorType", "GGML_Q4_1", -3},
    {"TensorType", "GGML_Q8_0", -4},
    {"TensorType", "GGML_Q8_1", -5},
    {"TensorType", "MXFP4", -6},
    {"TensorType", "MXINT8", -7},
    {"QuantizationDetails", "CustomQuantization", 1},
    {"QuantizationDetails", "MXQuantization", 2},
    {"QuantizationDetails", "BlockwiseQuantization", 3},
    {"CompressionType", "HUFFMAN", 1},
    {"SparseIndexVector", "Uint8Vector", 3},
    {"BuiltinOperator", "ATTENTION", -9},
    {"BuiltinOperator", "RUN_MODEL", -8},
    {"BuiltinOperator", "ROPE", -7},
    {"BuiltinOperator", "RMS_NORM", -6},
    {"BuiltinOperator", "GRU", -5},
    {"BuiltinOperator", "BCQ_GATHER", -4},
    {"BuiltinOperator", "BCQ_FULLY_CONNECTED", -3},
    {"BuiltinOperator", "INSTANCE_NORM", -2},
    {"BuiltinOperator", "ADD", 0},
    {"BuiltinOperator", "CONV_2D", 3},
    {"BuiltinOperator", "DEPTHWISE_CONV_2D", 4},
    {"BuiltinOperator", "FULLY_CONNECTED", 9},
    {"BuiltinOperator", "RESHAPE", 22},
    {"BuiltinOperator", "CUSTOM", 32},
    {"BuiltinOperator", "TRANSPOSE", 39},
    {"BuiltinOperator", "STRIDED_SLICE", 45},
    {"BuiltinOperator", "SELECT", 64},
    {"BuiltinOperator", "PACK", 83},
    {"BuiltinOperator", "RESIZE_NEAREST_NEIGHBOR", 97},
    {"BuiltinOperator", "HARD_SWISH", 117},
    {"BuiltinOperator", "BATCH_MATMUL", 126},
    {"BuiltinOperator", "PLACEHOLDER_FOR_GREATER_OP_CODES", 127},
    {"BuiltinOperator", "CUMSUM", 128},
    {"BuiltinOperator", "BROADCAST_TO", 130},
    {"BuiltinOperator", "GELU", 150},
    {"BuiltinOperator", "RIGHT_SHIFT", 161},
    {"BuiltinOperator", "STABLEHLO_LOGISTIC", 162},
    {"BuiltinOperator", "DILATE", 203},
    {"BuiltinOperator", "REDUCE_WINDOW", 205},
    {"BuiltinOperator", "STABLEHLO_CASE", 209},
    {"BuiltinOptions", "Conv2DOptions", 1},
    {"BuiltinOptions", "DepthwiseConv2DOptions", 2},
    {"BuiltinOptions", "Pool2DOptions", 5},
    {"BuiltinOptions", "FullyConnectedOptions", 8},
    {"BuiltinOptions", "AddOptions", 11},
    {"BuiltinOptions", "ReshapeOptions", 17},
    {"BuiltinOptions", "ReducerOptions", 27},
    {"BuiltinOptions", "StridedSliceOptions", 32},
    {"BuiltinOptions", "TransposeConvOptions", 49},
    {"BuiltinOptions", "LeakyReluOptions", 75},
    {"BuiltinOptions", "DepthToSpaceOptions", 94},
    {"BuiltinOptions", "BatchMatMulOptions", 101},
    {"BuiltinOptions", "GeluOptions", 116},
    {"BuiltinOptions", "RightShiftOptions", 126},
    {"BuiltinOptions", "AttentionOptions", 247},
    {"BuiltinOptions", "RunModelOptions", 248},
    {"BuiltinOptions", "RoPEOptions", 249},
    {"BuiltinOptions", "RmsNormOptions", 250},
    {"BuiltinOptions", "GRUOptions", 251},
    {"BuiltinOptions", "BCQGatherOptions", 252},
    {"BuiltinOptions", "BCQFullyConnectedOptions", 253},
    {"BuiltinOptions", "InstanceNormOptions", 254},
    {"BuiltinOptions2", "StablehloConcatenateOptions", 1},
    {"BuiltinOptions2", "DilateOptions", 18},
    {"BuiltinOptions2", "ReduceWindowOptions", 20},
    {"BuiltinOptions2", "StablehloCaseOptions", 23},
    {"Padding", "SAME", 0},
    {"Padding", "VALID", 1},
    {"ActivationFunctionType", "NONE", 0},
    {"ActivationFunctionType", "RELU", 1},
    {"ActivationFunctionType", "RELU_N1_TO_1", 2},
    {"ActivationFunctionType", "RELU6", 3},
    {"ActivationFunctionType", "TANH", 4},
    {"ActivationFunctionType", "SIGN_BIT", 5},
    {"FullyConnectedOptionsWeightsFormat", "SHUFFLED16x1FLOAT32", 127},
    {"MirrorPadMode", "SYMMETRIC", 1},
    {"RoPEMode", "GPT_J", 1},
    {"DataFormat", "CHANNELS_FIRST", 1},
};

TEST(Schema, EnumMembersHaveTheirValues) {
  for (const Member& member : kMembers) {
    const ::reflection::Enum* type = FindEnum(member.type);
    ASSERT_NE(type, nullptr) << member.type;
    const std::optional<int64_t> value = MemberValue(*type, member.name);
    ASSERT_TRUE(value.has_value()) << member.type << "." << member.name;
    EXPECT_EQ(*value, member.value) << member.type << "." << member.name;
    EXPECT_EQ(MemberName(*type, member.value), member.name);
  }
}

struct Field {
  const char* table;
  const char* name;
  int id;
};

constexpr Field kFields[] = {
    {"Model", "version", 0},
    {"Model", "operator_codes", 1},
    {"Model", "subgraphs", 2},
    {"Model", "description", 3},
    {"Model", "buffers", 4},
    {"Model", "metadata_buffer", 5},
    {"Model", "metadata", 6},
    {"Model", "signature_defs", 7},
    {"OperatorCode", "deprecated_builtin_code", 0},
    {"OperatorCode", "custom_code", 1},
    {"OperatorCode", "version", 2},
    {"OperatorCode", "builtin_code", 3},
    {"SubGraph", "tensors", 0},
    {"SubGraph", "inputs", 1},
    {"SubGraph", "outputs", 2},
    {"SubGraph", "operators", 3},
    {"SubGraph", "name", 4},
    {"SubGraph", "deprecated_data_format", 5},
    {"SubGraph", "debug_metadata_index", 6},
    {"Tensor", "shape", 0},
    {"Tensor", "type", 1},
    {"Tensor", "buffer", 2},
    {"Tensor", "name", 3},
    {"Tensor", "quantization", 4},
    {"Tensor", "is_variable", 5},
    {"Tensor", "sparsity", 6},
    {"Tensor", "shape_signature", 7},
    {"Tensor", "has_rank", 8},
    {"Tensor", "variant_tensors", 9},
    {"Tensor", "compression_type", 10},
    {"QuantizationParameters", "zero_point", 3},
    {"QuantizationParameters", "details_type", 4},
    {"QuantizationParameters", "details", 5},
    {"QuantizationParameters", "quantized_dimension", 6},
    {"Operator", "opcode_index", 0},
    {"Operator", "inputs", 1},
    {"Operator", "outputs", 2},
    {"Operator", "builtin_options_type", 3},
    {"Operator", "builtin_options", 4},
    {"Operator", "custom_options", 5},
    {"Operator", "mutating_variable_inputs", 7},
    {"Operator", "intermediates", 8},
    {"Operator", "builtin_options_2_type", 11},
    {"Operator", "builtin_options_2", 12},
    {"Operator", "debug_metadata_index", 13},
    {"Buffer", "data", 0},
    {"Buffer", "offset", 1},
    {"Buffer", "size", 2},
    {"Metadata", "name", 0},
    {"Metadata", "buffer", 1},
    {"SignatureDef", "signature_key", 2},
    {"SignatureDef", "subgraph_index", 4},
    {"Conv2DOptions", "padding", 0},
    {"Conv2DOptions", "stride_w", 1},
    {"Conv2DOptions", "stride_h", 2},
    {"Conv2DOptions", "fused_activation_function", 3},
    {"Conv2DOptions", "dilation_w_factor", 4},
    {"Conv2DOptions", "dilation_h_factor", 5},
    {"Conv2DOptions", "quantized_bias_type", 6},
    {"DepthwiseConv2DOptions", "depth_multiplier", 3},
    {"Pool2DOptions", "filter_height", 4},
    {"FullyConnectedOptions", "keep_num_dims", 2},
    {"ResizeBilinearOptions", "align_corners", 2},
    {"ResizeBilinearOptions", "half_pixel_centers", 3},
    {"StridedSliceOptions", "shrink_axis_mask", 4},
    {"BatchMatMulOptions", "adjoint_rhs", 1},
    {"InstanceNormOptions", "epsilon", 0},
    {"DimensionMetadata", "array_segments_type", 2},
    {"DimensionMetadata", "array_indices", 5},
};

TEST(Schema, FieldsHaveTheirIds) {
  for (const Field& field : kFields) {
    const ::reflection::Object* table = FindTable(field.table);
    ASSERT_NE(table, nullptr) << field.table;
    const ::reflection::Field* found = FindField(*table, field.name);
    ASSERT_NE(found, nullptr) << field.table << "." << field.name;
    EXPECT_EQ(found->id(), field.id) << field.table << "." << field.name;
    EXPECT_EQ(found->offset(), 4 + 2 * field.id) << field.table << "." << field.name;
  }
}

TEST(Schema, GeneratedAccessorsAgree) {
  EXPECT_STREQ(::circle::ModelIdentifier(), "CIR0");
  EXPECT_STREQ(::circle::ModelExtension(), "circle");
  EXPECT_EQ(::circle::Tensor::VT_SHAPE_SIGNATURE, 4 + 2 * 7);
  EXPECT_EQ(::circle::Operator::VT_BUILTIN_OPTIONS_2, 4 + 2 * 12);
  EXPECT_EQ(::circle::BuiltinOperator_INSTANCE_NORM, -2);
  EXPECT_EQ(::circle::BuiltinOptions_InstanceNormOptions, 254);
}

TEST(Schema, NothingIsMissing) {
  size_t members = 0;
  for (const ::reflection::Enum* type : *CircleSchema().enums()) members += type->values()->size();
  EXPECT_EQ(CircleSchema().objects()->size(), 176u);
  EXPECT_EQ(CircleSchema().enums()->size(), 23u);
  // 218 operator codes, 135 and 24 option tables, 26 tensor types, 4 + 4 members of the other
  // unions and 54 of the other enums.
  EXPECT_EQ(members, 465u);
  EXPECT_EQ(FindTable("Operator")->fields()->size(), 14u);
  EXPECT_EQ(FindTable("Conv3DOptions")->fields()->size(), 8u);
}

TEST(Schema, DefaultsThatAreNotZero) {
  const auto integer = [](const char* table, const char* field) {
    return FindField(*FindTable(table), field)->default_integer();
  };
  EXPECT_EQ(integer("Conv2DOptions", "dilation_w_factor"), 1);
  EXPECT_EQ(integer("DepthwiseConv2DOptions", "dilation_h_factor"), 1);
  EXPECT_EQ(integer("AddOptions", "pot_scale_int16"), 1);
  EXPECT_EQ(integer("SubOptions", "pot_scale_int16"), 1);
  EXPECT_EQ(integer("UniqueOptions", "idx_out_type"), 2);
  EXPECT_EQ(integer("BidirectionalSequenceLSTMOptions", "time_major"), 1);
  EXPECT_EQ(integer("OperatorCode", "version"), 1);
  EXPECT_EQ(integer("Operator", "debug_metadata_index"), -1);
  EXPECT_EQ(integer("SubGraph", "debug_metadata_index"), -1);
}

TEST(Schema, UnknownNamesAreNotFound) {
  EXPECT_EQ(FindTable("Conv2D"), nullptr);
  EXPECT_EQ(FindTable(""), nullptr);
  EXPECT_EQ(FindEnum("Conv2DOptions"), nullptr);
  EXPECT_EQ(FindField(*FindTable("Conv2DOptions"), "stride"), nullptr);
  EXPECT_EQ(FindField(*FindTable("Conv2DOptions"), "zzz"), nullptr);
  EXPECT_FALSE(MemberValue(*FindEnum("Padding"), "FULL").has_value());
  EXPECT_EQ(MemberName(*FindEnum("Padding"), 2), "");
  EXPECT_EQ(OperatorName(-1), "");
  EXPECT_EQ(OperatorName(-6), "RMS_NORM");
  EXPECT_FALSE(FindOptionsPlace("Tensor").has_value());
  EXPECT_FALSE(FindOptionsPlace("NONE").has_value());
  EXPECT_EQ(FindOptionsPlace("RoPEOptions")->ordinal, 249);
  EXPECT_TRUE(FindOptionsPlace("DilateOptions")->second_union);
}

TEST(Schema, FieldsInOrderLeaveOutDeprecatedOnesAndUnionTypes) {
  std::string names;
  for (const auto* field : FieldsInOrder(*FindTable("ResizeBilinearOptions"))) {
    names += field->name()->str() + " ";
  }
  for (const auto* field : FieldsInOrder(*FindTable("QuantizationParameters"))) {
    names += field->name()->str() + " ";
  }
  EXPECT_EQ(names,
            "align_corners half_pixel_centers "
            "min max scale zero_point details quantized_dimension ");
}

TEST(OperatorRules, EveryLineIsRead) {
  int rules = 0;
  for (int32_t code = -128; code < 256; ++code) {
    const OperatorRule* rule = FindOperatorRule(code);
    if (rule == nullptr) continue;
    ++rules;
    EXPECT_NE(OperatorName(code), "");
    EXPECT_LE(rule->min_inputs, rule->max_inputs) << OperatorName(code);
    if (!rule->options_table.empty()) {
      EXPECT_TRUE(FindOptionsPlace(rule->options_table).has_value()) << rule->options_table;
    }
  }
  EXPECT_EQ(rules, 126);
}

TEST(OperatorRules, Counts) {
  const auto counts = [](int32_t code) {
    const OperatorRule* rule = FindOperatorRule(code);
    return std::pair<int, int>(rule->min_inputs, rule->max_inputs);
  };
  using Pair = std::pair<int, int>;
  EXPECT_EQ(counts(::circle::BuiltinOperator_CONV_2D), Pair(3, 3));
  EXPECT_EQ(counts(::circle::BuiltinOperator_DEPTHWISE_CONV_2D), Pair(2, 3));
  EXPECT_EQ(counts(::circle::BuiltinOperator_TRANSPOSE_CONV), Pair(3, 4));
  EXPECT_EQ(counts(::circle::BuiltinOperator_CONCATENATION), Pair(1, OperatorRule::kAnyNumber));
  EXPECT_EQ(counts(::circle::BuiltinOperator_GRU), Pair(6, 6));
  EXPECT_EQ(FindOperatorRule(::circle::BuiltinOperator_LOGISTIC)->options_table, "");
  EXPECT_EQ(FindOperatorRule(::circle::BuiltinOperator_MAX_POOL_2D)->options_table,
            "Pool2DOptions");
  EXPECT_EQ(FindOperatorRule(::circle::BuiltinOperator_ATTENTION), nullptr);
}

}  // namespace
}  // namespace tessera::circle
