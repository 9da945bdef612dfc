#include "targets/circle/file/options.h"

#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace tessera::circle {
namespace {

std::string Problem(absl::string_view table, std::vector<NamedOption> options) {
  return std::string(CheckOptions(table, options).message());
}

TEST(Options, TheOrderInWhichTheyAreGivenDoesNotMatter) {
  const auto build = [](std::vector<NamedOption> options) {
    flatbuffers::FlatBufferBuilder builder;
    EXPECT_TRUE(CheckOptions("Conv2DOptions", options).ok());
    builder.Finish(BuildOptions("Conv2DOptions", options, builder));
    return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                       builder.GetSize());
  };
  const std::vector<NamedOption> options = {
      {"stride_w", int64_t{3}}, {"padding", "VALID"}, {"dilation_h_factor", int64_t{2}}};
  EXPECT_EQ(build(options), build({options.rbegin(), options.rend()}));

  const std::string bytes = build(options);
  const auto& table = *flatbuffers::GetRoot<::circle::Conv2DOptions>(bytes.data());
  EXPECT_EQ(table.stride_w(), 3);
  EXPECT_EQ(table.stride_h(), 0);
  EXPECT_EQ(table.padding(), ::circle::Padding_VALID);
  EXPECT_EQ(table.dilation_w_factor(), 1);
  EXPECT_EQ(table.dilation_h_factor(), 2);
}

TEST(Options, ValuesOfAllKindsAreStored) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(BuildOptions("StablehloConvolutionOptions",
                              {{"window_strides", std::vector<int64_t>{int64_t{1} << 40, -1}},
                               {"window_reversal", std::vector<int64_t>{1, 0}},
                               {"precision_config", std::vector<int64_t>{2}},
                               {"feature_group_count", int64_t{7}}},
                              builder));
  const auto& table =
      *flatbuffers::GetRoot<::circle::StablehloConvolutionOptions>(builder.GetBufferPointer());
  EXPECT_EQ(table.window_strides()->Get(0), int64_t{1} << 40);
  EXPECT_EQ(table.window_strides()->Get(1), -1);
  EXPECT_TRUE(table.window_reversal()->Get(0));
  EXPECT_EQ(table.precision_config()->Get(0), ::circle::StablehloPrecisionConfig_HIGHEST);
  EXPECT_EQ(table.feature_group_count(), 7);
  EXPECT_EQ(table.padding(), nullptr);

  builder.Clear();
  builder.Finish(
      BuildOptions("BucketizeOptions", {{"boundaries", std::vector<double>{-0.5, 1e30}}}, builder));
  EXPECT_EQ(flatbuffers::GetRoot<::circle::BucketizeOptions>(builder.GetBufferPointer())
                ->boundaries()
                ->Get(1),
            1e30f);

  builder.Clear();
  builder.Finish(BuildOptions("SoftmaxOptions", {{"beta", int64_t{1}}}, builder));
  EXPECT_EQ(flatbuffers::GetRoot<::circle::SoftmaxOptions>(builder.GetBufferPointer())->beta(), 1);

  // A default that is not zero can be overridden by zero.
  builder.Clear();
  builder.Finish(BuildOptions("AddOptions", {{"pot_scale_int16", false}}, builder));
  EXPECT_FALSE(
      flatbuffers::GetRoot<::circle::AddOptions>(builder.GetBufferPointer())->pot_scale_int16());
}

TEST(Options, ProblemsNameTheOptionAndTheRule) {
  EXPECT_EQ(Problem("Conv2DOption", {}), "`Conv2DOption` is no table of operator options");
  EXPECT_EQ(Problem("Tensor", {}), "`Tensor` is no table of operator options");
  EXPECT_EQ(Problem("", {{"axis", int64_t{1}}}), "`` is no table of operator options");
  EXPECT_EQ(Problem("Conv2DOptions", {{"stride", int64_t{1}}}),
            "option `stride` of `Conv2DOptions`: there is no such field");
  EXPECT_EQ(Problem("ResizeBilinearOptions", {{"new_width", int64_t{1}}}),
            "option `new_width` of `ResizeBilinearOptions`: there is no such field");
  EXPECT_EQ(Problem("GatherOptions", {{"axis", int64_t{1}}, {"axis", int64_t{1}}}),
            "option `axis` of `GatherOptions`: given twice");
  EXPECT_EQ(Problem("Conv2DOptions", {{"padding", "FULL"}}),
            "option `padding` of `Conv2DOptions`: `FULL` is no member of `Padding`");
  EXPECT_EQ(Problem("Conv2DOptions", {{"padding", int64_t{2}}}),
            "option `padding` of `Conv2DOptions`: 2 is no member of `Padding`");
  EXPECT_EQ(Problem("Conv2DOptions", {{"padding", true}}),
            "option `padding` of `Conv2DOptions`: takes a member of `Padding`");
  EXPECT_EQ(Problem("Conv2DOptions", {{"stride_w", 1.0}}),
            "option `stride_w` of `Conv2DOptions`: takes an integer");
  EXPECT_EQ(Problem("Conv2DOptions", {{"stride_w", int64_t{1} << 31}}),
            "option `stride_w` of `Conv2DOptions`: 2147483648 is out of range");
  EXPECT_EQ(Problem("CallOptions", {{"subgraph", int64_t{-1}}}),
            "option `subgraph` of `CallOptions`: -1 is out of range");
  EXPECT_EQ(Problem("ReducerOptions", {{"keep_dims", int64_t{1}}}),
            "option `keep_dims` of `ReducerOptions`: takes a bool");
  EXPECT_EQ(Problem("SoftmaxOptions", {{"beta", "1"}}),
            "option `beta` of `SoftmaxOptions`: takes a number");
  EXPECT_EQ(Problem("SoftmaxOptions", {{"beta", 1e300}}),
            "option `beta` of `SoftmaxOptions`: 1e+300 is out of the range of a 32-bit float");
  EXPECT_EQ(Problem("RunModelOptions", {{"location", int64_t{1}}}),
            "option `location` of `RunModelOptions`: takes a string");
  EXPECT_EQ(Problem("ReshapeOptions", {{"new_shape", int64_t{1}}}),
            "option `new_shape` of `ReshapeOptions`: takes a list of integers");
  EXPECT_EQ(Problem("ReshapeOptions", {{"new_shape", std::vector<int64_t>{1, int64_t{1} << 40}}}),
            "option `new_shape` of `ReshapeOptions`: 1099511627776 is out of range");
  EXPECT_EQ(Problem("StablehloConvolutionOptions", {{"window_reversal", std::vector<int64_t>{2}}}),
            "option `window_reversal` of `StablehloConvolutionOptions`: 2 where a bool is 0 or 1");
}

TEST(Options, NonFiniteNumbersAreStored) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Problem("SoftmaxOptions", {{"beta", infinity}}), "");
}

}  // namespace
}  // namespace tessera::circle
