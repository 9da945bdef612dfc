// What is kept of samples between runs, and what it is taken for.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/tensor.h"
#include "onnx/onnx_pb.h"
#include "support/file.h"
#include "support/npy.h"
#include "tools/compression/compression_fixture.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

namespace tessera::tools {
namespace {

class KeptStatistics : public CompressionTest {
 protected:
  static std::string Model() {
    onnx::ModelProto model = Parsed(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[4,6] x, float[1] s) => (float[4,5] y) {
        a = Mul(x, s)
        y = MatMul(a, w)
      })");
    onnx::TensorProto& w = AddFloats(model, "w", {6, 5});
    for (int i = 0; i < 30; ++i) w.add_float_data(static_cast<float>(i * 7 % 11 - 5));
    return Written(model, "kept_statistics");
  }
  static std::string Quantized(const std::string& folder, float s, int samples,
                               StatisticsFile* statistics) {
    CompressionRequest request{Model(), folder, {}};
    request.import.bind.emplace("s", ir::Tensor::Of<float>(ir::DType::kF32, {1}, {s}));
    request.statistics = statistics;
    const auto configuration = ParseCompression(
        "c.yaml", absl::StrCat("compression: {algorithm: quantization, initializer: {range: "
                               "{num_init_samples: ",
                               samples, "}}}"));
    EXPECT_TRUE(configuration.ok()) << configuration.status();
    const auto made = Compress(request, *configuration);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? made->model : "";
  }
};

TEST_F(KeptStatistics, AreOfOneModelBoundSoAndOfAsManySamples) {
  const std::string folder = SampleFolder("kept_statistics", {4, 6});
  ir::Tensor wide = *ir::Tensor::Allocate(ir::DType::kF32, {4, 6});
  for (int64_t i = 0; i < wide.size(); ++i)
    wide.mutable_data<float>()[i] = static_cast<float>(i - 12);
  ASSERT_TRUE(support::WriteFile(folder + "/y.npy", support::SerializeNpy(wide)).ok());
  StatisticsFile statistics;
  for (const auto& [s, samples] :
       std::vector<std::pair<float, int>>{{1, 1}, {1, 2}, {100, 2}, {100, 0}, {1, 1}}) {
    EXPECT_EQ(Quantized(folder, s, samples, &statistics), Quantized(folder, s, samples, nullptr))
        << s << " " << samples;
  }
  // Read again, it stands for the samples.
  auto kept = StatisticsFile::Parse("s.json", statistics.Serialize());
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(kept->Serialize(), statistics.Serialize());
}

// But for what is fitted to samples, which is left out then.
TEST_F(KeptStatistics, TakeThePlaceOfSamples) {
  onnx::ModelProto model = Parsed(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[N,6] x) => (float[N,5] y) {
      a = MatMul(x, v)
      b = Relu(a)
      y = MatMul(b, w)
    })");
  for (const auto& [name, columns] : std::vector<std::pair<const char*, int>>{{"v", 6}, {"w", 5}}) {
    onnx::TensorProto& tensor = AddFloats(model, name, {6, columns});
    for (int i = 0; i < 6 * columns; ++i)
      tensor.add_float_data(static_cast<float>((i * 7 % 11 - 5) << i % columns));
  }
  const std::string file = Written(model, "kept_for_samples");
  const std::string folder = SampleFolder("kept_for_samples", {40, 6});
  const auto configuration = ParseCompression("c.yaml", R"(
compression:
  - {algorithm: equalization, least_gain: -200}
  - {algorithm: smoothing, least_gain: -200, least_shift_gain: -200}
  - {algorithm: quantization, weights: {rounding: nearest}, correct_biases: false})");
  ASSERT_TRUE(configuration.ok()) << configuration.status();
  StatisticsFile statistics;
  CompressionRequest request{file, folder, {}};
  request.statistics = &statistics;
  const auto seen = Compress(request, *configuration);
  ASSERT_TRUE(seen.ok()) << seen.status();
  request.data.clear();
  const auto taken = Compress(request, *configuration);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_EQ(taken->model, seen->model);
  StatisticsFile none;
  request.statistics = &none;
  const absl::Status missing = Compress(request, *configuration).status();
  EXPECT_NE(missing.message().find("`--data` is missing"), std::string::npos) << missing;
}

}  // namespace
}  // namespace tessera::tools
