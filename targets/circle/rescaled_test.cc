// Integers that are written by one scale and read by another: the same integers, other numbers.
#include <algorithm>
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

TEST(Rescaled, ReadsTheIntegersThatWereWritten) {
  RegisterOperators();
  ir::Registry::Global().Add(ops::CoreOps());
  for (const std::string type : {"u8", "i8"}) {
    std::string text = kNetwork;
    for (size_t at; (at = text.find("TYPE")) != std::string::npos;) text.replace(at, 4, type);
    auto graph = ir::Parse(text);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const std::vector<ir::Tensor> inputs = {
        ir::Tensor::Of<float>(ir::DType::kF32, {6}, {-1, -0.1f, 0, 0.1f, 0.2f, 9})};
    const auto reference = reference::Executor::Create(**graph);
    ASSERT_TRUE(reference.ok()) << reference.status();
    const auto expected = reference->Run(inputs);
    ASSERT_TRUE(expected.ok()) << expected.status();
    const auto compiled = Compile(**graph, {});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    const auto& operators = compiled->model.graphs.at(0).operators;
    EXPECT_EQ(std::count_if(operators.begin(), operators.end(),
                            [](const FileOperator& op) {
                              return op.builtin_code == ::circle::BuiltinOperator_CAST;
                            }),
              2)
        << type;
    const auto bytes = WriteCircle(compiled->model);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const support::AlignedCopy copy(*bytes);
    const auto executor = Executor::Create(copy.bytes, copy.owner);
    ASSERT_TRUE(executor.ok()) << executor.status();
    const auto results = executor->Run(inputs);
    ASSERT_TRUE(results.ok()) << results.status();
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_EQ((*results)[1].AsInt(i), (*expected)[1].AsInt(i)) << type << " z " << i;
      EXPECT_NEAR((*results)[0].AsInt(i), (*expected)[0].AsInt(i), 1) << type << " y " << i;
    }
  }
}

}  // namespace
}  // namespace tessera::circle
