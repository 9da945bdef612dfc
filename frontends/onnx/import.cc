#include "frontends/onnx/import.h"

#include <algorithm>
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
// Imports on the way to them.
constexpr int kMostSteps = 40;

// A model that protobuf has read.
struct Source {
  const support::MappedFile& file;
  const std::string& name;
  const std::string& path;  // of the file that is mapped; empty for a model in memory
  const SplicedModel& spliced;
  const onnx::ModelProto& model;
};

// What would mend one of a model's problems, where that is known.
struct Mending {
  solver::Remedy remedy;
  std::string constraint;  // that it mends
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
  result.files = {source.file.stamp};
  for (const auto& [location, file] : loader.ExternalFiles()) {
    result.files.push_back(file.stamp);
    result.data[location] = file.stamp->path;
  }
  if (absl::Status status = support::CheckUnchanged(result.files); !status.ok()) return status;
  mending = {problems.remedy(), problems.constraint()};
  if (absl::Status status = problems.ToStatus(source.name); !status.ok()) return status;

  if (options.imported) options.imported(*result.graph);
  ir::Rewriter rewriter(*result.graph);
  if (absl::Status status = FoldShapeArithmetic(rewriter); !status.ok()) {
    return absl::Status(
        status.code(),
        absl::StrCat(source.name, ": folding of shape arithmetic: ", status.message()));
  }
  rewriter.EraseUnused();
  if (options.check) {
    if (absl::Status status = options.check(*result.graph); !status.ok()) {
      mending = {solver::Attached(status), solver::ConstraintOf(status)};
      return status;
    }
  }
  return result;
}

struct Declaration {
  DimOption dim;
  std::string constraint;  // that it mends
  // Op files give this id to what says that windows lie within their axis.
  bool IsForWindows() const { return constraint == "fits" && dim.IsLeastSize(); }
};

// A least size makes smaller ones of the same dim superfluous: a chain of windows asks for one
// after the other.
void Add(Declaration declaration, std::vector<Declaration>& declarations) {
  std::erase_if(declarations, [&](const Declaration& other) {
    return declaration.dim.IsLeastSize() && other.dim.IsLeastSize() &&
           other.dim.name == declaration.dim.name && other.dim.low <= declaration.dim.low;
  });
  declarations.push_back(std::move(declaration));
}

ImportOptions With(const std::vector<Declaration>& declarations, ImportOptions options) {
  for (const Declaration& declaration : declarations) options.dims.push_back(declaration.dim);
  return options;
}

// Declarations with which the model imports, none of which can be left out: remedies are taken one
// after the other, and then away again. Empty: they do not lead there.
std::vector<Declaration> FindDeclarations(const Source& source, ImportOptions options,
                                          Mending mending) {
  options.imported = nullptr;  // these are attempts
  options.named = nullptr;
  std::vector<Declaration> found;
  bool done = false;
  for (int step = 0; step < kMostSteps && !done; ++step) {
    if (mending.remedy.empty() || found.size() + mending.remedy.size() > kMostDeclarations)
      return {};
    for (const std::string& text : mending.remedy) {
      absl::StatusOr<DimOption> dim = ParseDimOption(text);
      if (!dim.ok()) return {};
      Add({*std::move(dim), mending.constraint}, found);
    }
    done = Import(source, With(found, options), mending).ok();
  }
  if (!done) return {};
  for (size_t i = 0; i < found.size() && found.size() > 1;) {
    std::vector<Declaration> fewer = found;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (Import(source, With(fewer, options), mending).ok()) {
      found = std::move(fewer);
    } else {
      ++i;
    }
  }
  return found;
}

bool MayAssume(Assume assume, const std::vector<Declaration>& declarations) {
  if (declarations.empty() || assume == Assume::kNothing) return false;
  return assume == Assume::kAny ||
         std::all_of(declarations.begin(), declarations.end(),
                     [](const Declaration& declaration) { return declaration.IsForWindows(); });
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
  Mending mending;
  absl::StatusOr<ImportResult> result = Import(source, options, mending);
  if (result.ok() || mending.remedy.empty()) return result;
  std::vector<Declaration> declarations = FindDeclarations(source, options, mending);
  if (MayAssume(options.assume, declarations)) {
    std::vector<DimOption> assumed;
    for (Declaration& declaration : declarations) {
      declaration.dim.assumed = declaration.IsForWindows()
                                    ? "so that windows fit; `--strict-dims` refuses instead"
                                    : "found by `--dim auto`";
      assumed.push_back(declaration.dim);
    }
    result = Import(source, With(declarations, options), mending);
    if (result.ok()) result->assumed = std::move(assumed);
    return result;
  }
  std::vector<std::string> texts;
  for (const Declaration& declaration : declarations) texts.push_back(declaration.dim.text);
  // Those that stand with their problem already.
  if (texts.empty() || texts == mending.remedy) return result;
  return absl::Status(
      result.status().code(),
      absl::StrCat(
          result.status().message(), "\n", name, ": all of its shapes are right with `--dim ",
          absl::StrJoin(texts, " --dim "), "`",
          options.assume == Assume::kWindows ? ", or with `--dim auto`, which takes these" : ""));
}

}  // namespace

std::vector<std::string> AssumptionTexts(const ImportResult& import) {
  std::vector<std::string> texts = import.assumed_opsets;
  for (const DimOption& dim : import.assumed) texts.push_back(AssumptionText(dim));
  return texts;
}

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
