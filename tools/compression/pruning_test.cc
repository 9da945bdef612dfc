// Channels whose weights and biases are zero can go without a trace.
#include <cmath>
#include <fstream>
#include <string>

#include "absl/types/span.h"
#include "frontends/onnx/edit/model_editor.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "nests/library.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/traits/traits.h"
#include "tools/compression/addressed.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

// Defined by generated code.
namespace tessera::ops {
const ir::Dialect& CoreOps();
absl::Span<const ir::QuantizeTrait> CoreTraits();
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

namespace tessera::tools {
namespace {

// The first `part` of the entries of an axis are zero.
ir::Tensor Zeroed(const ir::Tensor& tensor, size_t axis, double part) {
  ir::Tensor zeroed = *ir::Tensor::Allocate(ir::DType::kF32, tensor.shape());
  int64_t inner = 1;
  for (size_t d = axis + 1; d < tensor.shape().size(); ++d) inner *= tensor.shape()[d];
  const int64_t n = tensor.shape()[axis];
  const auto none = static_cast<int64_t>(std::floor(part * static_cast<double>(n)));
  for (int64_t i = 0; i < tensor.size(); ++i)
    zeroed.mutable_data<float>()[i] = i / inner % n < none ? 0 : tensor.data<float>()[i];
  return zeroed;
}

class PruningTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ir::Registry::Global().Add(ops::CoreOps());
    compression::AddTraits(ops::CoreTraits());
    nests::Library::Global().Add(ops::CoreNests());
  }

  // A copy of the model in which that part of the channels of each product is zero.
  static std::string WithZeros(const std::string& path, double part) {
    const auto bytes = ReadWholeModel(path);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    const auto model = ImportAddressed(*bytes, path, {});
    EXPECT_TRUE(model.ok()) << model.status();
    onnx_import::ModelEditor& editor = (*model)->editor;
    const ir::Graph& graph = *(*model)->import.graph;
    const compression::Addresses& addresses = (*model)->addresses;
    const compression::BuildContext context{graph, addresses};
    compression::PlanOptions only_weights;
    only_weights.activations = false;
    const compression::Plan plan = MakePlan(
        context, *compression::ScopeFilter::Create(graph, addresses, {}, {}), only_weights);
    for (const compression::WeightSite& site : plan.weights) {
      const ir::Tensor zeroed =
          Zeroed(*site.point.value->constant(), static_cast<size_t>(site.axis), part);
      EXPECT_TRUE(editor.ReplaceConstant(site.point.tensor, zeroed).ok());
    }
    for (const compression::BiasSite& site : plan.biases) {
      if (site.present == nullptr) continue;
      EXPECT_TRUE(editor.ReplaceConstant(site.point.tensor, Zeroed(*site.present, 0, part)).ok());
    }
    std::string file = testing::TempDir() + "/zeros.onnx";
    std::ofstream(file, std::ios::binary) << *editor.Serialize();
    return file;
  }
};

TEST_F(PruningTest, ChannelsOfZerosGoWithoutATrace) {
  const std::string folder = "testdata/kws_dscnn";
  for (const char* importance : {"L1", "L2"}) {
    const std::string file = WithZeros(folder + "/model.onnx", 0.4);
    const auto configuration =
        ParseCompression("c.yaml", std::string("compression: {algorithm: filter_pruning, "
                                               "pruning_target: 0.4, filter_importance: ") +
                                       importance + "}");
    ASSERT_TRUE(configuration.ok()) << configuration.status();
    const CompressionRequest request{file, "", {}};
    const auto compressed = Compress(request, *configuration);
    ASSERT_TRUE(compressed.ok()) << compressed.status();
    // Rows and columns go: about 0.36 of the products' weights are left.
    EXPECT_LT(compressed->model.size(), compressed->bytes_before / 2);
    const auto qualities = Compare(request, compressed->model, folder);
    ASSERT_TRUE(qualities.ok()) << qualities.status();
    ASSERT_FALSE(qualities->empty());
    for (const Quality& quality : *qualities) EXPECT_GT(quality.worst, 110) << quality.output;
    // What is pruned may be pruned again, made sparse and stored in few bits.
    const auto more = ParseCompression(
        "c.yaml",
        "compression: [{algorithm: weight_compression}, {algorithm: magnitude_sparsity}, "
        "{algorithm: filter_pruning}]");
    ASSERT_TRUE(more.ok()) << more.status();
    const auto all = Compress(request, *more);
    ASSERT_TRUE(all.ok()) << all.status();
    EXPECT_LT(all->model.size(), compressed->model.size());
    const auto again = Compress(request, *more);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(all->model, again->model);
  }
}

TEST_F(PruningTest, NothingIsPrunedAtZero) {
  const auto configuration =
      ParseCompression("c.yaml", "compression: {algorithm: filter_pruning, pruning_target: 0}");
  ASSERT_TRUE(configuration.ok()) << configuration.status();
  const CompressionRequest request{"testdata/kws_dscnn/model.onnx", "", {}};
  const auto compressed = Compress(request, *configuration);
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  EXPECT_TRUE(compressed->commands.empty());
}

}  // namespace
}  // namespace tessera::tools
