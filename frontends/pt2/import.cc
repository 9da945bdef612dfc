#include "frontends/pt2/import.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/declarations.h"
#include "frontends/onnx/problems.h"
#include "frontends/pt2/program.h"
#include "frontends/pt2/program_importer.h"
#include "frontends/pt2/weights.h"

namespace tessera::pt2_import {
namespace {

using onnx_import::ImportOptions;
using onnx_import::ImportResult;
using onnx_import::Mending;

// Where an archive keeps the program, and how its tensors.
struct Layout {
  std::string program;
  std::vector<std::pair<std::string, std::string>>
      payloads;  // lists, and the folders of their files
  std::vector<std::string> pickled;
};

absl::StatusOr<Layout> LayoutOf(const Archive& archive) {
  // torch 2.5 to 2.7
  if (archive.Has("serialized_exported_program.json"))
    return Layout{"serialized_exported_program.json",
                  {},
                  {"serialized_state_dict.pt", "serialized_constants.pt"}};
  // From 2.8 on all lies in a folder, and a program may be one of several.
  static constexpr char kModel[] = "/models/model.json";
  const std::optional<std::string> folder = archive.FolderOf(kModel);
  if (!folder)
    return absl::InvalidArgumentError(
        "no entry `models/model.json` or `serialized_exported_program.json`: not written by "
        "torch.export.save");
  if (const std::string order = *folder + "/byteorder"; archive.Has(order)) {
    const absl::StatusOr<absl::Span<const uint8_t>> bytes = archive.Read(order);
    if (!bytes.ok()) return bytes.status();
    constexpr absl::string_view kLittle = "little";
    if (!std::equal(bytes->begin(), bytes->end(), kLittle.begin(), kLittle.end()))
      return absl::UnimplementedError(absl::StrCat(order, ": its numbers are big-endian"));
  }
  Layout layout{absl::StrCat(*folder, kModel), {}, {}};
  for (const char* kind : {"weights", "constants"}) {
    const std::string data = absl::StrCat(*folder, "/data/", kind, "/");
    const std::string list = absl::StrCat(data, "model_", kind, "_config.json");
    const std::string pickled = absl::StrCat(data, "model.pt");
    if (archive.Has(list)) layout.payloads.emplace_back(list, data);
    if (archive.Has(pickled)) layout.pickled.push_back(pickled);
  }
  return layout;
}

absl::StatusOr<ImportResult> Attempt(const support::MappedFile& file, const std::string& name,
                                     const Program& program, const Weights& weights,
                                     Clauses clauses, const ImportOptions& options,
                                     Mending& mending) {
  ImportResult result;
  result.file = file;
  result.files = {file.stamp};
  result.graph = std::make_unique<ir::Graph>();
  result.node_count = program.nodes.size();
  onnx_import::Problems problems;
  ProgramImporter importer(program, weights, clauses, options, *result.graph, problems);
  importer.Import();
  result.assumed = importer.facts();
  result.states = importer.states();
  if (absl::Status status = support::CheckUnchanged(result.files); !status.ok()) return status;
  if (absl::Status status =
          onnx_import::FinishImport(name, problems, options, *result.graph, mending);
      !status.ok())
    return status;
  return result;
}

}  // namespace

absl::StatusOr<ImportResult> Import(const support::MappedFile& file, const std::string& name,
                                    const ImportOptions& options, Clauses clauses) {
  const auto fail = [&](const absl::Status& status) {
    const absl::Status changed = support::CheckUnchanged({file.stamp});
    if (!changed.ok()) return changed;
    return absl::Status(status.code(), absl::StrCat(name, ": ", status.message()));
  };
  absl::StatusOr<Archive> archive = Archive::Open(file.bytes);
  if (!archive.ok()) return fail(archive.status());
  absl::StatusOr<Layout> layout = LayoutOf(*archive);
  if (!layout.ok()) return fail(layout.status());
  absl::StatusOr<absl::Span<const uint8_t>> json = archive->Read(layout->program);
  if (!json.ok()) return fail(json.status());
  absl::StatusOr<Program> program =
      ReadProgram({reinterpret_cast<const char*>(json->data()), json->size()});
  if (!program.ok()) return fail(program.status());
  Weights weights(*archive, file.owner);
  for (const auto& [list, folder] : layout->payloads) {
    if (absl::Status status = weights.AddPayloads(list, folder); !status.ok()) return fail(status);
  }
  for (const std::string& pickled : layout->pickled) {
    if (absl::Status status = weights.AddPickled(pickled); !status.ok()) return fail(status);
  }
  return onnx_import::ImportDeclaring(
      name, options, [&](const ImportOptions& tried, Mending& mending) {
        return Attempt(file, name, *program, weights, clauses, tried, mending);
      });
}

}  // namespace tessera::pt2_import
