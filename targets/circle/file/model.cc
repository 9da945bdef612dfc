#include "targets/circle/file/model.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {

const OptionValue* FindOption(const FileOperator& op, std::string_view field) {
  for (const auto& [name, value] : op.options) {
    if (name == field) return &value;
  }
  return nullptr;
}

int BitsOf(TensorType type) {
  switch (type) {
    case ::circle::TensorType_INT4:
    case ::circle::TensorType_UINT4:
      return 4;
    case ::circle::TensorType_BOOL:
    case ::circle::TensorType_INT8:
    case ::circle::TensorType_UINT8:
      return 8;
    case ::circle::TensorType_FLOAT16:
    case ::circle::TensorType_BFLOAT16:
    case ::circle::TensorType_INT16:
    case ::circle::TensorType_UINT16:
      return 16;
    case ::circle::TensorType_FLOAT32:
    case ::circle::TensorType_INT32:
    case ::circle::TensorType_UINT32:
      return 32;
    case ::circle::TensorType_FLOAT64:
    case ::circle::TensorType_INT64:
    case ::circle::TensorType_UINT64:
    case ::circle::TensorType_COMPLEX64:
      return 64;
    case ::circle::TensorType_COMPLEX128:
      return 128;
    default:
      return 0;
  }
}

std::optional<int64_t> ByteSize(TensorType type, absl::Span<const int64_t> shape) {
  const int bits = BitsOf(type);
  if (bits == 0) return std::nullopt;
  constexpr int64_t kMaxElements = (int64_t{1} << 62) / 128;
  int64_t count = 1;
  bool empty = false;  // some dim is 0, whatever the others
  for (int64_t dim : shape) {
    if (dim < 0) return std::nullopt;
    empty |= dim == 0;
  }
  if (empty) return 0;
  for (int64_t dim : shape) {
    if (count > kMaxElements / dim) return std::nullopt;
    count *= dim;
  }
  return (count * bits + 7) / 8;
}

namespace {

// One line of bounded length, whatever the file holds.
std::string Shown(absl::string_view name) {
  constexpr size_t kMaxShown = 120;
  const bool cut = name.size() > kMaxShown;
  return absl::StrCat(absl::Utf8SafeCEscape(name.substr(0, kMaxShown)), cut ? "..." : "");
}

}  // namespace

std::string TensorPlace(const FileGraph& graph, int64_t index) {
  if (index < 0 || index >= static_cast<int64_t>(graph.tensors.size())) {
    return absl::StrCat("tensor ", index);
  }
  return absl::StrCat("tensor ", index, " `", Shown(graph.tensors[index].name), "`");
}

std::string OperatorPlace(const FileGraph& graph, int64_t index) {
  const FileOperator& op = graph.operators[index];
  const absl::string_view name = OperatorName(op.builtin_code);
  if (!op.custom_code.empty()) {
    return absl::StrCat("operator ", index, " `", name, " ", Shown(op.custom_code), "`");
  }
  if (name.empty()) return absl::StrCat("operator ", index, " of code ", op.builtin_code);
  return absl::StrCat("operator ", index, " `", name, "`");
}

std::string GraphPlace(const FileModel& model, size_t graph) {
  if (graph == 0) return "";
  return absl::StrCat("subgraph ", graph, " `", Shown(model.graphs[graph].name), "`: ");
}

}  // namespace tessera::circle
