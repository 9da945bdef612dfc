#include "passes/pipeline.h"
#include "support/aligned_copy.h"
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
    options.first = passes::CanonicalPipeline();
    const absl::StatusOr<circle::CompileResult> compiled = circle::Compile(graph, options);
    if (!compiled.ok()) return compiled.status();
    return circle::WriteCircle(compiled->model);
  }

  absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view artifact, absl::Span<const ir::Tensor> inputs) const override {
    const support::AlignedCopy copy(artifact);
    const absl::StatusOr<circle::Executor> executor =
        circle::Executor::Create(copy.bytes, copy.owner);
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

const Target* FindTarget(std::string_view name) {
  for (const Target* target : Targets()) {
    if (target->name() == name) return target;
  }
  return nullptr;
}

}  // namespace tessera::verification
