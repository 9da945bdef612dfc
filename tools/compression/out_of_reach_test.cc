// What no configuration changes is counted in the summary.
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "tools/compression/compression_fixture.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

namespace tessera::tools {
namespace {

class OutOfReach : public CompressionTest {
 protected:
  static std::string SummaryOf(const std::string& text, const std::string& algorithm) {
    const auto configuration =
        ParseCompression("c.yaml", absl::StrCat("compression: {algorithm: ", algorithm, "}"));
    const auto made = Compress({Written(Parsed(text), "reach"), "", {}}, *configuration);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? made->controller.Summary() : "";
  }
  static void ExpectSaid(const std::string& text, const std::string& said) {
    for (const char* algorithm :
         {"quantization, quantize_activations: false", "weight_compression"}) {
      const std::string summary = SummaryOf(text, algorithm);
      EXPECT_NE(summary.find(said), std::string::npos) << algorithm << ": " << summary;
    }
  }
};

TEST_F(OutOfReach, AreHalves) {
  ExpectSaid(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float16[N,2] x) => (float16[N,2] y)
      <float[2,2] wide = {1, 2, 3, 4}> {
        w = Cast<to = 10>(wide)
        a = MatMul(x, w)
        y = MatMul(a, w)
      })",
             "2 operations left as they are (2 in f16)");
}

TEST_F(OutOfReach, AreFunctions) {
  ExpectSaid(R"(<ir_version: 8, opset_import: ["" : 17, "own" : 1]>
      g (float[N,2] x) => (float[N,2] y)
      <float[2,2] w = {1, 2, 3, 4}> {
        y = own.product(x, w)
      }
      <domain: "own", opset_import: ["" : 17]>
      product (a, b) => (c) {
        c = MatMul(a, b)
      })",
             "1 operations left as they are (1 in functions or subgraphs)");
}

}  // namespace
}  // namespace tessera::tools
