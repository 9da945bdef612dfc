#include "frontends/onnx/import.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/external_data.h"
#include "frontends/onnx/graph_importer.h"
#include "frontends/onnx/model_splice.h"
#include "frontends/onnx/problems.h"
#include "frontends/onnx/shape_folding.h"
#include "frontends/onnx/tensor_loader.h"
#include "google/protobuf/arena.h"
#include "ir/rewriter.h"
#include "onnx/onnx_pb.h"
#include "support/mapped_file.h"

namespace tessera::onnx_import {
namespace {

// `path`: of the file that is mapped; empty for a model in memory.
absl::StatusOr<ImportResult> Import(const support::MappedFile& file, const std::string& name,
                                    const std::string& path, const ImportOptions& options) {
  const auto fail = [&](absl::string_view reason) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", reason));
  };
  if (file.bytes.empty()) return fail("empty, no ONNX model");
  absl::StatusOr<SplicedModel> spliced = SpliceModel(file.bytes);
  if (!spliced.ok()) return fail(absl::StrCat("no ONNX model: ", spliced.status().message()));
  google::protobuf::Arena arena;
  auto* model = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  if (!model->ParseFromString(spliced->structure))
    return fail("no ONNX model: protobuf cannot parse it as `ModelProto`");

  ImportResult result;
  result.file = file;
  result.graph = std::make_unique<ir::Graph>();
  result.model_name = model->graph().name();
  result.node_count = CountNodes(model->graph().node());
  for (const auto& function : model->functions()) result.node_count += CountNodes(function.node());
  TensorLoader loader(*spliced, file.owner, !path.empty(), ExternalData(path));
  Problems problems;
  GraphImporter importer(*model, loader, options, *result.graph, problems);
  importer.Import();
  result.opset = importer.opset();
  if (absl::Status status = problems.ToStatus(name); !status.ok()) return status;

  ir::Rewriter rewriter(*result.graph);
  if (absl::Status status = FoldShapeArithmetic(rewriter); !status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat(name, ": folding of shape arithmetic: ", status.message()));
  }
  rewriter.EraseUnused();
  return result;
}

}  // namespace

absl::StatusOr<ImportResult> ImportFile(const std::string& path, const ImportOptions& options) {
  absl::StatusOr<support::MappedFile> file = support::MapFile(path);
  if (!file.ok()) return file.status();
  return Import(*file, path, path, options);
}

absl::StatusOr<ImportResult> ImportBytes(absl::Span<const uint8_t> bytes,
                                         std::shared_ptr<const void> owner, const std::string& name,
                                         const ImportOptions& options) {
  return Import({std::move(owner), bytes}, name, "", options);
}

}  // namespace tessera::onnx_import
