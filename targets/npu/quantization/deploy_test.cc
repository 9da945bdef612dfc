// Graphs of layers in floats against the programs that they become, run from the artifact's bytes:
// how far outputs are from the reference's, and that devices' limits and states hold.
#include "targets/npu/quantization/deploy.h"

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/text.h"
#include "support/random_tensor.h"
#include "targets/npu/artifact/file.h"
#include "targets/npu/execution/executor.h"
#include "targets/npu/quantization/deploy_case.h"
#include "targets/npu/quantization/numbers.h"

namespace tessera::npu {
namespace {

using example::Case;
using example::Constant;
using example::Outcome;
using example::Try;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two affine layers with a function behind each.
std::string Perceptron() {
  return absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[64,2]\n", Constant(1, {32, 64}, 0.5, 1), Constant(2, {32}, 1, 2),
      "%3 = npu.AffineLayer(%0, %1, %2) : f32[32,2]\n%4 = core.Relu(%3) : f32[32,2]\n",
      Constant(5, {16, 32}, 0.5, 3), Constant(6, {16}, 1, 4),
      "%7 = npu.AffineLayer(%4, %5, %6) : f32[16,2]\n%8 = core.Sigmoid(%7) : f32[16,2]\n"
      "output \"y\" = %8\nobligations 0\n");
}

TEST(Deploy, AffineLayersOnEveryGeneration) {
  for (const Device& device : Devices()) {
    for (const bool int8 : {false, true}) {
      SCOPED_TRACE(absl::StrCat(device.name, int8 ? " i8" : " i16"));
      const absl::StatusOr<Outcome> outcome = Try({device.name, int8, Perceptron(), {}});
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      EXPECT_GE(outcome->snr[0], int8 ? 40 : 45);
      EXPECT_EQ(outcome->saturations, 0);
      // Behind Relu inputs are positive, so that the bound leaves weights enough bits.
      EXPECT_TRUE(outcome->bundle.stages[0].program->operations.back().note.proved);
    }
  }
}

// The logarithm of what Relu makes 0.
TEST(Deploy, OutputsThatAreNotFiniteAreNamed) {
  std::vector<std::string> identity;
  for (int i = 0; i < 32 * 32; ++i) identity.emplace_back(i % 33 == 0 ? "1" : "0");
  const std::string text = absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[64,2]\n", Constant(1, {32, 64}, 0.5, 1), Constant(2, {32}, 1, 2),
      "%3 = npu.AffineLayer(%0, %1, %2) : f32[32,2]\n%4 = core.Relu(%3) : f32[32,2]\n",
      "%5 = ir.Constant [", absl::StrJoin(identity, ","), "] : f32[32,32]\n",
      Constant(6, {32}, 0, 4),
      "%7 = npu.AffineLayer(%4, %5, %6) : f32[32,2]\n%8 = core.Log(%7) : f32[32,2]\n"
      "output \"y\" = %8\noutput \"z\" = %4\nobligations 0\n");
  const absl::StatusOr<Outcome> outcome = Try({"gna-2.0", false, text, {}});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_THAT(outcome->endless, ElementsAre("y"));
}

// A convolution over a row, pooled, and an affine layer behind it.
std::string RowNetwork(bool pools_first) {
  std::string text = absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[1,128]\n", Constant(1, {8, 16}, 0.5, 1), Constant(2, {8}, 1, 2),
      "%3 = npu.RowConvolutionLayer(%0, %1, %2) {stride=8} : f32[15,8]\n");
  if (pools_first) {
    absl::StrAppend(&text,
                    "%4 = core.Reshape(%3) {shape=[1,1,15,8]} : f32[1,1,15,8]\n"
                    "%5 = npu.PoolLayer(%4) {kind=MAX, window=[1,2], stride=[1,2]} : f32[1,1,8,8]\n"
                    "%6 = core.Tanh(%5) : f32[1,1,8,8]\n");
  } else {
    absl::StrAppend(
        &text,
        "%4 = core.Tanh(%3) : f32[15,8]\n"
        "%5 = core.Reshape(%4) {shape=[1,1,15,8]} : f32[1,1,15,8]\n"
        "%6 = npu.PoolLayer(%5) {kind=SUM, window=[1,2], stride=[1,2]} : f32[1,1,8,8]\n");
  }
  return absl::StrCat(
      text, "%7 = core.Reshape(%6) {shape=[64,1]} : f32[64,1]\n", Constant(8, {8, 64}, 0.5, 3),
      Constant(9, {8}, 1, 4),
      "%10 = npu.AffineLayer(%7, %8, %9) : f32[8,1]\noutput \"y\" = %10\nobligations 0\n");
}

