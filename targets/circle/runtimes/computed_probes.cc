#include "targets/circle/runtimes/computed_probes.h"

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "support/aligned_copy.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/emission/parameters.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/runtimes/size_probes.h"

namespace tessera::circle {
namespace {

absl::StatusOr<ir::Tensor> ElementsOf(const FileTensor& tensor) {
  const std::optional<ir::DType> dtype = DTypeOf(tensor.type);
  if (!dtype.has_value()) return absl::InternalError("positions of a type that is none here");
  absl::StatusOr<ir::Tensor> elements = ir::Tensor::Allocate(*dtype, tensor.shape);
  if (elements.ok() && !tensor.data.empty())
    std::memcpy(elements->mutable_data<uint8_t>(), tensor.data.data(), tensor.data.size());
  return elements;
}

}  // namespace

absl::StatusOr<std::optional<ProbeFile>> WithComputed(const ProbeFile& file) {
  const support::AlignedCopy copy(file.circle);
  absl::StatusOr<FileModel> model = ReadCircle(copy.bytes, copy.owner);
  if (!model.ok()) return model.status();
  FileGraph& graph = model->main();
  const FileOperator op = graph.operators.back();
  const ir::OpInfo* const info = DefinitionOf(graph, op);
  if (info == nullptr) return std::nullopt;
  ProbeFile computed;
  computed.inputs = file.inputs;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const ir::OperandSpec* const spec = ir::OperandSpecAt(*info, i);
    if (spec == nullptr) break;
    if (!spec->elements || op.inputs[i] < 0) continue;
    FileTensor& tensor = graph.tensors[static_cast<size_t>(op.inputs[i])];
    if (!tensor.is_constant) continue;
    absl::StatusOr<ir::Tensor> elements = ElementsOf(tensor);
    if (!elements.ok()) return elements.status();
    computed.inputs.push_back(*std::move(elements));
    tensor.is_constant = false;
    tensor.data = {};
    tensor.name = absl::StrCat("given", i);
    graph.inputs.push_back(op.inputs[i]);
  }
  if (computed.inputs.size() == file.inputs.size()) return std::nullopt;
  model->signatures.clear();
  model->metadata.clear();  // it tells of the inputs there were
  for (const int32_t output : op.outputs) {
    for (int64_t& dim : graph.tensors[static_cast<size_t>(output)].shape) dim = -1;
  }
  computed.use = UseOf(*model, graph, op);
  if (!HandOutFloats(graph, op.outputs)) return std::nullopt;
  absl::StatusOr<std::string> bytes = WriteCircle(*model);
  if (!bytes.ok()) return bytes.status();
  computed.circle = *std::move(bytes);
  return computed;
}

}  // namespace tessera::circle
