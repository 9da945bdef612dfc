#include "testing/tflite_target.h"

#include <vector>

#include "support/aligned_copy.h"
#include "targets/circle/file/tflite.h"
#include "targets/circle/tflite_check/tflite_oracle.h"

namespace tessera::testing {
namespace {

class Tflite : public verification::Target {
 public:
  std::string_view name() const override { return "tflite"; }

  absl::StatusOr<std::string> Compile(ir::Graph& graph) const override {
    const absl::StatusOr<std::string> written = verification::FindTarget("circle")->Compile(graph);
    if (!written.ok()) return written.status();
    return circle::ToTflite(support::AlignedCopy(*written).bytes);
  }

  absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view artifact, absl::Span<const ir::Tensor> inputs) const override {
    return circle::RunTflite(std::string(artifact), {inputs.begin(), inputs.end()});
  }

  double tolerance() const override { return 1e-5; }
};

}  // namespace

const verification::Target& TfliteTarget() {
  static const Tflite* target = new Tflite();
  return *target;
}

}  // namespace tessera::testing
