#include <cstring>
#include <memory>

#include "passes/pipeline.h"
#include "passes/runner.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/writer.h"
#include "tools/verification/target.h"

namespace tessera::verification {
namespace {

class CircleTarget : public Target {
 public:
  std::string_view name() const override { return "circle"; }

  absl::StatusOr<std::string> Compile(ir::Graph& graph) const override {
    circle::CompileOptions options;
    std::vector<passes::PassReport> reports;
    if (absl::Status status = passes::Run(graph, passes::CanonicalPipeline(), options.run, reports);
        !status.ok())
      return status;
    const absl::StatusOr<circle::CompileResult> compiled = circle::Compile(graph, options);
    if (!compiled.ok()) return compiled.status();
    return circle::WriteCircle(compiled->model);
  }

  absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view artifact, absl::Span<const ir::Tensor> inputs) const override {
    // The format aligns its constants within the file; the file has to be aligned itself.
    const size_t blocks =
        (artifact.size() + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t);
    std::shared_ptr<std::max_align_t[]> copy(new std::max_align_t[blocks == 0 ? 1 : blocks]);
    std::memcpy(copy.get(), artifact.data(), artifact.size());
    const absl::Span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(copy.get()),
                                          artifact.size());
    const absl::StatusOr<circle::Executor> executor = circle::Executor::Create(bytes, copy);
    if (!executor.ok()) return executor.status();
    return executor->Run(inputs);
  }

  double tolerance() const override { return 1e-5; }
};

}  // namespace

absl::Span<const Target* const> Targets() {
  static const CircleTarget* circle = new CircleTarget();
  static const Target* const kTargets[] = {circle};
  return kTargets;
}

}  // namespace tessera::verification
