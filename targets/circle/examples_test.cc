// Every example of every core definition through Circle: compiled, written, read back, executed
// from the bytes, and compared with the reference. Each example runs twice: with the sizes that it
// has, and with one symbol for each size, so that shapes are computed at run time.
#include "codegen/support/examples.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "support/aligned_copy.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/writer.h"
#include "targets/reference/executor.h"
#include "testing/literals.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

// What an operator computes in another order than the definition says may differ in the last bits.
constexpr double kTolerance = 1e-5;

enum class Sizes : uint8_t { kKnown, kSymbols };

struct Network {
  ir::Graph graph;
  std::vector<ir::Tensor> inputs;
};

// The op on its operands as inputs; those whose elements inference needs are constants.
absl::Status Build(const ops::OpExamples& op, const ops::Example& example, Sizes sizes,
                   Network& network) {
  const ir::OpInfo& info = *ir::Registry::Global().Find(op.dialect, op.op);
  ir::Rewriter rewriter(network.graph);
  ir::TermBuilder builder(rewriter);
  rewriter.SetLocation(ir::Location::Of(op.op));
  std::vector<ir::Value*> operands;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    if (!example.operands[i].present) {
      operands.push_back(nullptr);
      continue;
    }
    absl::StatusOr<ir::Tensor> tensor = testing::TensorOf(example.operands[i], 18 + i);
    if (!tensor.ok()) return tensor.status();
    if (info.operands[std::min(i, info.operands.size() - 1)].elements) {
      operands.push_back(rewriter.CreateConstant(*std::move(tensor)));
      continue;
    }
    std::vector<ir::Expr> dims;
    for (int64_t size : tensor->shape()) {
      dims.push_back(sizes == Sizes::kKnown || size < 2
                         ? ir::Expr(size)
                         : network.graph.context().Symbol(absl::StrCat("d", size)));
    }
    absl::StatusOr<ir::Value*> input =
        rewriter.AddInput(absl::StrCat("in", i), {tensor->dtype(), std::move(dims)});
    if (!input.ok()) return input.status();
    operands.push_back(*input);
    network.inputs.push_back(*std::move(tensor));
  }
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (size_t i = 0; i < example.attrs.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(example.attrs[i]))
      attrs.emplace_back(info.attrs[i].name, example.attrs[i]);
  }
  const std::vector<ir::Value*> results = builder.Create(op.dialect, op.op, operands, attrs);
  if (!builder.ok()) return builder.status();
  for (size_t i = 0; i < results.size(); ++i) {
    if (absl::Status status = rewriter.AddOutput(absl::StrCat("out", i), results[i]); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

void Check(const ops::OpExamples& op, const ops::Example& example, Sizes sizes) {
  Network network;
  const absl::Status built = Build(op, example, sizes, network);
  if (sizes == Sizes::kSymbols && !built.ok())
    GTEST_SKIP() << "rests on the sizes that it has: " << built;
  ASSERT_TRUE(built.ok()) << built;
  absl::StatusOr<reference::Executor> reference = reference::Executor::Create(network.graph);
  ASSERT_TRUE(reference.ok()) << reference.status();
  const absl::StatusOr<std::vector<ir::Tensor>> expected = reference->Run(network.inputs);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const absl::StatusOr<CompileResult> compiled = Compile(network.graph, {});
  if (!compiled.ok()) {
    // A refusal says so; anything else is a defect.
    ASSERT_TRUE(absl::IsUnimplemented(compiled.status())) << compiled.status();
    GTEST_SKIP() << compiled.status().message();
  }
  const absl::StatusOr<std::string> bytes = WriteCircle(compiled->model);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const support::AlignedCopy copy(*bytes);
  const absl::StatusOr<Executor> executor = Executor::Create(copy.bytes, copy.owner);
  ASSERT_TRUE(executor.ok()) << executor.status();
  const absl::StatusOr<std::vector<ir::Tensor>> actual = executor->Run(network.inputs);
  ASSERT_TRUE(actual.ok()) << actual.status();
  ASSERT_EQ(actual->size(), expected->size());
  for (size_t i = 0; i < actual->size(); ++i) {
    EXPECT_EQ(testing::Difference((*actual)[i], (*expected)[i], kTolerance), "") << "result " << i;
  }
}

class BodyTest : public ::testing::Test {
 public:
  explicit BodyTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

void Register() {
  for (const ops::OpExamples& op : ops::CoreExamples()) {
    for (const ops::Example& example : op.examples) {
      if (example.reject) continue;
      for (const Sizes sizes : {Sizes::kKnown, Sizes::kSymbols}) {
        const std::string name =
            absl::StrCat("line", example.line, sizes == Sizes::kKnown ? "" : "_symbols");
        ::testing::RegisterTest(
            op.op.c_str(), name.c_str(), nullptr, nullptr, op.file.c_str(), example.line,
            [&op, &example, sizes]() -> ::testing::Test* {
              return new BodyTest([&op, &example, sizes] { Check(op, example, sizes); });
            });
      }
    }
  }
}

}  // namespace
}  // namespace tessera::circle

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::circle::RegisterOperators();
  tessera::circle::Register();
  return RUN_ALL_TESTS();
}
