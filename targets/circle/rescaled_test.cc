// Integers that are written by one scale and read by another: the same integers, other numbers.
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "support/aligned_copy.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/writer.h"
#include "targets/reference/executor.h"

// Defined by generated code.
namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

constexpr char kNetwork[] = R"(ir 1
input %0 "x" : f32[6]
%1 = ir.Constant [0.05] : f32[]
%2 = ir.Constant [7] : TYPE[]
%3 = core.QuantizeLinear(%0, %1, %2) : TYPE[6]
%4 = core.DequantizeLinear(%3, %1, %2) : f32[6]
%5 = core.Relu(%4) : f32[6]
%6 = core.QuantizeLinear(%5, %1, %2) : TYPE[6]
%7 = ir.Constant [0.25] : f32[]
%8 = ir.Constant [0] : TYPE[]
%9 = core.DequantizeLinear(%6, %7, %8) : f32[6]
%10 = core.Tanh(%9) : f32[6]
%11 = ir.Constant [0.0078125] : f32[]
%12 = core.QuantizeLinear(%10, %11, %8) : TYPE[6]
output "y" = %12
output "z" = %6
obligations 0
)";

// What the network computes by the reference, and by the operators that it becomes.
struct Results {
  std::vector<ir::Tensor> expected, actual;
  int64_t casts = 0;
};
absl::StatusOr<Results> ResultsOf(const std::string& text, const std::vector<ir::Tensor>& inputs) {
  RegisterOperators();
  ir::Registry::Global().Add(ops::CoreOps());
  Results results;
  auto graph = ir::Parse(text);
  if (!graph.ok()) return graph.status();
  auto reference = reference::Executor::Create(**graph);
  if (!reference.ok()) return reference.status();
  auto expected = reference->Run(inputs);
  if (!expected.ok()) return expected.status();
  results.expected = *std::move(expected);
  const auto compiled = Compile(**graph, {});
  if (!compiled.ok()) return compiled.status();
  for (const FileOperator& op : compiled->model.graphs.at(0).operators)
    results.casts += op.builtin_code == ::circle::BuiltinOperator_CAST ? 1 : 0;
  const auto bytes = WriteCircle(compiled->model);
  if (!bytes.ok()) return bytes.status();
  const support::AlignedCopy copy(*bytes);
  const auto executor = Executor::Create(copy.bytes, copy.owner);
  if (!executor.ok()) return executor.status();
  auto actual = executor->Run(inputs);
  if (!actual.ok()) return actual.status();
  results.actual = *std::move(actual);
  return results;
}

TEST(Rescaled, ReadsTheIntegersThatWereWritten) {
  for (const std::string type : {"u8", "i8"}) {
    std::string text = kNetwork;
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;) text.replace(at, 4, type);
    const auto results = ResultsOf(
        text, {ir::Tensor::Of<float>(ir::DType::kF32, {6}, {-1, -0.1f, 0, 0.1f, 0.2f, 9})});
    ASSERT_TRUE(results.ok()) << type << results.status();
    EXPECT_EQ(results->casts, 2) << type;
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_EQ(results->actual[1].AsInt(i), results->expected[1].AsInt(i)) << type << " z " << i;
      EXPECT_NEAR(results->actual[0].AsInt(i), results->expected[0].AsInt(i), 1)
          << type << " y " << i;
    }
  }
}

// What joins integers as they are stored is no CONCATENATION of the numbers that they stand for.
TEST(Rescaled, ReadsIntegersThatWereMoved) {
  const auto results = ResultsOf(R"(ir 1
input %0 "x" : u8[2]
input %1 "f" : f32[4]
%2 = core.Concat(%0, %0) {axis=0} : u8[4]
%3 = ir.Constant [0.5] : f32[]
%4 = ir.Constant [3] : u8[]
%5 = core.DequantizeLinear(%2, %3, %4) : f32[4]
%6 = core.DequantizeLinear(%0, %3, %4) : f32[2]
%7 = core.QuantizeLinear(%1, %3, %4) : u8[4]
%8 = core.DequantizeLinear(%7, %3, %4) : f32[4]
%9 = core.Add(%5, %8) : f32[4]
%10 = core.QuantizeLinear(%9, %3, %4) : u8[4]
output "y" = %10
output "z" = %6
obligations 0
)",
                                 {ir::Tensor::Of<int>(ir::DType::kU8, {2}, {7, 250}),
                                  ir::Tensor::Of<float>(ir::DType::kF32, {4}, {-9, 0, 3, 4})});
  ASSERT_TRUE(results.ok()) << results.status();
  for (int64_t i = 0; i < 4; ++i)
    EXPECT_NEAR(results->actual[0].AsInt(i), results->expected[0].AsInt(i), 1) << i;
  for (int64_t i = 0; i < 2; ++i)
    EXPECT_EQ(results->actual[1].AsDouble(i), results->expected[1].AsDouble(i)) << i;
}

// Integers of 32 bits that stand for other numbers are not computed with as they are.
TEST(Rescaled, ComputesWithTheNumbers) {
  const auto results = ResultsOf(R"(ir 1
input %0 "x" : i32[3]
%1 = ir.Constant [0.5] : f32[]
%2 = ir.Constant [1] : i32[]
%3 = core.DequantizeLinear(%0, %1, %2) : f32[3]
%4 = ir.Constant [1] : f32[]
%5 = core.Div(%4, %3) : f32[3]
%6 = ir.Constant [0.0078125] : f32[]
%7 = ir.Constant [0] : u8[]
%8 = core.QuantizeLinear(%3, %6, %7) : u8[3]
output "y" = %5
output "z" = %8
obligations 0
)",
                                 {ir::Tensor::Of<int>(ir::DType::kI32, {3}, {0, 2, -7})});
  ASSERT_TRUE(results.ok()) << results.status();
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(results->actual[0].AsDouble(i), results->expected[0].AsDouble(i)) << i;
}

}  // namespace
}  // namespace tessera::circle
