#include "targets/circle/emission/parameters.h"

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"

// Defined by generated code.
namespace tessera::ops {
const ir::Dialect& CircleIntegersOps();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

const ir::OpInfo& Convolution() {
  ir::Registry::Global().Add(ops::CircleIntegersOps());
  return *ir::Registry::Global().Find("circle_integers", "QUANTIZED_CONV_2D");
}

// What is read of filters with these scales.
absl::Status Read(std::vector<float> scales) {
  FileTensor filter;
  filter.name = "taps";
  filter.quantization = FileQuantization{{}, {}, std::move(scales), {}, 0};
  return ReadParameterOperands(
             Convolution(),
             [&](std::string_view name) { return name == "filter" ? &filter : nullptr; })
      .status();
}

// What is to be written of them.
absl::Status Written(const std::vector<float>& scales) {
  const ir::OpInfo& info = Convolution();
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  rewriter.SetLocation(ir::Location::Of("test"));
  const auto zeros = [&](ir::DType dtype, const std::vector<int64_t>& shape) {
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    return rewriter.CreateConstant(
        ir::Tensor::Of<int64_t>(dtype, shape, std::vector<int64_t>(static_cast<size_t>(count), 0)));
  };
  const auto channels = static_cast<int64_t>(scales.size());
  ir::TermBuilder builder(rewriter);
  const std::vector<ir::Value*> results = builder.Create(
      info.dialect, info.name,
      {zeros(ir::DType::kI8, {1, 1, 1, 1}), zeros(ir::DType::kI8, {channels, 1, 1, 1}),
       zeros(ir::DType::kI32, {channels}),
       rewriter.CreateConstant(ir::Tensor::Of<float>(ir::DType::kF32, {channels}, scales))},
      {{"stride_w", int64_t{1}},
       {"stride_h", int64_t{1}},
       {"input_scale", 1.0},
       {"input_zero_point", int64_t{0}},
       {"output_scale", 1.0},
       {"output_zero_point", int64_t{0}}});
  if (!builder.ok()) return builder.status();
  return QuantizationOf(*results[0]->producer(), "filter").status();
}

TEST(Parameters, ScalesOfChannelsAreFiniteAndNotNegative) {
  for (const auto& status : {Read({0.5F, 0}), Written({0.5F, 0})})
    EXPECT_TRUE(status.ok()) << status;
  for (const float wrong : {-0.25F, kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_NE(std::string(Read({0.5F, wrong}).message()).find("`taps` has a scale of"),
              std::string::npos)
        << wrong;
    EXPECT_NE(std::string(Written({0.5F, wrong}).message()).find("`filter` has a scale of"),
              std::string::npos)
        << wrong;
  }
}

}  // namespace
}  // namespace tessera::circle
