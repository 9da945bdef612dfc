// Tables by the device's own arithmetic: errors hold for every sum, segments are as few as stated,
// what is made of lines is exact.
#include "targets/npu/pwl/design.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "targets/npu/pwl/curves.h"
#include "targets/npu/pwl/error.h"
#include "targets/npu/pwl/pivots.h"
#include "targets/reference/run_op.h"

namespace tessera::ops {
const ir::Dialect& NpuOps();
}

namespace tessera::npu {
namespace {

using ::testing::HasSubstr;

constexpr double kIn = 1 << 20;

TableRequest RequestFor(const Function& function, double least, double most, double error) {
  double greatest = 1e-9;
  for (int i = 0; i <= 2000; ++i)
    greatest = std::max(greatest, std::abs(function(least + (most - least) * i / 2000)));
  TableRequest request;
  request.function = {&function, kIn, 32700 / greatest};
  request.least = request.lowest = static_cast<int64_t>(least * kIn);
  request.most = request.highest = static_cast<int64_t>(most * kIn);
  request.max_error = error;
  return request;
}

// The greatest error over all sums from `least` to `most`, one by one.
double SweptError(const Table& table, const ScaledFunction& function, int64_t least, int64_t most) {
  double worst = 0;
  for (int64_t x = least; x <= most; ++x) {
    const double y =
        std::clamp<double>(static_cast<double>(ValueOf(table.segments, x)), -32768, 32767);
    worst = std::max(worst, std::abs(y - std::clamp(function(x), -32768.0, 32767.0)));
  }
  return worst / table.range;
}

TEST(Design, CurvesTakeFewerSegmentsThanPivots) {
  for (const Curve& curve : Curves()) {
    for (const double error : {0.01, 0.005, 0.002}) {
      SCOPED_TRACE(absl::StrCat(curve.name, " ", error));
      const TableRequest request = RequestFor(curve.function, curve.least, curve.most, error);
      const absl::StatusOr<Table> table = DesignTable(request);
      ASSERT_TRUE(table.ok()) << table.status();
      const double units = error * table->range;
      EXPECT_LE(table->error * table->range, units + 0.5);
      EXPECT_LT(static_cast<int64_t>(table->segments.size()),
                PivotSegments(curve, units / request.function.out));
      EXPECT_LE(static_cast<int64_t>(table->segments.size()), table->lower_bound + 1);
      EXPECT_FALSE(table->exact);
    }
  }
}

// What is found at the sums where results change is what all sums say.
TEST(Design, TheStatedErrorIsThatOfEverySum) {
  for (const Curve& curve : Curves()) {
    SCOPED_TRACE(curve.name);
    TableRequest request = RequestFor(curve.function, curve.least, curve.most, 0.002);
    request.function.in = 1 << 13;
    request.least = request.lowest = static_cast<int64_t>(curve.least * (1 << 13));
    request.most = request.highest = static_cast<int64_t>(curve.most * (1 << 13));
    const absl::StatusOr<Table> table = DesignTable(request);
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_DOUBLE_EQ(table->error,
                     SweptError(*table, request.function, request.least, request.most));
  }
}

struct Lines {
  const char* name;
  const char* text;
  size_t segments;  // without one that only makes up the number
};

TEST(Design, WhatIsMadeOfLinesIsExact) {
  const Lines functions[] = {
      {"relu", "%1 = core.Relu(%0) : f32[8]\noutput \"y\" = %1", 1},
      {"leaky", "%1 = core.LeakyRelu(%0) {alpha=0.25} : f32[8]\noutput \"y\" = %1", 2},
      {"abs", "%1 = core.Abs(%0) : f32[8]\noutput \"y\" = %1", 2},
      {"clamp",
       "%1 = ir.Constant [1.5] : f32[]\n%2 = core.Min(%0, %1) : f32[8]\n"
       "%3 = core.Relu(%2) : f32[8]\noutput \"y\" = %3",
       2},
      {"negative", "%1 = core.Neg(%0) : f32[8]\noutput \"y\" = %1", 1},
  };
  for (const Lines& lines : functions) {
    SCOPED_TRACE(lines.name);
    const Function function = FunctionOfText(lines.text);
    TableRequest request = RequestFor(function, -2, 2, 0.002);
    request.function.out = 8192;  // slopes that the device has
    request.least_segments = 1;
    const absl::StatusOr<Table> table = DesignTable(request);
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_TRUE(table->exact);
    EXPECT_EQ(table->segments.size(), lines.segments);
    // Rounded to nearest; where two lines meet, as near as bases of multiples of 4 allow.
    EXPECT_LE(table->error * table->range, 1.0);
  }
  const Function identity = Function::Identity();
  const absl::StatusOr<Table> table = DesignTable(RequestFor(identity, -3, 3, 0.002));
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(table->exact);
  EXPECT_EQ(table->segments.size(), 2u);  // what the device asks for
}

TEST(Design, RefusesWhatTakesTooManySegments) {
  const Function function = FunctionOfText("%1 = core.Sin(%0) : f32[8]\noutput \"y\" = %1");
  const absl::StatusOr<Table> table = DesignTable(RequestFor(function, -300, 300, 0.002));
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(std::string(table.status().message()),
              HasSubstr("takes more than 128 segments, which the device has; with those it is"));
}

// As behind what has lost its greatest: nearly all of the sums are exponents of nothing.
TEST(Design, ExponentialsOfAWideRange) {
  for (const Curve& curve : Curves()) {
    if (curve.name != "exp") continue;
    for (const double least : {-20.0, -57.4, -290.0}) {
      TableRequest request;
      request.function = {&curve.function, 2.867e6, 30839.5};
      request.least = static_cast<int64_t>(least * 2.867e6);
      request.lowest = static_cast<int64_t>(-295.0 * 2.867e6);
      request.most = 0;
      request.highest = static_cast<int64_t>(295.0 * 2.867e6);
      const absl::StatusOr<Table> table = DesignTable(request);
      ASSERT_TRUE(table.ok()) << least << ": " << table.status();
      EXPECT_LE(table->segments.size(), 24u) << least;
    }
  }
}

// The positive part of what calibration saw below 0 alone is that of other sums too.
TEST(Design, LinesThatWereNotSeen) {
  const Function relu = FunctionOfText("%1 = core.Relu(%0) : f32[8]\noutput \"y\" = %1");
  TableRequest request;
  request.function = {&relu, 7.25551e6, 32767 / 57.0};
  request.least = static_cast<int64_t>(-57.4 * 7.25551e6);
  request.lowest = -request.highest;
  request.most = 0;
  const absl::StatusOr<Table> table = DesignTable(request);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_TRUE(table->exact);
  for (const double sum : {0.5, 1.0, 20.0, 50.0}) {
    EXPECT_NEAR(static_cast<double>(
                    ValueOf(table->segments, static_cast<int64_t>(sum * request.function.in))) /
                    request.function.out,
                sum, sum * 0.002 + 0.002);
  }
}

TEST(Design, RefusesJumps) {
  const Function function = FunctionOfText("%1 = core.Sign(%0) : f32[8]\noutput \"y\" = %1");
  const absl::StatusOr<Table> table = DesignTable(RequestFor(function, -2, 2, 0.002));
  ASSERT_FALSE(table.ok());
  EXPECT_THAT(std::string(table.status().message()), HasSubstr("the function jumps near"));
}

// A function that hardly moves where it was seen, and is steep beyond: what lies between two
// samples is as near as they are.
TEST(Design, LeavesNoStepsBetweenSamples) {
  const Function function = FunctionOfText("%1 = core.Log(%0) : f32[8]\noutput \"y\" = %1");
  TableRequest request;
  request.function.function = &function;
  request.function.in = 6e7;
  request.function.out = 9100;
  request.function.lowest = INT16_MIN;
  request.function.highest = INT16_MAX;
  request.least = static_cast<int64_t>(28.35 * request.function.in);
  request.most = static_cast<int64_t>(28.9 * request.function.in);
  request.lowest = 0;
  request.highest = static_cast<int64_t>(35.19 * request.function.in);
  request.rounding = 1;
  const absl::StatusOr<Table> table = DesignTable(request);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_LE(table->error * table->range, request.max_error * table->range + request.rounding);
  EXPECT_LE(table->least, request.least);
  EXPECT_GE(table->most, request.most);
}

// Beyond what was seen the table goes on as far as the output's type can say it.
TEST(Design, CoversWhatCanOccur) {
  const Curve tanh = Curves()[1];
  TableRequest request = RequestFor(tanh.function, -5, 5, 0.002);
  request.lowest = INT32_MIN;
  request.highest = INT32_MAX;
  const absl::StatusOr<Table> table = DesignTable(request);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->least, INT32_MIN);
  EXPECT_EQ(table->most, INT32_MAX);
  EXPECT_NEAR(static_cast<double>(ValueOf(table->segments, INT32_MAX)), 32700, 200);
  EXPECT_NEAR(static_cast<double>(ValueOf(table->segments, INT32_MIN)), -32700, 200);
}

// ValueOf says what the definition of the device's operation says.
TEST(Design, SegmentsAreThoseOfTheDevice) {
  RegisterOperations();
  const ir::OpInfo* pwl = nullptr;
  for (const ir::OpInfo* info : ops::NpuOps().ops) {
    if (info->name == "PWL") pwl = info;
  }
  ASSERT_NE(pwl, nullptr);
  for (const Curve& curve : Curves()) {
    const absl::StatusOr<Table> table =
        DesignTable(RequestFor(curve.function, curve.least, curve.most, 0.002));
    ASSERT_TRUE(table.ok());
    std::vector<int64_t> base, value, slope, x;
    for (const TableSegment& segment : table->segments) {
      base.push_back(segment.base);
      value.push_back(segment.value);
      slope.push_back(segment.slope);
      for (const int64_t step : {-1, 0, 1, 777}) x.push_back(segment.position() + step);
    }
    const auto count = static_cast<int64_t>(base.size());
    const ir::Tensor operands[] = {
        ir::Tensor::Of<int64_t>(ir::DType::kI32, {static_cast<int64_t>(x.size())}, x),
        ir::Tensor::Of<int64_t>(ir::DType::kI32, {count}, base),
        ir::Tensor::Of<int64_t>(ir::DType::kI16, {count}, value),
        ir::Tensor::Of<int64_t>(ir::DType::kI16, {count}, slope)};
    const auto results =
        reference::RunOp(*pwl, {&operands[0], &operands[1], &operands[2], &operands[3]},
                         {ir::DType::kI16}, reference::MaxLiveBytes(), false);
    ASSERT_TRUE(results.ok()) << results.status();
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ((*results)[0].AsInt(static_cast<int64_t>(i)),
                std::clamp<int64_t>(ValueOf(table->segments, x[i]), -32768, 32767));
  }
}

TEST(Function, NamesWhatIsNoFunctionOfOneElement) {
  RegisterOperations();
  const auto graph = ir::Parse(
      "ir 1\ninput %0 \"x\" : f32[2]\n%1 = ir.Constant [1,2] : f32[2]\n"
      "%2 = core.Mul(%0, %1) : f32[2] at \"net/mul\"\noutput \"y\" = %2\nobligations 0\n");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto function =
      Function::Between((*graph)->inputs()[0], (*graph)->outputs()[0], (*graph)->context());
  ASSERT_FALSE(function.ok());
  EXPECT_EQ(std::string(function.status().message()),
            "`Mul` at net/mul: a constant of several numbers");
}

}  // namespace
}  // namespace tessera::npu
