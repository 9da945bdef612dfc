#include "frontends/onnx/import.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/declarations.h"
#include "frontends/onnx/external_data.h"
#include "frontends/onnx/graph_importer.h"
#include "frontends/onnx/model_splice.h"
#include "frontends/onnx/problems.h"
#include "frontends/onnx/tensor_loader.h"
#include "google/protobuf/arena.h"
#include "onnx/onnx_pb.h"
#include "support/mapped_file.h"

namespace tessera::onnx_import {
namespace {

// A model that protobuf has read.
struct Source {
  const support::MappedFile& file;
  const std::string& name;
  const std::string& path;  // of the file that is mapped; empty for a model in memory
  const SplicedModel& spliced;
  const onnx::ModelProto& model;
};

absl::StatusOr<ImportResult> Import(const Source& source, const ImportOptions& options,
                                    Mending& mending) {
  const onnx::ModelProto& model = source.model;
  ImportResult result;
  result.file = source.file;
  result.graph = std::make_unique<ir::Graph>();
  result.model_name = model.graph().name();
  result.node_count = CountNodes(model.graph().node());
  for (const auto& function : model.functions()) result.node_count += CountNodes(function.node());
  TensorLoader loader(source.spliced, source.file.owner, !source.path.empty(),
                      ExternalData(source.path));
  Problems problems;
  GraphImporter importer(model, loader, options, *result.graph, problems);
  importer.Import();
  result.opset = importer.opset();
  result.assumed_opsets = importer.AssumedOpsets();
  result.assumed_outputs = importer.assumed_outputs();
  result.assumed_readings = importer.AssumedReadings();
  // It may be for those that something does not fit.
  for (const std::string& text : result.assumed_readings) problems.AddRemark(text);
  result.flattened = importer.flattened();
  result.files = {source.file.stamp};
  for (const auto& [location, file] : loader.ExternalFiles()) {
    result.files.push_back(file.stamp);
    result.data[location] = file.stamp->path;
  }
  if (absl::Status status = support::CheckUnchanged(result.files); !status.ok()) return status;
  if (absl::Status status = FinishImport(source.name, problems, options, *result.graph, mending);
      !status.ok())
    return status;
  return result;
}

absl::StatusOr<ImportResult> Import(const support::MappedFile& file, const std::string& name,
                                    const std::string& path, const ImportOptions& options) {
  // What was read of a file that somebody writes to says nothing.
  const auto fail = [&](absl::string_view reason) {
    const absl::Status changed = support::CheckUnchanged({file.stamp});
    if (!changed.ok()) return changed;
    return absl::InvalidArgumentError(absl::StrCat(name, ": ", reason));
  };
  if (file.bytes.empty()) return fail("empty, no ONNX model");
  absl::StatusOr<SplicedModel> spliced = SpliceModel(file.bytes);
  if (!spliced.ok()) return fail(absl::StrCat("no ONNX model: ", spliced.status().message()));
  google::protobuf::Arena arena;
  auto* model = google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  if (!model->ParseFromString(spliced->structure))
    return fail("no ONNX model: protobuf cannot parse it as `ModelProto`");

  const Source source{file, name, path, *spliced, *model};
  return ImportDeclaring(name, options, [&](const ImportOptions& tried, Mending& mending) {
    return Import(source, tried, mending);
  });
}

}  // namespace

const ImportOptions::Sized* SizesOf(const ImportOptions& options, const std::string& name,
                                    size_t place) {
  for (const ImportOptions::Sized& sized : options.sizes) {
    if (sized.name == name) return &sized;
  }
  const bool unnamed = place < options.sizes.size() && options.sizes[place].name.empty();
  return unnamed ? &options.sizes[place] : nullptr;
}

std::string SizesText(const std::string& name, absl::Span<const int64_t> shape) {
  return absl::StrCat(name, " of ", shape.empty() ? "no axes" : absl::StrJoin(shape, "x"));
}

std::vector<std::string> AssumptionTexts(const ImportResult& import) {
  std::vector<std::string> texts = import.assumed_opsets;
  texts.insert(texts.end(), import.assumed_outputs.begin(), import.assumed_outputs.end());
  texts.insert(texts.end(), import.assumed_readings.begin(), import.assumed_readings.end());
  for (const DimOption& dim : import.assumed) texts.push_back(AssumptionText(dim));
  return texts;
}

absl::StatusOr<ImportResult> ImportFile(const std::string& path, const ImportOptions& options) {
  absl::StatusOr<support::MappedFile> file = support::MapFile(path);
  if (!file.ok()) return file.status();
  return ImportMapped(*file, path, options);
}

absl::StatusOr<ImportResult> ImportMapped(const support::MappedFile& file, const std::string& path,
                                          const ImportOptions& options) {
  return Import(file, path, path, options);
}

absl::StatusOr<ImportResult> ImportBytes(absl::Span<const uint8_t> bytes,
                                         std::shared_ptr<const void> owner, const std::string& name,
                                         const ImportOptions& options) {
  return Import({std::move(owner), bytes}, name, "", options);
}

}  // namespace tessera::onnx_import
