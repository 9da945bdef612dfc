#include "targets/circle/runtimes/cast_probes.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/dtype.h"
#include "ir/tensor.h"
#include "support/aligned_copy.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/schema/circle_generated.h"

namespace tessera::circle {
namespace {

FileOperator Cast(const FileGraph& graph, int32_t from, int32_t to) {
  const auto type = [&](int32_t index) {
    return std::string(
        ::circle::EnumNameTensorType(graph.tensors[static_cast<size_t>(index)].type));
  };
  FileOperator op;
  op.builtin_code = ::circle::BuiltinOperator_CAST;
  op.inputs = {from};
  op.outputs = {to};
  op.options_table = "CastOptions";
  op.options = {{"in_data_type", type(from)}, {"out_data_type", type(to)}};
  return op;
}

bool IsOfBytes(const FileGraph& graph, int32_t index) {
  return graph.tensors[static_cast<size_t>(index)].type == ::circle::TensorType_UINT8;
}

// A tensor of floats that takes the place of `bytes`.
int32_t AddFloats(FileGraph& graph, int32_t bytes) {
  FileTensor floats = graph.tensors[static_cast<size_t>(bytes)];
  floats.name = absl::StrCat("floats", bytes);
  floats.type = ::circle::TensorType_FLOAT32;
  floats.quantization.reset();
  graph.tensors.push_back(std::move(floats));
  return static_cast<int32_t>(graph.tensors.size() - 1);
}

ir::Tensor Floats(const ir::Tensor& bytes) {
  std::vector<double> elements;
  for (int64_t i = 0; i < bytes.size(); ++i) elements.push_back(bytes.AsDouble(i));
  return ir::Tensor::Of<double>(ir::DType::kF32, bytes.shape(), absl::MakeConstSpan(elements));
}

}  // namespace

absl::StatusOr<std::optional<ProbeFile>> BetweenCasts(const ProbeFile& file) {
  const support::AlignedCopy copy(file.circle);
  absl::StatusOr<FileModel> model = ReadCircle(copy.bytes, copy.owner);
  if (!model.ok()) return model.status();
  FileGraph& graph = model->main();
  const FileOperator op = graph.operators.back();
  ProbeFile between{"", file.inputs, file.use};
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (!IsOfBytes(graph, graph.inputs[i])) continue;
    const int32_t floats = AddFloats(graph, graph.inputs[i]);
    graph.operators.insert(graph.operators.begin(), Cast(graph, floats, graph.inputs[i]));
    graph.inputs[i] = floats;
    between.inputs[i] = Floats(file.inputs[i]);
  }
  for (int32_t& output : graph.outputs) {
    if (!IsOfBytes(graph, output)) continue;
    const int32_t floats = AddFloats(graph, output);
    graph.operators.push_back(Cast(graph, output, floats));
    output = floats;
  }
  between.use = UseOf(*model, graph, op);
  if (between.use.forms.count(kCast) == 0) return std::nullopt;
  model->signatures.clear();
  model->metadata.clear();  // it tells of the inputs there were
  absl::StatusOr<std::string> bytes = WriteCircle(*model);
  if (!bytes.ok()) return bytes.status();
  between.circle = *std::move(bytes);
  return between;
}

}  // namespace tessera::circle
