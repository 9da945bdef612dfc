#include "fuzz/networks/calibrated.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/npy.h"
#include "support/temporary_folder.h"
#include "tools/verification/sizes.h"

namespace tessera::fuzz {
namespace {

class Calibrated final : public verification::Target {
 public:
  Calibrated(const targets::Target& target, targets::FlagValues flags, uint64_t seed)
      : target_(target), flags_(std::move(flags)), seed_(seed) {}

  std::string_view name() const override { return target_.name(); }
  double tolerance() const override { return last_ == nullptr ? 0 : last_->tolerance(); }
  double least_snr() const override { return last_ == nullptr ? 0 : last_->least_snr(); }

  absl::StatusOr<std::string> Compile(ir::Graph& graph) const override {
    const support::TemporaryFolder folder;
    if (absl::Status status = WriteSamples(graph, folder.path()); !status.ok()) return status;
    targets::FlagValues flags = flags_;
    flags[std::string(targets::kCalibrationFlag)] = {folder.path()};
    absl::StatusOr<std::unique_ptr<const verification::Target>> made =
        verification::MakeTarget(target_, flags);
    if (!made.ok()) return made.status();
    last_ = *std::move(made);
    return last_->Compile(graph);
  }

  absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view artifact, absl::Span<const ir::Tensor> inputs) const override {
    return last_->Execute(artifact, inputs);
  }

 private:
  absl::Status WriteSamples(const ir::Graph& graph, const std::string& folder) const {
    int count = 0;
    for (const solver::Assignment& sizes : verification::ChooseSizes(graph, kSamples, seed_)) {
      const std::string set = absl::StrCat(folder, "/test_data_set_", count++);
      std::error_code error;
      std::filesystem::create_directories(set, error);
      const absl::StatusOr<std::vector<ir::Tensor>> inputs =
          verification::RandomInputs(graph, sizes, seed_);
      if (!inputs.ok()) return inputs.status();
      for (size_t i = 0; i < inputs->size(); ++i) {
        const absl::Status written = support::WriteFile(absl::StrCat(set, "/input_", i, ".npy"),
                                                        support::SerializeNpy((*inputs)[i]));
        if (!written.ok()) return written;
      }
    }
    return absl::OkStatus();
  }

  const targets::Target& target_;
  const targets::FlagValues flags_;
  const uint64_t seed_;
  // Of the last compilation: what it asks of outputs depends on the network.
  mutable std::unique_ptr<const verification::Target> last_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const verification::Target>> MakeCalibrated(
    const targets::Target& target, const targets::FlagValues& flags, uint64_t seed) {
  if (!verification::LacksCalibration(target, flags))
    return verification::MakeTarget(target, flags);
  if (const auto wrong = target.Configure(flags); !wrong.ok()) return wrong.status();
  return std::make_unique<const Calibrated>(target, flags, seed);
}

}  // namespace tessera::fuzz
