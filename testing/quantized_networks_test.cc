// Networks that quantizers made, in each form that users bring, against what ONNX Runtime computes
// of them without optimizations: the reference, and Circle's integers where there are such.
// testdata/quantized/record.py says how they came about.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "tools/cli/op_sets.h"
#include "tools/verification/verify.h"

namespace tessera::testing {
namespace {

struct Network {
  const char* name;
  // Steps of the output's grid that an element may be off by, and how large a part of them may be
  // off at all: ONNX Runtime adds floats in another order, so that a code in some thousands is
  // rounded the other way; Circle rounds scaled integers at every layer. 0 steps: the output is on
  // no grid, and the usual tolerance holds.
  double reference_steps, reference_part;
  double circle_steps, circle_part;
};

std::ostream& operator<<(std::ostream& out, const Network& network) { return out << network.name; }

std::string FolderOf(const Network& network) {
  return absl::StrCat("testdata/quantized/", network.name);
}

class QuantizedNetwork : public ::testing::TestWithParam<Network> {
 protected:
  static void SetUpTestSuite() { cli::LinkOps(); }

  // Shares are reported as the test's properties.
  static void Expect(const verification::Report& report, const std::string& side, double steps,
                     double part) {
    size_t outputs = 0;
    double most_steps = 0, most = 0;
    for (const verification::CaseReport& c : report.cases) {
      EXPECT_EQ(c.error, "") << c.name;
      for (const verification::OutputReport& output : c.outputs) {
        if (output.side != side) continue;
        ++outputs;
        if (steps == 0) {
          EXPECT_EQ(output.step, 0);
          EXPECT_TRUE(output.comparison.holds) << output.comparison.complaint;
          continue;
        }
        ASSERT_GT(output.step, 0) << output.output << " is on no grid";
        EXPECT_EQ(output.comparison.complaint.find("shape"), std::string::npos)
            << output.comparison.complaint;
        most_steps = std::max(most_steps, output.comparison.steps);
        most = std::max(most, output.comparison.differing);
      }
    }
    EXPECT_GT(outputs, 0u);
    constexpr double kRoundedStep = 1.001;
    EXPECT_LE(most_steps, steps * kRoundedStep) << report.ToText();
    EXPECT_LE(most, part) << report.ToText();
    RecordProperty(absl::StrCat(side, "_steps"), absl::StrCat(most_steps));
    RecordProperty(absl::StrCat(side, "_differing"), absl::StrCat(most));
  }
};

TEST_P(QuantizedNetwork, IsWhatOnnxRuntimeComputes) {
  verification::Request request;
  request.data = FolderOf(GetParam());
  request.model = request.data + "/model.onnx";
  const absl::StatusOr<verification::Report> report = verification::Verify(request);
  ASSERT_TRUE(report.ok()) << report.status();
  Expect(*report, "reference", GetParam().reference_steps, GetParam().reference_part);
}

TEST_P(QuantizedNetwork, IsTheSameOnCirclesIntegers) {
  verification::Request request;
  request.data = FolderOf(GetParam());
  request.model = request.data + "/model.onnx";
  request.target = verification::FindTarget("circle");
  ASSERT_NE(request.target, nullptr);
  const absl::StatusOr<verification::Report> report = verification::Verify(request);
  ASSERT_TRUE(report.ok()) << report.status();
  Expect(*report, "circle", GetParam().circle_steps, GetParam().circle_part);
}

INSTANTIATE_TEST_SUITE_P(Quantizers, QuantizedNetwork,
                         ::testing::Values(Network{"kws_qdq", 1, 0.1, 1, 0.1},
                                           Network{"kws_qoperator", 1, 0.1, 1, 0.1},
                                           Network{"kws_compress", 1, 0.1, 1, 0.2},
                                           Network{"unet_qdq", 1, 0.001, 2, 0.15},
                                           Network{"unet_qoperator", 1, 0.001, 1, 0.001},
                                           Network{"kws_dynamic", 0, 0, 0, 0},
                                           Network{"gru_dynamic", 0, 0, 0, 0}),
                         [](const auto& network) { return std::string(network.param.name); });

}  // namespace
}  // namespace tessera::testing
