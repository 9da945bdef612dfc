// A network's artifact in a TFLite runtime that we did not write: the same bytes under TFLite's
// identifier.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "frontends/onnx/import.h"
#include "ir/registry.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "support/random_tensor.h"
#include "targets/circle/compile.h"
#include "targets/circle/file/tflite.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/tflite_check/tflite_oracle.h"
#include "targets/reference/executor.h"
#include "testing/literals.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

TEST(TfliteNetwork, UNetOfOneSizeAgreesWithTheReference) {
  ir::Registry::Global().Add(ops::CoreOps());
  circle::RegisterOperators();
  onnx_import::ImportOptions import_options;
  for (const char* text : {"N=1", "H=17", "W=22"}) {
    const auto dim = onnx_import::ParseDimOption(text);
    ASSERT_TRUE(dim.ok()) << dim.status();
    import_options.dims.push_back(*dim);
  }
  absl::StatusOr<onnx_import::ImportResult> import =
      onnx_import::ImportFile("testdata/unet_d1_padded/model.onnx", import_options);
  ASSERT_TRUE(import.ok()) << import.status();
  ir::Graph& graph = *import->graph;
  const absl::StatusOr<ir::Tensor> x = support::RandomTensor(ir::DType::kF32, {1, 3, 17, 22}, 5);
  ASSERT_TRUE(x.ok());
  absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  ASSERT_TRUE(executor.ok()) << executor.status();
  const absl::StatusOr<std::vector<ir::Tensor>> expected = executor->Run({&*x, 1});
  ASSERT_TRUE(expected.ok()) << expected.status();

  circle::CompileOptions options;
  std::vector<passes::PassReport> reports;
  ASSERT_TRUE(passes::Run(graph, passes::CanonicalPipeline(), options.run, reports).ok());
  const absl::StatusOr<circle::CompileResult> compiled = circle::Compile(graph, options);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const absl::StatusOr<std::string> written = circle::WriteCircle(compiled->model);
  ASSERT_TRUE(written.ok()) << written.status();
  std::shared_ptr<std::max_align_t[]> aligned(
      new std::max_align_t[written->size() / sizeof(std::max_align_t) + 1]);
  std::memcpy(aligned.get(), written->data(), written->size());
  const absl::StatusOr<std::string> tflite =
      circle::ToTflite({reinterpret_cast<const uint8_t*>(aligned.get()), written->size()});
  ASSERT_TRUE(tflite.ok()) << tflite.status();
  const auto actual = circle::RunTflite(*tflite, {*x});
  ASSERT_TRUE(actual.ok()) << actual.status();
  ASSERT_EQ(actual->size(), expected->size());
  EXPECT_EQ(Difference((*actual)[0], (*expected)[0], 1e-4), "");
}

}  // namespace
}  // namespace tessera::testing