TEST(Deploy, RowConvolutions) {
  for (const char* device : {"gna-1.0", "gna-2.0", "gna-3.0", "gna-3.5"}) {
    for (const bool int8 : {false, true}) {
      SCOPED_TRACE(absl::StrCat(device, int8 ? " i8" : " i16"));
      const bool first = device[4] < '3';
      const absl::StatusOr<Outcome> outcome = Try({device, int8, RowNetwork(first), {}});
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      EXPECT_GE(outcome->snr[0], int8 ? 35 : 45);
      EXPECT_EQ(outcome->saturations, 0);
      // The result leaves as a sum of 32 bits.
      EXPECT_EQ(outcome->bundle.stages[0].program->outputs[0].type, DataType::kInt32);
    }
  }
}

// A convolution of an image, a function, pooling.
std::string ImageNetwork() {
  return absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[1,18,16,8]\n", Constant(1, {8, 3, 3, 8}, 0.3, 1),
      Constant(2, {8}, 1, 2),
      "%3 = npu.ImageConvolutionLayer(%0, %1, %2) {stride=[1,2], padding=[1,1]} : f32[1,18,8,8]\n"
      "%4 = core.Relu(%3) : f32[1,18,8,8]\n"
      "%5 = npu.PoolLayer(%4) {kind=MAX, window=[2,2], stride=[2,2]} : f32[1,9,4,8]\n"
      "output \"y\" = %5\nobligations 0\n");
}

TEST(Deploy, ImageConvolutions) {
  const std::string text = ImageNetwork();
  for (const char* device : {"gna-3.0", "gna-3.1", "gna-3.5"}) {
    for (const bool int8 : {false, true}) {
      SCOPED_TRACE(absl::StrCat(device, int8 ? " i8" : " i16"));
      const absl::StatusOr<Outcome> outcome = Try({device, int8, text, {}});
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      EXPECT_GE(outcome->snr[0], int8 ? 35 : 50);
      EXPECT_EQ(outcome->saturations, 0);
    }
  }
  const absl::StatusOr<Outcome> outcome = Try({"gna-2.0", false, text, {}});
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(std::string(outcome.status().message()), HasSubstr("convolution"));
}

// Sums of data, products of data, scaled rows: what attention, gates and skips are made of.
std::string Gate() {
  return absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[32,1]\ninput %1 \"z\" : f32[32,1]\n",
      Constant(2, {32, 32}, 0.3, 1), Constant(3, {32}, 1, 2),
      "%4 = npu.AffineLayer(%0, %2, %3) : f32[32,1]\n", Constant(5, {32}, 1, 3),
      "%6 = npu.AccumulateLayer(%1, %5, %4) : f32[32,1]\n%7 = core.Sigmoid(%6) : f32[32,1]\n"
      "%8 = npu.ProductLayer(%7, %0) : f32[32,1]\n",
      Constant(9, {32}, 2, 4), Constant(10, {32}, 1, 5),
      "%11 = npu.DiagonalLayer(%8, %9, %10) : f32[32,1]\n%12 = core.Abs(%11) : f32[32,1]\n"
      "output \"y\" = %12\noutput \"gate\" = %7\nobligations 0\n");
}

