// Networks in a TFLite runtime that we did not write: each artifact, under TFLite's identifier,
// against the reference.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/onnx/import.h"
#include "support/file.h"
#include "targets/circle/compile.h"
#include "testing/networks/networks.h"
#include "testing/tflite_target.h"
#include "tools/cli/op_sets.h"
#include "tools/verification/verify.h"

namespace tessera::testing {
namespace {

class TfliteNetwork : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    cli::LinkOps();
    circle::RegisterOperators();
  }

  // On random inputs of sizes that `dims` admit.
  static void ExpectAgreement(const std::string& model, const std::vector<std::string>& dims) {
    verification::Request request;
    request.model = model;
    request.data = ::testing::TempDir();  // no data sets there
    request.target = &TfliteTarget();
    for (const std::string& text : dims) {
      const auto dim = onnx_import::ParseDimOption(text);
      ASSERT_TRUE(dim.ok()) << dim.status();
      request.options.dims.push_back(*dim);
    }
    const absl::StatusOr<verification::Report> report = verification::Verify(request);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->holds()) << report->ToText();
  }
  static std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = ::testing::TempDir() + "/" + name;
    EXPECT_TRUE(support::WriteFile(path, bytes).ok());
    return path;
  }
};

TEST_F(TfliteNetwork, UNet) {
  ExpectAgreement("testdata/unet_d1_padded/model.onnx", {"N=1", "H=17", "W=22"});
}

// One artifact, whose shapes the runtime computes.
TEST_F(TfliteNetwork, UNetOfAnySize) { ExpectAgreement("testdata/unet_d1_padded/model.onnx", {}); }

// A loop in the artifact, once around for each position.
TEST_F(TfliteNetwork, RecurrencesOfAnyLength) {
  ExpectAgreement("testdata/acoustic_lstm/model.onnx", {});
  ExpectAgreement("testdata/denoise_gru/model.onnx", {});
}

// Sizes at which each pool and stride still has several positions.
TEST_F(TfliteNetwork, SqueezeNet) {
  ExpectAgreement(Write("squeezenet.onnx", SqueezeNet(64, 1)), {"N=1"});
}

TEST_F(TfliteNetwork, MobileNetV2) {
  ExpectAgreement(Write("mobilenet.onnx", MobileNetV2(64, 2)), {"N=1"});
}

}  // namespace
}  // namespace tessera::testing
