// Samples, and results, that are infinite or not a number.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/tensor.h"
#include "onnx/onnx_pb.h"
#include "support/file.h"
#include "support/npy.h"
#include "tools/compression/accuracy.h"
#include "tools/compression/compression_fixture.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

namespace tessera::tools {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class NotFinite : public CompressionTest {
 protected:
  // Another sample there, with that element.
  static std::string Folder(const char* name, float element) {
    std::string folder = SampleFolder(name, {40, 64});
    ir::Tensor x = *ir::Tensor::Allocate(ir::DType::kF32, {40, 64});
    for (int64_t i = 0; i < x.size(); ++i)
      x.mutable_data<float>()[i] = static_cast<float>(i * 29 % 37) / 20 - 1;
    x.mutable_data<float>()[7] = element;
    EXPECT_TRUE(support::WriteFile(folder + "/y.npy", support::SerializeNpy(x)).ok());
    return folder;
  }

  static std::string Model() {
    onnx::ModelProto model = Parsed(R"(<ir_version: 10, opset_import: ["" : 21]>
      g (float[40,64] x) => (float[40,16] y) {
        b = MatMul(x, v)
        c = Relu(b)
        y = MatMul(c, w)
      })");
    for (const auto& [name, dims] : std::vector<std::pair<const char*, std::vector<int64_t>>>{
             {"v", {64, 64}}, {"w", {64, 16}}}) {
      onnx::TensorProto& tensor = AddFloats(model, name, dims);
      for (int64_t i = 0; i < dims[0] * dims[1]; ++i)
        tensor.add_float_data(
            static_cast<float>(std::sin(1.7 * static_cast<double>(i * i % 1009))));
    }
    return Written(model, "not_finite");
  }
};

TEST_F(NotFinite, SamplesAreRefusedByWhateverLooksAtThem) {
  const std::string model = Model();
  const std::string clean = Folder("finite", 0.5F);
  const std::string nan = Folder("with_nan", kNaN), infinity = Folder("with_infinity", kInfinity);
  for (const char* algorithms :
       {"{algorithm: weight_compression, mode: int4_asym, group_size: 32, all_layers: true}",
        "{algorithm: weight_compression, mode: int4_asym, group_size: 32, all_layers: true, "
        "ratio: 0.5, data_aware: false}",
        "{algorithm: awq, group_size: 32}", "{algorithm: magnitude_sparsity}",
        "{algorithm: magnitude_sparsity, pattern: \"2:4\"}",
        "{algorithm: quantization, activations: {mode: dynamic}}",
        "{algorithm: quantization, quantize_activations: false}", "{algorithm: quantization}"}) {
    const auto configuration =
        ParseCompression("c.yaml", absl::StrCat("compression: [", algorithms, "]"));
    ASSERT_TRUE(configuration.ok()) << configuration.status();
    EXPECT_TRUE(Compress({model, clean, {}}, *configuration).ok()) << algorithms;
    for (const std::string& folder : {nan, infinity}) {
      const absl::Status status = Compress({model, folder, {}}, *configuration).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << algorithms << status;
      EXPECT_NE(status.message().find("`, was 1 times infinite or not a number on the samples"),
                std::string::npos)
          << algorithms << ": " << status;
    }
  }
}

// The first output stays what it is, the second one does not: a root of what is below 0 is none.
TEST_F(NotFinite, ResultsAreTheWorst) {
  const auto model = [](const char* second) {
    return Parsed(absl::StrCat(R"(<ir_version: 10, opset_import: ["" : 21]>
      g (float[40,64] x) => (float[40,64] y, float[40,64] z) {
        y = Relu(x)
        z = )",
                               second, R"((x)
      })"));
  };
  const std::string folder = Folder("of_both_signs", 0.5F);
  const CompressionRequest request{Written(model("Identity"), "finite"), folder, {}};
  const auto qualities = Compare(request, model("Sqrt").SerializeAsString(), {folder});
  ASSERT_TRUE(qualities.ok()) << qualities.status();
  ASSERT_EQ(qualities->size(), 2u);
  EXPECT_EQ((*qualities)[0].worst, 300);
  EXPECT_EQ((*qualities)[1].snr, -300);
  EXPECT_EQ((*qualities)[1].varying, -300);
  EXPECT_EQ((*qualities)[1].largest, kInfinity);
  EXPECT_EQ(MeasureOf(Bound::Kind::kLeastSnr, *qualities), -300);
  EXPECT_GT(MeasureOf(Bound::Kind::kMostDrop, *qualities), 200);
}

// NaNs, and -inf.
TEST_F(NotFinite, ResultsOfBothAreRight) {
  const std::string folder = Folder("both", 0.5F);
  for (const char* nodes : {"y = Sqrt(x)", "a = Relu(x)  y = Log(a)"}) {
    const onnx::ModelProto model = Parsed(absl::StrCat(R"(<ir_version: 10, opset_import: ["" : 21]>
          g (float[40,64] x) => (float[40,64] y) { )",
                                                       nodes, " }"));
    const auto qualities = Compare({Written(model, "not_finite_both"), folder, {}},
                                   model.SerializeAsString(), {folder});
    ASSERT_TRUE(qualities.ok()) << qualities.status();
    EXPECT_EQ((*qualities)[0].worst, 300) << nodes;
    EXPECT_EQ((*qualities)[0].varying, 300) << nodes;
    EXPECT_EQ((*qualities)[0].largest, 0) << nodes;
  }
}

}  // namespace
}  // namespace tessera::tools