TEST(Deploy, SumsAndProductsOfData) {
  const std::string text = Gate();
  for (const char* device : {"gna-2.0", "gna-3.5"}) {
    for (const bool int8 : {false, true}) {
      const absl::StatusOr<Outcome> outcome = Try({device, int8, text, {}});
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      EXPECT_GE(outcome->snr[0], 45) << device << int8;
      EXPECT_GE(outcome->snr[1], 45) << device << int8;
    }
  }
}

// Parts lie side by side in the memory of what they are parts of.
TEST(Deploy, JoinsAndPartsAreMemory) {
  const std::string text = absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[64,1]\n%1 = npu.Part(%0) {starts=[32,0], sizes=[32,1]} : "
      "f32[32,1]\n",
      Constant(2, {32, 32}, 0.3, 1), Constant(3, {32}, 1, 2),
      "%4 = npu.AffineLayer(%1, %2, %3) : f32[32,1]\n%5 = core.Relu(%4) : f32[32,1]\n",
      Constant(6, {32}, 1, 3), Constant(7, {32}, 1, 4),
      "%8 = npu.DiagonalLayer(%1, %6, %7) : f32[32,1]\n", Constant(9, {32, 1}, 0, 5),
      "%10 = npu.Join(%5, %9, %8) {axis=0} : f32[96,1]\n", Constant(11, {8, 96}, 0.3, 6),
      Constant(12, {8}, 1, 7),
      "%13 = npu.AffineLayer(%10, %11, %12) : f32[8,1]\n"
      "%14 = core.Tanh(%13) : f32[8,1]\noutput \"y\" = %14\nobligations 0\n");
  const absl::StatusOr<Outcome> outcome = Try({"gna-2.0", false, text, {}});
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_GE(outcome->snr[0], 45);
  EXPECT_EQ(outcome->bundle.stages[0].program->operations.size(), 3u);
}

// Nearly all of what is summed is nearly nothing: a table that errs alike there would add it up.
TEST(Deploy, SumsOfExponentials) {
  const auto all = [](int id, const std::vector<int64_t>& shape, const std::string& value) {
    const int64_t count = shape[0] * (shape.size() > 1 ? shape[1] : 1);
    return absl::StrCat(
        "%", id, " = ir.Constant [",
        absl::StrJoin(std::vector<std::string>(static_cast<size_t>(count), value), ","), "] : f32[",
        absl::StrJoin(shape, ","), "]\n");
  };
  const std::string text = absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[64,1]\n", all(1, {64}, "15"), all(2, {64}, "-15"),
      "%3 = npu.DiagonalLayer(%0, %1, %2) : f32[64,1]\n%4 = core.Exp(%3) : f32[64,1]\n",
      all(5, {8, 64}, "1"), all(6, {8}, "0"),
      "%7 = npu.AffineLayer(%4, %5, %6) : f32[8,1]\noutput \"y\" = %7\nobligations 0\n");
  for (const char* device : {"gna-1.0", "gna-3.5"}) {
    const absl::StatusOr<Outcome> outcome = Try({device, false, text, {}});
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_GE(outcome->snr[0], 50) << device;
  }
}

