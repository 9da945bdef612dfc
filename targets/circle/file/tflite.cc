#include "targets/circle/file/tflite.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

constexpr char kIdentifier[] = "TFL3";
constexpr size_t kIdentifierPlace = 4;
constexpr uint32_t kVersion = 3;
constexpr int kFirstOptionsOfCircle = 247;

absl::Status CheckOnlyShared(const FileGraph& graph) {
  for (size_t i = 0; i < graph.tensors.size(); ++i) {
    if (graph.tensors[i].type >= 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(TensorPlace(graph, static_cast<int64_t>(i)), ": type ",
                     ::circle::EnumNameTensorType(graph.tensors[i].type), " is not of TFLite"));
  }
  for (size_t i = 0; i < graph.operators.size(); ++i) {
    const FileOperator& op = graph.operators[i];
    const auto place = FindOptionsPlace(op.options_table);
    absl::string_view what;
    if (place && !place->second_union && place->ordinal >= kFirstOptionsOfCircle) {
      what = "its table of options";
    }
    if (const OptionValue* format = FindOption(op, "weights_format");
        format != nullptr && *format == OptionValue("SHUFFLED16x1FLOAT32")) {
      what = "its weight format";
    }
    if (op.builtin_code < 0) what = "its code";
    if (what.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(OperatorPlace(graph, static_cast<int64_t>(i)),
                                                   ": ", what, " is not of TFLite"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ToTflite(absl::Span<const uint8_t> circle) {
  const absl::StatusOr<FileModel> model = ReadCircle(circle, nullptr);
  if (!model.ok()) return model.status();
  if (auto status = ErrorsOf(CheckCircle(*model)); !status.ok()) return status;
  for (const FileGraph& graph : model->graphs) {
    if (auto status = CheckOnlyShared(graph); !status.ok()) return status;
  }
  const ::circle::Model& root = *::circle::GetModel(circle.data());
  for (const ::circle::SubGraph* graph : *root.subgraphs()) {
    if (graph->debug_metadata_index() == -1) continue;
    return absl::InvalidArgumentError("`debug_metadata_index` is another field in TFLite");
  }
  for (const ::circle::Buffer* buffer : *root.buffers()) {
    if (buffer->offset() > 1) {
      return absl::InvalidArgumentError(
          "data behind the FlatBuffer, which TFLite runtimes differ on");
    }
  }
  const auto& table = reinterpret_cast<const flatbuffers::Table&>(root);
  const uint8_t* version = table.GetAddressOf(::circle::Model::VT_VERSION);
  if (version == nullptr) {
    return absl::InvalidArgumentError("the version is not stored, and there is no room for it");
  }
  std::string bytes(circle.begin(), circle.end());
  std::memcpy(&bytes[kIdentifierPlace], kIdentifier, sizeof kIdentifier - 1);
  flatbuffers::WriteScalar(&bytes[version - circle.data()], kVersion);
  return bytes;
}

}  // namespace tessera::circle
