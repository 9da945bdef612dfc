#include "targets/circle/runtimes/control_flow_probes.h"

#include <string>
#include <utility>

#include "targets/circle/file/loop_sizes.h"
#include "targets/circle/file/sample_models.h"
#include "targets/circle/file/writer.h"

namespace tessera::circle {
namespace {

constexpr int64_t kSize = 3;  // of what is not known in the models

FileModel WithKnownSizes(FileModel model) {
  for (FileGraph& graph : model.graphs) {
    for (FileTensor& tensor : graph.tensors) {
      for (int64_t& dim : tensor.shape) dim = dim < 0 ? kSize : dim;
    }
  }
  return model;
}

FileModel KeptBack(FileModel model) {
  KeepBackLoopSizes(model);
  return model;
}

absl::StatusOr<ProbeFile> ProbeOf(const FileModel& model, const ir::Tensor& first) {
  const FileGraph& graph = model.graphs[0];
  absl::StatusOr<std::string> bytes = WriteCircle(model);
  if (!bytes.ok()) return bytes.status();
  return ProbeFile{*std::move(bytes),
                   {first, ir::Tensor::Of<float>(ir::DType::kF32, {kSize}, {-1.0F, 0.5F, 3.0F})},
                   UseOf(model, graph, graph.operators.back())};
}

}  // namespace

absl::StatusOr<std::vector<ProbeFile>> MakeControlFlowProbes() {
  const ir::Tensor rounds = ir::Tensor::Of<int32_t>(ir::DType::kI32, {}, {2});
  const ir::Tensor holds = ir::Tensor::Of<double>(ir::DType::kBool, {}, {1.0});
  std::vector<ProbeFile> files;
  for (const auto& [model, first] :
       {std::pair(WhileModel(), rounds), std::pair(ComputedSizeLoopModel(), rounds),
        std::pair(IfModel(), holds), std::pair(SharedOperandModel(WhileModel()), rounds),
        std::pair(SharedOperandModel(IfModel()), holds)}) {
    for (const FileModel& one : {WithKnownSizes(model), KeptBack(model), model}) {
      absl::StatusOr<ProbeFile> file = ProbeOf(one, first);
      if (!file.ok()) return file.status();
      files.push_back(*std::move(file));
    }
  }
  return files;
}

}  // namespace tessera::circle
