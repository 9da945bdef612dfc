#include "testing/tflite_target.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "passes/pipeline.h"
#include "passes/runner.h"
#include "targets/circle/compile.h"
#include "targets/circle/file/tflite.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/tflite_check/tflite_oracle.h"

namespace tessera::testing {
namespace {

class Tflite : public verification::Target {
 public:
  std::string_view name() const override { return "tflite"; }

  absl::StatusOr<std::string> Compile(ir::Graph& graph) const override {
    circle::CompileOptions options;
    std::vector<passes::PassReport> reports;
    if (absl::Status status = passes::Run(graph, passes::CanonicalPipeline(), options.run, reports);
        !status.ok())
      return status;
    const absl::StatusOr<circle::CompileResult> compiled = circle::Compile(graph, options);
    if (!compiled.ok()) return compiled.status();
    const absl::StatusOr<std::string> written = circle::WriteCircle(compiled->model);
    if (!written.ok()) return written.status();
    const size_t blocks = written->size() / sizeof(std::max_align_t) + 1;
    const std::unique_ptr<std::max_align_t[]> aligned(new std::max_align_t[blocks]);
    std::memcpy(aligned.get(), written->data(), written->size());
    return circle::ToTflite({reinterpret_cast<const uint8_t*>(aligned.get()), written->size()});
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