TEST(Deploy, StatesGoFromRunToRun) {
  example::RegisterAll();
  const std::string cell = absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[32,1]\ninput %1 \"h\" : f32[32,1]\n",
      Constant(2, {32, 32}, 0.3, 1), Constant(3, {32}, 0.5, 2),
      "%4 = npu.AffineLayer(%0, %2, %3) : f32[32,1]\n", Constant(5, {32}, 0.9, 3),
      "%6 = npu.AccumulateLayer(%1, %5, %4) : f32[32,1]\n%7 = core.Tanh(%6) : f32[32,1]\n"
      "output \"h_next\" = %7\noutput \"y\" = %7\nobligations 0\n");
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(cell);
  ASSERT_TRUE(graph.ok()) << graph.status();
  Bundle bundle;
  bundle.device = "gna-3.0";
  bundle.frames = "T";
  bundle.frame_inputs = {{"x", 1}};
  bundle.frame_outputs = {{"y", 1}};
  bundle.inputs = {{"x", ir::DType::kF32, {32, -1}}};
  bundle.outputs = {{"y", ir::DType::kF32, {32, -1}}};
  const std::vector<float> half(32, 0.5f);
  bundle.host_states = {{"h", "h_next", ir::Tensor::Of<float>(ir::DType::kF32, {32, 1}, half)}};
  const Bundle floats = bundle;
  const ir::Tensor x = *support::RandomTensor(ir::DType::kF32, {32, 20}, 5);
  bool more = true;
  QuantizeOptions options;
  options.device = FindDevice(bundle.device);
  std::vector<Misfit> misfits;
  std::set<std::string> endless;
  const absl::Status status = Deploy(
      {{graph->get(), true}},
      [&](std::vector<ir::Tensor>& inputs) -> absl::StatusOr<bool> {
        inputs = {x};
        return std::exchange(more, false);
      },
      options, bundle, misfits, endless);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_TRUE(misfits.empty());
  EXPECT_TRUE(bundle.host_states.empty());
  ASSERT_EQ(bundle.stages[0].program->states.size(), 1u);
  absl::StatusOr<Executor> whole = Executor::Create(bundle), pieces = Executor::Create(bundle);
  ASSERT_TRUE(whole.ok()) << whole.status();
  const absl::StatusOr<std::vector<ir::Tensor>> all = whole->Run({x});
  ASSERT_TRUE(all.ok()) << all.status();
  // What the reference says, step by step.
  const absl::StatusOr<reference::Executor> reference = reference::Executor::Create(**graph);
  ir::Tensor h = floats.host_states[0].initial;
  double signal = 0, noise = 0;
  for (int64_t t = 0; t < 20; ++t) {
    const ir::Tensor frame = *FrameOf(x, 1, t);
    h = (*reference->Run({frame, h}))[0];
    const absl::StatusOr<std::vector<ir::Tensor>> one = pieces->Run({frame});
    ASSERT_TRUE(one.ok());
    for (int64_t i = 0; i < 32; ++i) {
      const double y = (*all)[0].AsDouble(i * 20 + t);
      EXPECT_EQ((*one)[0].AsDouble(i), y);  // bit by bit
      signal += h.AsDouble(i) * h.AsDouble(i);
      noise += (h.AsDouble(i) - y) * (h.AsDouble(i) - y);
    }
  }
  EXPECT_GE(10 * std::log10(signal / noise), 40);
}

// What a recurrence without a function leaves is added to, and kept.
TEST(Deploy, StatesThatAreSums) {
  const std::string cell = absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[32,1]\ninput %1 \"h\" : f32[32,1]\n",
      Constant(2, {32, 32}, 0.3, 1), Constant(3, {32}, 0.5, 2),
      "%4 = npu.AffineLayer(%0, %2, %3) : f32[32,1]\n", Constant(5, {32}, 0.9, 3),
      "%6 = npu.AccumulateLayer(%1, %5, %4) : f32[32,1]\n", Constant(7, {32}, 0.5, 4),
      "%8 = npu.AccumulateLayer(%0, %7, %6) : f32[32,1]\n%9 = core.Tanh(%8) : f32[32,1]\n"
      "output \"h_next\" = %6\noutput \"y\" = %9\nobligations 0\n");
  const std::vector<float> half(32, 0.5f);
  for (const char* device : {"gna-2.0", "gna-3.5"}) {
    const absl::StatusOr<Outcome> outcome =
        Try({device,
             false,
             cell,
             {{"h", "h_next", ir::Tensor::Of<float>(ir::DType::kF32, {32, 1}, half)}}});
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_GE(outcome->snr[0], 45) << device;
  }
}

