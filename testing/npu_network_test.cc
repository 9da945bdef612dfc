// Published image classifiers and a U-Net on the NPU, with the host for what the device lacks:
// artifacts hold against the reference, and almost all of the arithmetic is the device's.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "frontends/onnx/import.h"
#include "support/aligned_copy.h"
#include "support/file.h"
#include "targets/all/all.h"
#include "targets/npu/artifact/file.h"
#include "testing/networks/networks.h"
#include "tools/cli/op_sets.h"
#include "tools/verification/verify.h"

namespace tessera::testing {
namespace {

// A target whose artifacts are looked at on their way.
class Watched : public verification::Target {
 public:
  explicit Watched(const verification::Target& target) : target_(target) {}

  std::string_view name() const override { return target_.name(); }
  double tolerance() const override { return target_.tolerance(); }
  double least_snr() const override { return target_.least_snr(); }
  absl::StatusOr<std::string> Compile(ir::Graph& graph) const override {
    absl::StatusOr<std::string> artifact = target_.Compile(graph);
    if (!artifact.ok()) return artifact;
    const support::AlignedCopy copy(*artifact);
    absl::StatusOr<npu::Bundle> bundle = npu::ReadArtifact(copy.bytes);
    if (!bundle.ok()) return bundle.status();
    bundle_ = *std::move(bundle);
    return artifact;
  }
  absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view artifact, absl::Span<const ir::Tensor> inputs) const override {
    return target_.Execute(artifact, inputs);
  }
  absl::StatusOr<Execution> ExecuteWithNotes(std::string_view artifact,
                                             absl::Span<const ir::Tensor> inputs) const override {
    return target_.ExecuteWithNotes(artifact, inputs);
  }

  const npu::Bundle& bundle() const { return bundle_; }

 private:
  const verification::Target& target_;
  mutable npu::Bundle bundle_;
};

// On random inputs of sizes that `dims` admit. Calibrated with others: scales are not made for what
// is compared.
void ExpectOnTheDevice(const std::string& model, const std::vector<std::string>& dims,
                       double least_share) {
  cli::LinkOps();
  const targets::Target* npu = targets::Find("npu");
  ASSERT_NE(npu, nullptr);
  verification::Request request;
  request.model = model;
  request.data = ::testing::TempDir();  // no data sets there
  for (const std::string& text : dims) {
    const auto dim = onnx_import::ParseDimOption(text);
    ASSERT_TRUE(dim.ok()) << dim.status();
    request.options.dims.push_back(*dim);
  }
  const targets::FlagValues flags = {
      {"npu-device", {"gna-3.5"}}, {"npu-fallback", {"host"}}, {"scale", {"input=12000"}}};
  const auto target = verification::MakeTarget(*npu, flags);
  ASSERT_TRUE(target.ok()) << target.status();
  const Watched watched(**target);
  request.target = &watched;
  const absl::StatusOr<verification::Report> report = verification::Verify(request);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->holds()) << report->ToText();
  EXPECT_EQ(watched.least_snr(), 40);
  EXPECT_GE(watched.bundle().device_share, least_share);
}

std::string Write(const std::string& name, const std::string& bytes) {
  std::string path = ::testing::TempDir() + "/" + name;
  EXPECT_TRUE(support::WriteFile(path, bytes).ok());
  return path;
}

TEST(NpuNetwork, SqueezeNet) {
  ExpectOnTheDevice(Write("squeezenet.onnx", SqueezeNet(64, 1)), {"N=1"}, 1);
}

TEST(NpuNetwork, MobileNetV2) {
  ExpectOnTheDevice(Write("mobilenet.onnx", MobileNetV2(64, 2)), {"N=1"}, 1);
}

TEST(NpuNetwork, ResNet18) { ExpectOnTheDevice(Write("resnet.onnx", ResNet18(64, 3)), {"N=1"}, 1); }

TEST(NpuNetwork, UNet) {
  ExpectOnTheDevice("testdata/unet_d1_padded/model.onnx", {"N=1", "H=33", "W=50"}, 0.95);
}

}  // namespace
}  // namespace tessera::testing
