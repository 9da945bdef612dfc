#include "frontends/onnx/import.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/external_data.h"
#include "frontends/onnx/graph_importer.h"
#include "frontends/onnx/model_splice.h"
#include "frontends/onnx/problems.h"
#include "frontends/onnx/shape_folding.h"
#include "frontends/onnx/tensor_loader.h"
#include "google/protobuf/arena.h"
#include "ir/rewriter.h"
#include "onnx/onnx_pb.h"
#include "solver/remedy.h"
#include "support/mapped_file.h"

namespace tessera::onnx_import {
namespace {

constexpr size_t kMostDeclarations = 12;

// A model that protobuf has read.
struct Source {
  const support::MappedFile& file;
  const std::string& name;
  const std::string& path;  // of the file that is mapped; empty for a model in memory
  const SplicedModel& spliced;
  const onnx::ModelProto& model;
};

// `remedy`: what would mend one of the problems, where that is known.
absl::StatusOr<ImportResult> Import(const Source& source, const ImportOptions& options,
                                    solver::Remedy& remedy) {
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
  result.files = loader.ExternalFiles();
  result.files.insert(result.files.begin(), source.file.stamp);
  if (absl::Status status = support::CheckUnchanged(result.files); !status.ok()) return status;
  remedy = problems.remedy();
  if (absl::Status status = problems.ToStatus(source.name); !status.ok()) return status;

  ir::Rewriter rewriter(*result.graph);
  if (absl::Status status = FoldShapeArithmetic(rewriter); !status.ok()) {
    return absl::Status(
        status.code(),
        absl::StrCat(source.name, ": folding of shape arithmetic: ", status.message()));
  }
  rewriter.EraseUnused();
  return result;
}

// Declarations with which the model imports, none of which can be left out: remedies are taken one
// after the other, and then away again. Empty: they do not lead there.
std::vector<std::string> FindDeclarations(const Source& source, const ImportOptions& options,
                                          solver::Remedy remedy) {
  std::vector<std::string> texts;
  std::vector<DimOption> dims;
  const auto imports = [&](const std::vector<DimOption>& declared) {
    ImportOptions more = options;
    more.dims.insert(more.dims.end(), declared.begin(), declared.end());
    return Import(source, more, remedy).ok();
  };
  for (bool done = false; !done;) {
    if (remedy.empty() || texts.size() + remedy.size() > kMostDeclarations) return {};
    for (const std::string& text : remedy) {
      absl::StatusOr<DimOption> dim = ParseDimOption(text);
      if (!dim.ok()) return {};
      dims.push_back(*std::move(dim));
      texts.push_back(text);
    }
    done = imports(dims);
  }
  for (size_t i = 0; i < dims.size() && dims.size() > 1;) {
    std::vector<DimOption> fewer = dims;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (imports(fewer)) {
      dims = std::move(fewer);
      texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return texts;
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
  solver::Remedy remedy;
  absl::StatusOr<ImportResult> result = Import(source, options, remedy);
  if (result.ok() || remedy.empty()) return result;
  const std::vector<std::string> declarations = FindDeclarations(source, options, remedy);
  // A single one stands with its problem already.
  if (declarations.size() < 2) return result;
  return absl::Status(result.status().code(),
                      absl::StrCat(result.status().message(), "\n", name,
                                   ": all of its shapes are right with `--dim ",
                                   absl::StrJoin(declarations, " --dim "), "`"));
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
