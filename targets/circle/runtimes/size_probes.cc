#include "targets/circle/runtimes/size_probes.h"

#include <algorithm>
#include <set>
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
  void Push(FileOperator op) { operators_.push_back(std::move(op)); }

 private:
  FileGraph& graph_;
  ProbeFile& file_;
  std::vector<FileOperator> operators_;
};

// Input i has this shape, without entries, once a block of none is cut from what is given.
void Empty(FileGraph& graph, Front& front, ProbeFile& file, size_t i,
           const std::vector<int64_t>& shape) {
  const int32_t target = graph.inputs[i];
  const FileTensor tensor = graph.tensors[static_cast<size_t>(target)];
  const int32_t source = front.Add("source", ::circle::TensorType_FLOAT32, {2});
  graph.inputs[i] = source;
  file.inputs[i] = ir::Tensor::Of<float>(ir::DType::kF32, {2}, {1.0F, 2.0F});
  const int32_t block = front.Add("block", ::circle::TensorType_FLOAT32, {-1});
  const int32_t from = front.Given({0}), size = front.Given({0});
  front.Push(
      Operator(::circle::BuiltinOperator_SLICE, "SliceOptions", {source, from, size}, block));
  if (tensor.type == ::circle::TensorType_FLOAT32) return front.Reshape(block, shape, target);
  const int32_t floats = front.Add("floats", ::circle::TensorType_FLOAT32, tensor.shape);
  front.Reshape(block, shape, floats);
  front.Push(Cast(floats, ::circle::TensorType_FLOAT32, target, tensor.type));
}

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

std::vector<ProbeFile> WithoutEntries(const ProbeFile& file, size_t first_given) {
  std::vector<ProbeFile> files;
  const support::AlignedCopy copy(file.circle);
  const absl::StatusOr<FileModel> model = ReadCircle(copy.bytes, copy.owner);
  if (!model.ok()) return files;
  // Of integers with a scale there is no CAST that would make them of none.
  for (size_t i = 0; i < first_given; ++i) {
    const ir::DType dtype = file.inputs[i].dtype();
    if (dtype != ir::DType::kF32 && dtype != ir::DType::kI32 && dtype != ir::DType::kI64 &&
        dtype != ir::DType::kBool)
      return files;
  }
  const auto shape_of = [&](size_t i) {
    const FileGraph& graph = model->main();
    return graph.tensors[static_cast<size_t>(graph.inputs[i])].shape;
  };
  std::set<int64_t> sizes;
  for (size_t i = 0; i < first_given; ++i) {
    for (size_t axis = 0; axis < shape_of(i).size(); ++axis) {
      if (shape_of(i)[axis] < 0) sizes.insert(file.inputs[i].shape()[axis]);
    }
  }
  for (const int64_t size : sizes) {
    ProbeFile fewer{"", file.inputs, file.use};
    fewer.circle = file.circle;
    for (size_t i = 0; i < first_given; ++i) {
      std::vector<int64_t> shape = file.inputs[i].shape();
      for (size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape_of(i)[axis] < 0 && shape[axis] == size) shape[axis] = 1;
      }
      absl::StatusOr<ir::Tensor> input = ir::Tensor::Allocate(file.inputs[i].dtype(), shape);
      if (!input.ok()) return files;
      if (shape != file.inputs[i].shape()) fewer.inputs[i] = *std::move(input);
    }
    files.push_back(std::move(fewer));
    ProbeFile without{"", file.inputs, file.use};
    without.use.forms.insert(kEmpty);
    FileModel own = *model;
    FileGraph& graph = own.main();
    const std::vector<int32_t> results = graph.operators.back().outputs;
    {
      Front front(own, without);
      for (size_t i = 0; i < first_given; ++i) {
        std::vector<int64_t> shape = file.inputs[i].shape();
        for (size_t axis = 0; axis < shape.size(); ++axis) {
          if (shape_of(i)[axis] < 0 && shape[axis] == size) shape[axis] = 0;
        }
        if (shape != file.inputs[i].shape()) Empty(graph, front, without, i, shape);
      }
    }
    if (!HandOutFloats(graph, results)) continue;
    absl::StatusOr<std::string> bytes = WriteCircle(own);
    if (!bytes.ok()) continue;
    without.circle = *std::move(bytes);
    files.push_back(std::move(without));
  }
  ProbeFile without = file;
  for (size_t i = first_given; i < file.inputs.size(); ++i) {
    const ir::Tensor& given = file.inputs[i];
    for (int64_t k = 0; k < given.size(); ++k) {
      std::vector<int64_t> numbers;
      for (int64_t j = 0; j < given.size(); ++j)
        numbers.push_back(j == k ? 0 : static_cast<int64_t>(given.AsDouble(j)));
      without.inputs[i] = ir::Tensor::Of<int64_t>(given.dtype(), given.shape(), numbers);
      files.push_back(without);
    }
    without.inputs[i] = given;
  }
  return files;
}

}  // namespace tessera::circle
