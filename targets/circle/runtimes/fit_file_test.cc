#include "targets/circle/runtimes/fit_file.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/digest.h"
#include "ir/tensor.h"
#include "support/aligned_copy.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/check.h"
#include "targets/circle/file/loop_sizes.h"
#include "targets/circle/file/result_sizes.h"
#include "targets/circle/file/sample_models.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/runtimes/inspect.h"

namespace tessera::circle {
namespace {

TEST(FitFile, KeepsSizesBackWhereARuntimeStopsAtThem) {
  RegisterOperators();
  for (const char* name : {"onert", "any", "litert"}) {
    const Places places = *Places::Of(name);
    FileModel model = ComputedSizeLoopModel();
    const bool stops = std::string(name) != "litert";
    EXPECT_EQ(NotHeld(model, places).empty(), !stops) << name;
    FitFile(model, places);
    EXPECT_TRUE(NotHeld(model, places).empty()) << name;
    EXPECT_EQ(SaysUnknownSizes(model, model.main().operators.back()), !stops) << name;
  }
}

TEST(FitFile, KeepsSizesOfLateIntegersBack) {
  RegisterOperators();
  for (const char* name : {"onert", "any", "litert"}) {
    const Places places = *Places::Of(name);
    FileModel model = ComputedShapeModel();
    const bool stops = std::string(name) != "litert";
    EXPECT_EQ(NotHeld(model, places).empty(), !stops) << name;
    FitFile(model, places);
    EXPECT_EQ(NotHeld(model, places), std::vector<std::string>()) << name;
    EXPECT_EQ(SaysUnknownSize(model.main().tensors[2]), !stops) << name;
    EXPECT_TRUE(CheckCircle(model).empty()) << name;
    // Beside floats, or where an input is of them, nothing stops.
    model = ComputedShapeModel();
    model.main().tensors.push_back(Activation("beside", {-1}));
    model.main().inputs.push_back(3);
    EXPECT_TRUE(NotHeld(model, places).empty()) << name;
  }
}

std::vector<ir::Tensor> ResultsOf(const FileModel& model, const std::vector<ir::Tensor>& inputs) {
  const absl::StatusOr<std::string> bytes = WriteCircle(model);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  if (!bytes.ok()) return {};
  const support::AlignedCopy copy(*bytes);
  const absl::StatusOr<Executor> executor = Executor::Create(copy.bytes, copy.owner);
  EXPECT_TRUE(executor.ok()) << executor.status();
  if (!executor.ok()) return {};
  absl::StatusOr<std::vector<ir::Tensor>> outputs = executor->Run(inputs);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return outputs.ok() ? *std::move(outputs) : std::vector<ir::Tensor>();
}

ir::Tensor Numbers() { return ir::Tensor::Of<float>(ir::DType::kF32, {3}, {-1.0F, 0.5F, 3.0F}); }

// The first operand of the model's loop or choice becomes what `code` makes of the input, and goes
// to another operator, too.
FileModel WithSharedScalar(FileModel model, int32_t code, size_t operand) {
  FileGraph& main = model.main();
  const int32_t input = main.operators.back().inputs[operand];
  std::vector<int32_t> made;
  for (const char* name : {"made", "elsewhere"}) {
    FileTensor tensor = main.tensors[static_cast<size_t>(input)];
    tensor.name = name;
    made.push_back(static_cast<int32_t>(main.tensors.size()));
    main.tensors.push_back(std::move(tensor));
  }
  FileOperator one;
  one.builtin_code = code;
  one.inputs = {input};
  one.outputs = {made[0]};
  FileOperator other = one;
  other.inputs = {made[0]};
  other.outputs = {made[1]};
  main.operators.back().inputs[operand] = made[0];
  main.operators.insert(main.operators.begin(), {one, other});
  main.outputs.push_back(made[1]);
  return model;
}

TEST(FitFile, GivesControlFlowOperandsOfItsOwn) {
  RegisterOperators();
  const ir::Tensor rounds = ir::Tensor::Of<int32_t>(ir::DType::kI32, {}, {-2});
  const ir::Tensor holds = ir::Tensor::Of<double>(ir::DType::kBool, {}, {1.0});
  struct Case {
    FileModel model;
    ir::Tensor first;
    size_t copying;  // operators
  };
  for (const Case& one :
       {Case{SharedOperandModel(WhileModel()), rounds, 1},
        Case{SharedOperandModel(IfModel()), holds, 1},
        Case{WithSharedScalar(WhileModel(), ::circle::BuiltinOperator_NEG, 1), rounds, 2},
        Case{WithSharedScalar(IfModel(), ::circle::BuiltinOperator_LOGICAL_NOT, 0), holds, 2}}) {
    const std::vector<ir::Tensor> inputs = {one.first, Numbers()};
    const std::vector<ir::Tensor> expected = ResultsOf(one.model, inputs);
    for (const char* name : {"onert", "any", "litert"}) {
      const Places places = *Places::Of(name);
      FileModel model = one.model;
      const size_t before = model.main().operators.size();
      const bool stops = std::string(name) != "litert";
      EXPECT_EQ(NotHeld(model, places).empty(), !stops) << name;
      FitFile(model, places);
      EXPECT_EQ(NotHeld(model, places), std::vector<std::string>()) << name;
      EXPECT_EQ(model.main().operators.size(), before + (stops ? one.copying : 0)) << name;
      EXPECT_TRUE(CheckCircle(model).empty()) << name;
      const std::vector<ir::Tensor> outputs = ResultsOf(model, inputs);
      ASSERT_EQ(outputs.size(), expected.size()) << name;
      for (size_t i = 0; i < outputs.size(); ++i)
        EXPECT_EQ(ir::DigestOf(outputs[i]), ir::DigestOf(expected[i])) << name << " " << i;
    }
  }
}

}  // namespace
}  // namespace tessera::circle
