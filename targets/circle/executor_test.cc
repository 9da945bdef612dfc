// Files that are executed from their bytes, here such as nothing of ours writes.
#include "targets/circle/executor.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "support/aligned_copy.h"
#include "targets/circle/compile.h"
#include "targets/circle/file/sample_models.h"
#include "targets/circle/file/writer.h"
#include "targets/size_facts.h"

namespace tessera::circle {
namespace {

absl::StatusOr<Executor> ExecutorOf(const FileModel& model) {
  RegisterOperators();
  const absl::StatusOr<std::string> bytes = WriteCircle(model);
  if (!bytes.ok()) return bytes.status();
  const support::AlignedCopy copy(*bytes);
  return Executor::Create(copy.bytes, copy.owner);
}

ir::Tensor Floats(const std::vector<float>& values) {
  return ir::Tensor::Of<float>(ir::DType::kF32, {static_cast<int64_t>(values.size())}, values);
}

std::vector<float> ValuesOf(const ir::Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.size()};
}

TEST(Executor, RepeatsAsLongAsTheConditionHolds) {
  const auto executor = ExecutorOf(WhileModel());
  ASSERT_TRUE(executor.ok()) << executor.status().message();
  for (int n : {-1, 0, 1, 5}) {
    const auto results =
        executor->Run({ir::Tensor::Of<int64_t>(ir::DType::kI32, {}, {n}), Floats({1, -3, 0.5f})});
    ASSERT_TRUE(results.ok()) << results.status().message();
    const float factor = n < 0 ? 1 : static_cast<float>(1 << n);
    EXPECT_EQ(ValuesOf((*results)[0]), (std::vector<float>{factor, -3 * factor, 0.5f * factor}));
  }
}

TEST(Executor, RunsTheBranchThatIsTaken) {
  const auto executor = ExecutorOf(IfModel());
  ASSERT_TRUE(executor.ok()) << executor.status().message();
  for (bool taken : {true, false}) {
    const auto results =
        executor->Run({ir::Tensor::Of<int64_t>(ir::DType::kBool, {}, {taken}), Floats({3, -4})});
    ASSERT_TRUE(results.ok()) << results.status().message();
    EXPECT_EQ(ValuesOf((*results)[0]),
              taken ? (std::vector<float>{6, -8}) : (std::vector<float>{9, 16}));
  }
}

TEST(Executor, EndsWhatLoopsForEver) {
  FileModel model = WhileModel();
  model.graphs[2].outputs[0] = 0;  // the position stays
  const auto executor = ExecutorOf(model);
  ASSERT_TRUE(executor.ok()) << executor.status().message();
  const auto results = executor->Run(
      {ir::Tensor::Of<int64_t>(ir::DType::kI32, {}, {1}), Floats({1})}, /*most_steps=*/1000);
  EXPECT_EQ(results.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(results.status().message(),
            "subgraph 2 `body`: operator 1 `ADD`: too many operators have run");
}

TEST(Executor, SaysWhereInWhichGraph) {
  FileModel model = WhileModel();
  // Its body says a length that its operand does not have.
  for (size_t t : {2, 5}) model.graphs[2].tensors[t].shape = {4};
  const auto executor = ExecutorOf(model);
  ASSERT_TRUE(executor.ok()) << executor.status().message();
  const auto results =
      executor->Run({ir::Tensor::Of<int64_t>(ir::DType::kI32, {}, {2}), Floats({1, 2})});
  EXPECT_EQ(results.status().message(),
            "subgraph 2 `body`: tensor 2 `x` is f32[2], declared is FLOAT32[4]");
}

TEST(Executor, ChecksSizesThatDataDecide) {
  FileModel model = WhileModel();
  const auto facts = [&](const std::string& tensor) {
    return R"({"version": 1,
      "inputs": [{"name": "n", "dims": []}, {"name": "x", "dims": ["D"]}],
      "symbols": [
        {"name": "D", "min": 1, "max": 9, "stride": 1, "residue": 0, "origin": ""},
        {"name": "n", "min": 0, "max": 2, "stride": 1, "residue": 0,
         "origin": "data decide it, at `here`"}],
      "counted": [{"symbol": "n", "tensor": ")" +
           tensor + R"("}]})";
  };
  model.metadata[targets::kSizeFactsName] = facts("nowhere");
  EXPECT_EQ(ExecutorOf(model).status().message(),
            "facts about sizes: `n` is counted by a tensor that is not there");

  const FileGraph& main = model.main();
  const std::string name = main.tensors[static_cast<size_t>(main.inputs[0])].name;
  model.metadata[targets::kSizeFactsName] = facts(name);
  const auto executor = ExecutorOf(model);
  ASSERT_TRUE(executor.ok()) << executor.status().message();
  const auto run = [&](int n) {
    return executor->Run({ir::Tensor::Of<int64_t>(ir::DType::kI32, {}, {n}), Floats({1, 2})});
  };
  EXPECT_TRUE(run(2).ok()) << run(2).status().message();
  EXPECT_THAT(std::string(run(3).status().message()),
              ::testing::HasSubstr("`n` is 3, admitted are 0..2"));
}

TEST(Executor, HasNoStateBetweenRuns) {
  FileModel model = IfModel();
  const size_t last = model.graphs[0].tensors.size();
  model.graphs[0].tensors.push_back(model.graphs[0].tensors[1]);
  model.graphs[0].tensors[last].name = "kept";
  model.graphs[0].tensors[last].is_variable = true;
  model.graphs[0].outputs[0] = static_cast<int32_t>(last);
  const absl::Status status = ExecutorOf(model).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("`kept`: a variable, which keeps its value from one run"));
}

}  // namespace
}  // namespace tessera::circle
