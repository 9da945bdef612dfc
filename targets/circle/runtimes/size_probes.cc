#include "targets/circle/runtimes/size_probes.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/dtype.h"
#include "ir/tensor.h"
#include "support/aligned_copy.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/schema/circle_generated.h"

namespace tessera::circle {
namespace {

FileOperator Operator(int32_t code, std::string options, std::vector<int32_t> from, int32_t to) {
  FileOperator op;
  op.builtin_code = code;
  op.inputs = std::move(from);
  op.outputs = {to};
  op.options_table = std::move(options);
  return op;
}

FileOperator Cast(int32_t from, TensorType from_type, int32_t to, TensorType to_type) {
  FileOperator op = Operator(::circle::BuiltinOperator_CAST, "CastOptions", {from}, to);
  op.options = {{"in_data_type", std::string(::circle::EnumNameTensorType(from_type))},
                {"out_data_type", std::string(::circle::EnumNameTensorType(to_type))}};
  return op;
}

// What stands ahead of the operator that is tried.
class Front {
 public:
  Front(FileModel& model, ProbeFile& file) : graph_(model.main()), file_(file) {
    model.signatures.clear();
    model.metadata.clear();  // it tells of the inputs there were
  }
  ~Front() {
    graph_.operators.insert(graph_.operators.begin(), operators_.begin(), operators_.end());
  }
  int32_t Add(const std::string& name, TensorType type, std::vector<int64_t> shape) {
    FileTensor tensor;
    tensor.name = absl::StrCat(name, graph_.tensors.size());
    tensor.type = type;
    tensor.shape = std::move(shape);
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph_.tensors.size() - 1);
  }
  // Numbers that are given when the model runs.
  int32_t Given(const std::vector<int64_t>& numbers) {
    const auto count = static_cast<int64_t>(numbers.size());
    const int32_t given = Add("numbers", ::circle::TensorType_INT32, {count});
    graph_.inputs.push_back(given);
    file_.inputs.push_back(ir::Tensor::Of<int64_t>(ir::DType::kI32, {count}, numbers));
    return given;
  }
  void Reshape(int32_t from, const std::vector<int64_t>& shape, int32_t to) {
    operators_.push_back(
        Operator(::circle::BuiltinOperator_RESHAPE, "ReshapeOptions", {from, Given(shape)}, to));
  }

 private:
  FileGraph& graph_;
  ProbeFile& file_;
  std::vector<FileOperator> operators_;
};

}  // namespace

bool HandOutFloats(FileGraph& graph, const std::vector<int32_t>& results) {
  for (const int32_t result : results) {
    FileTensor floats = graph.tensors[static_cast<size_t>(result)];
    const auto next = static_cast<int32_t>(graph.tensors.size());
    if (floats.type == ::circle::TensorType_FLOAT32) {
      graph.operators.push_back(
          Operator(::circle::BuiltinOperator_NEG, "NegOptions", {result}, next));
    } else if (floats.type == ::circle::TensorType_INT32 ||
               floats.type == ::circle::TensorType_INT64 ||
               floats.type == ::circle::TensorType_BOOL) {
      graph.operators.push_back(Cast(result, floats.type, next, ::circle::TensorType_FLOAT32));
    } else {
      return false;
    }
    std::replace(graph.outputs.begin(), graph.outputs.end(), result, next);
    floats.type = ::circle::TensorType_FLOAT32;
    floats.name = absl::StrCat("seen", result);
    graph.tensors.push_back(std::move(floats));
  }
  return true;
}

absl::StatusOr<std::optional<ProbeFile>> BehindComputedShapes(const ProbeFile& file) {
  const support::AlignedCopy copy(file.circle);
  absl::StatusOr<FileModel> model = ReadCircle(copy.bytes, copy.owner);
  if (!model.ok()) return model.status();
  FileGraph& graph = model->main();
  const std::vector<int32_t> results = graph.operators.back().outputs;
  ProbeFile behind{"", file.inputs, file.use};
  bool unknown = false;
  {
    Front front(*model, behind);
    for (size_t i = 0; i < file.inputs.size(); ++i) {
      const int32_t target = graph.inputs[i];
      const FileTensor given = graph.tensors[static_cast<size_t>(target)];
      if (std::find(given.shape.begin(), given.shape.end(), -1) == given.shape.end()) continue;
      unknown = true;
      graph.inputs[i] = front.Add("given", given.type, given.shape);
      front.Reshape(graph.inputs[i], file.inputs[i].shape(), target);
    }
  }
  if (!unknown || !HandOutFloats(graph, results)) return std::nullopt;
  absl::StatusOr<std::string> bytes = WriteCircle(*model);
  if (!bytes.ok()) return bytes.status();
  behind.circle = *std::move(bytes);
  return behind;
}

}  // namespace tessera::circle
