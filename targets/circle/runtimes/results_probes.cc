#include "targets/circle/runtimes/results_probes.h"

#include <string>
#include <utility>

#include "targets/circle/file/result_sizes.h"
#include "targets/circle/file/sample_models.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/runtimes/results_use.h"

namespace tessera::circle {

absl::StatusOr<std::vector<ProbeFile>> MakeResultsProbes() {
  FileModel model = ComputedShapeModel();
  std::vector<ProbeFile> files;
  for (const bool kept_back : {false, true}) {
    if (kept_back) KeepBackResultSizes(model);
    absl::StatusOr<std::string> bytes = WriteCircle(model);
    if (!bytes.ok()) return bytes.status();
    files.push_back({*std::move(bytes),
                     {ir::Tensor::Of<int32_t>(ir::DType::kI32, {6}, {1, -2, 3, -4, 5, -6}),
                      ir::Tensor::Of<int32_t>(ir::DType::kI32, {2}, {2, 3})},
                     UseOfResults(model)});
  }
  return files;
}

}  // namespace tessera::circle
