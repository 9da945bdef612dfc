// Artifacts made by hand for tests, which together have every layer that the compiler uses.
#ifndef TESSERA_TARGETS_NPU_ARTIFACT_SAMPLE_BUNDLES_H_
#define TESSERA_TARGETS_NPU_ARTIFACT_SAMPLE_BUNDLES_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "targets/npu/artifact/bundle.h"

namespace tessera::npu::example {

inline ProgramOperand At(std::vector<int64_t> shape, DataType type, RegionKind region,
                         int64_t offset) {
  ProgramOperand operand;
  operand.mode = Mode::kDefault;
  operand.shape = std::move(shape);
  operand.type = type;
  operand.address = {region, offset};
  return operand;
}

inline ir::Tensor Bytes(int64_t count, uint32_t seed) {
  ir::Tensor bytes = *ir::Tensor::Allocate(ir::DType::kU8, {count});
  std::mt19937 random(seed);
  std::generate_n(bytes.mutable_data<uint8_t>(), count,
                  [&] { return static_cast<uint8_t>(random() >> 24); });
  return bytes;
}

// An affine layer with a table, a convolution, a copy that keeps a state, and a graph for the host.
inline Bundle Sample(const char* device = "gna-3.0") {
  Program program;
  program.device = device;
  program.region(RegionKind::kInput).size = 128;
  program.region(RegionKind::kOutput).size = 1024;
  program.region(RegionKind::kScratch).size = 512;
  program.region(RegionKind::kState) = {128, Bytes(128, 1), 128, true};
  program.region(RegionKind::kReadOnly) = {4096, Bytes(4096, 2), 4096, true};
  ProgramOperation affine;
  affine.type = OperationType::kFullyConnectedAffine;
  affine.operands = {At({32, 1}, DataType::kInt16, RegionKind::kInput, 0),
                     At({32, 1}, DataType::kInt16, RegionKind::kScratch, 0),
                     At({32, 32}, DataType::kInt8, RegionKind::kReadOnly, 0),
                     At({32}, DataType::kCompoundBias, RegionKind::kReadOnly, 1024),
                     At({16}, DataType::kPwlSegment, RegionKind::kReadOnly, 1280)};
  affine.note = {"a", "net/a", 1000, 2000, 3000, true, 16, 15, 0.001, false};
  ProgramOperation row;
  row.type = OperationType::kConvolution;
  row.operands = {At({1, 32}, DataType::kInt16, RegionKind::kScratch, 0),
                  At({1, 7, 4}, DataType::kInt32, RegionKind::kOutput, 0),
                  At({4, 8}, DataType::kInt16, RegionKind::kReadOnly, 1472),
                  At({4}, DataType::kInt32, RegionKind::kReadOnly, 1536)};
  row.parameters["convolution_stride"] = {4};
  ProgramOperation copy;
  copy.type = OperationType::kCopy;
  copy.operands = {At({1, 32}, DataType::kInt16, RegionKind::kScratch, 0),
                   At({1, 32}, DataType::kInt16, RegionKind::kState, 0)};
  copy.parameters["copy_shape"] = {1, 32};
  program.operations = {affine, row, copy};
  program.inputs = {{"x", {32, 1}, DataType::kInt16, {RegionKind::kInput, 0}, 1000}};
  program.outputs = {{"sums", {1, 28}, DataType::kInt32, {RegionKind::kOutput, 0}, 12345.678}};
  program.states = {{"h", "a"}};
  Bundle bundle;
  bundle.device = program.device;
  bundle.inputs = {{"x", ir::DType::kF32, {32, -1}}};
  bundle.outputs = {{"y", ir::DType::kF32, {-1, 28}}};
  bundle.stages.resize(2);
  bundle.stages[0].program = program;
  bundle.stages[1].text =
      "ir 1\ninput %0 \"sums\" : f32[1,28]\n%1 = npu.Part(%0) {starts=[0,0], sizes=[1,28]} : "
      "f32[1,28]\n"
      "%2 = npu.PositivePart(%1) : f32[1,28]\noutput \"y\" = %2\nobligations 0\n";
  bundle.frames = "T";
  bundle.frame_inputs = {{"x", 1}};
  bundle.frame_outputs = {{"y", 0}};
  bundle.gates = {{{"gate", 1, 1, 1}, {32, 1}},
                  {{"share", 1, 1, 1}, {32, 1}, GateKind::kFrameOfAll},
                  {{"parts", 1, 1, 1}, {32, 1}, GateKind::kSizeByThere, {3, 1, 1, 2}}};
  bundle.device_share = 0.75;
  bundle.metadata["made"] = "by hand";
  return bundle;
}

// An image that is convolved and pooled, scaled entries of it, and a transposition.
inline Bundle ImageSample(const char* device = "gna-3.0") {
  Program program;
  program.device = device;
  program.region(RegionKind::kInput).size = 4096;
  program.region(RegionKind::kOutput).size = 2048;
  program.region(RegionKind::kScratch).size = 1024;
  program.region(RegionKind::kReadOnly) = {4096, Bytes(4096, 3), 4096, true};
  ProgramOperation image;
  image.type = OperationType::kConvolution;
  image.operands = {At({1, 16, 16, 8}, DataType::kInt16, RegionKind::kInput, 0),
                    At({1, 7, 7, 8}, DataType::kInt16, RegionKind::kScratch, 0),
                    At({8, 3, 3, 8}, DataType::kInt16, RegionKind::kReadOnly, 0),
                    At({8}, DataType::kInt32, RegionKind::kReadOnly, 1152),
                    At({16}, DataType::kPwlSegment, RegionKind::kReadOnly, 1216)};
  image.parameters = {{"convolution_stride", {1, 1}},
                      {"zero_padding", {0, 0}},
                      {"pooling_mode", {kPoolingMax}},
                      {"pooling_window", {2, 2}},
                      {"pooling_stride", {2, 2}}};
  ProgramOperation diagonal;
  diagonal.type = OperationType::kElementWiseAffine;
  diagonal.operands = {At({384, 1}, DataType::kInt16, RegionKind::kScratch, 0),
                       At({384, 1}, DataType::kInt32, RegionKind::kOutput, 0),
                       At({384}, DataType::kInt16, RegionKind::kReadOnly, 1344),
                       At({384}, DataType::kInt32, RegionKind::kReadOnly, 2112)};
  ProgramOperation transposition;
  transposition.type = OperationType::kTransposition;
  transposition.operands = {At({8, 32}, DataType::kInt16, RegionKind::kScratch, 0),
                            At({32, 8}, DataType::kInt16, RegionKind::kOutput, 1536)};
  program.operations = {image, diagonal, transposition};
  program.inputs = {{"x", {1, 16, 16, 8}, DataType::kInt16, {RegionKind::kInput, 0}, 1000}};
  program.outputs = {{"y", {384, 1}, DataType::kInt32, {RegionKind::kOutput, 0}, 1000},
                     {"t", {32, 8}, DataType::kInt16, {RegionKind::kOutput, 1536}, 1000}};
  Bundle bundle;
  bundle.device = program.device;
  bundle.inputs = {{"x", ir::DType::kF32, {1, 16, 16, 8}}};
  bundle.outputs = {{"y", ir::DType::kF32, {384, 1}}, {"t", ir::DType::kF32, {32, 8}}};
  bundle.stages.resize(1);
  bundle.stages[0].program = program;
  return bundle;
}

// Weighted sums whose biases are a column of several, where there are such, scaled entries of
// several vectors, a row that is convolved and pooled at once, and a transposition back.
inline Bundle RowSample(const char* device = "gna-2.0", bool grouped_biases = true) {
  Program program;
  program.device = device;
  program.region(RegionKind::kInput).size = 128;
  program.region(RegionKind::kOutput).size = 512;
  program.region(RegionKind::kScratch).size = 512;
  program.region(RegionKind::kReadOnly) = {8192, Bytes(8192, 4), 8192, true};
  const auto table = [](int64_t at) {
    return At({4}, DataType::kPwlSegment, RegionKind::kReadOnly, at);
  };
  ProgramOperation grouped;
  grouped.type = OperationType::kFullyConnectedAffine;
  grouped.operands = {At({16, 4}, DataType::kInt16, RegionKind::kInput, 0),
                      At({8, 4}, DataType::kInt32, RegionKind::kOutput, 0),
                      At({8, 16}, DataType::kInt8, RegionKind::kReadOnly, 0),
                      At({8, 3}, DataType::kInt32, RegionKind::kReadOnly, 128),
                      {},
                      At({8}, DataType::kWeightScaleFactor, RegionKind::kReadOnly, 256)};
  grouped.operands[kTable].mode = Mode::kDisabled;
  grouped.parameters = {{"bias_mode", {kBiasGrouping}}, {"bias_vector_index", {1}}};
  if (!grouped_biases) {
    grouped.operands[kBiases] = At({8}, DataType::kCompoundBias, RegionKind::kReadOnly, 128);
    grouped.operands.resize(kTable + 1);
    grouped.parameters.clear();
  }
  ProgramOperation scaled;
  scaled.type = OperationType::kElementWiseAffine;
  scaled.operands = {At({16, 4}, DataType::kInt16, RegionKind::kInput, 0),
                     At({16, 4}, DataType::kInt16, RegionKind::kScratch, 128),
                     At({16}, DataType::kInt8, RegionKind::kReadOnly, 320),
                     At({16}, DataType::kCompoundBias, RegionKind::kReadOnly, 384), table(3520)};
  ProgramOperation row;
  row.type = OperationType::kConvolution;
  row.operands = {At({1, 64}, DataType::kInt16, RegionKind::kScratch, 128),
                  At({1, 5, 8}, DataType::kInt16, RegionKind::kOutput, 128),
                  At({8, 16}, DataType::kInt16, RegionKind::kReadOnly, 3584),
                  At({8}, DataType::kInt32, RegionKind::kReadOnly, 3840), table(3904)};
  row.operands[kOutput].layout = "GNA1";
  row.parameters = {{"convolution_stride", {5}},
                    {"pooling_mode", {kPoolingMax}},
                    {"pooling_window", {3}},
                    {"pooling_stride", {2}}};
  ProgramOperation back;
  back.type = OperationType::kTransposition;
  back.operands = {At({16, 4}, DataType::kInt16, RegionKind::kScratch, 128),
                   At({4, 16}, DataType::kInt16, RegionKind::kOutput, 256)};
  program.operations = {grouped, scaled, row, back};
  program.inputs = {{"x", {16, 4}, DataType::kInt16, {RegionKind::kInput, 0}, 1000}};
  program.outputs = {{"sums", {8, 4}, DataType::kInt32, {RegionKind::kOutput, 0}, 1000},
                     {"y", {1, 40}, DataType::kInt16, {RegionKind::kOutput, 128}, 1000},
                     {"t", {4, 16}, DataType::kInt16, {RegionKind::kOutput, 256}, 1000}};
  Bundle bundle;
  bundle.device = program.device;
  bundle.inputs = {{"x", ir::DType::kF32, {16, 4}}};
  bundle.outputs = {{"sums", ir::DType::kF32, {8, 4}},
                    {"y", ir::DType::kF32, {1, 40}},
                    {"t", ir::DType::kF32, {4, 16}}};
  bundle.stages.resize(1);
  bundle.stages[0].program = program;
  return bundle;
}

}  // namespace tessera::npu::example

#endif  // TESSERA_TARGETS_NPU_ARTIFACT_SAMPLE_BUNDLES_H_