TEST(Deploy, NumbersOf8Bits) {
  for (const char* device : {"gna-3.0", "gna-3.1", "gna-3.5"}) {
    for (const std::string& text : {Perceptron(), ImageNetwork(), Gate()}) {
      for (const bool int8_weights : {false, true}) {
        SCOPED_TRACE(absl::StrCat(device, int8_weights ? " i8\n" : " i16\n", text.substr(0, 60)));
        const absl::StatusOr<Outcome> outcome =
            Try({device, int8_weights, text, {}, 4, DataType::kInt8});
        ASSERT_TRUE(outcome.ok()) << outcome.status();
        for (const double snr : outcome->snr) {
          EXPECT_GE(snr, 25);
          EXPECT_LE(snr, 60);  // or they would have more bits
        }
        EXPECT_EQ(outcome->saturations, 0);
        const Program& program = *outcome->bundle.stages[0].program;
        EXPECT_EQ(program.inputs[0].type, DataType::kInt8);
        EXPECT_EQ(program.outputs[0].type, DataType::kInt8);
      }
    }
  }
  const absl::StatusOr<Outcome> outcome =
      Try({"gna-2.0", false, Perceptron(), {}, 4, DataType::kInt8});
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(std::string(outcome.status().message()), HasSubstr("input.type"));
}

// What quantizing and back says of a value is its scale, and a line to the device.
TEST(Deploy, RoundedNumbers) {
  const std::string text = absl::StrCat(
      "ir 1\ninput %0 \"x\" : f32[64,1]\n%1 = ir.Constant [0.01] : f32[]\n%2 = ir.Constant [3] : "
      "f32[]\n",
      Constant(3, {64}, 0, 1), "%4 = ir.Constant [", absl::StrJoin(std::vector<int>(64, 1), ","),
      "] : f32[64]\n%5 = npu.DiagonalLayer(%0, %4, %3) : f32[64,1]\n"
      "%6 = npu.RoundedToScale(%5, %1, %2) {high=127.0, low=-128.0} : f32[64,1]\n",
      Constant(7, {32, 64}, 0.3, 1), Constant(8, {32}, 1, 2),
      "%9 = npu.AffineLayer(%6, %7, %8) : f32[32,1]\n%10 = core.Relu(%9) : f32[32,1]\n"
      "%11 = ir.Constant [0.04] : f32[]\n%12 = ir.Constant [-128] : f32[]\n"
      "%13 = npu.RoundedToScale(%10, %11, %12) {high=127.0, low=-128.0} : f32[32,1]\n"
      "output \"y\" = %13\nobligations 0\n");
  for (const DataType numbers : {DataType::kInt16, DataType::kInt8}) {
    const absl::StatusOr<Outcome> outcome = Try({"gna-3.5", false, text, {}, 4, numbers});
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_GE(outcome->snr[0], numbers == DataType::kInt16 ? 25 : 15);
    EXPECT_EQ(outcome->saturations, 0);
    // 1.27 + 0.03 is as great as any of them.
    EXPECT_LE(outcome->bundle.stages[0].program->operations[0].note.output_scale * 1.31,
              GreatestOfType(numbers));
  }
}

TEST(Deploy, NamesWhatTheDeviceLacks) {
  const absl::StatusOr<Outcome> outcome =
      Try({"gna-2.0",
           false,
           "ir 1\ninput %0 \"x\" : f32[64,1]\n%1 = core.Softmax(%0) {axis=0} : f32[64,1] at "
           "\"net/soft\"\n"
           "output \"y\" = %1\nobligations 0\n",
           {}});
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(std::string(outcome.status().message()),
              HasSubstr("`Softmax` at `net/soft`: the device has no layer for it"));
  // A limit: 12 inputs are no multiple of 8.
  const absl::StatusOr<Outcome> limit = Try(
      {"gna-2.0",
       false,
       absl::StrCat(
           "ir 1\ninput %0 \"x\" : f32[12,1]\n", Constant(1, {8, 12}, 1, 1), Constant(2, {8}, 1, 2),
           "%3 = npu.AffineLayer(%0, %1, %2) : f32[8,1]\noutput \"y\" = %3\nobligations 0\n"),
       {}});
  ASSERT_FALSE(limit.ok());
  EXPECT_THAT(std::string(limit.status().message()), HasSubstr("affine.input.H"));
}

}  // namespace
}  // namespace tessera::npu
