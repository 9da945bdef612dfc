#include "tools/verification/verify.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "frontends/data/data_set.h"
#include "support/mapped_file.h"
#include "targets/reference/bind_symbols.h"
#include "targets/reference/executor.h"
#include "tools/cli/import_model.h"
#include "tools/cli/table.h"
#include "tools/verification/halves.h"
#include "tools/verification/legal_inputs.h"
#include "tools/verification/output_steps.h"
#include "tools/verification/sizes.h"

namespace tessera::verification {
namespace {

constexpr size_t kDefaultSizes = 4;
constexpr uint64_t kSeed = 1;

// One import of the model, and what is made of it.
struct Session {
  onnx_import::ImportResult import;
  std::vector<bool> on_halves;  // by output
  std::optional<reference::Executor> executor;
  std::string artifact;  // empty without a target

  double ToleranceOf(size_t output, double tolerance) const {
    return on_halves[output] ? std::max(tolerance, kHalvesTolerance) : tolerance;
  }
};

void NoteAssumptions(const Session& session, std::vector<std::string>& notes) {
  for (std::string& text : onnx_import::AssumptionTexts(session.import))
    notes.push_back(std::move(text));
  for (const std::vector<std::string>* told : {&session.import.states, &session.import.flattened})
    notes.insert(notes.end(), told->begin(), told->end());
}

absl::StatusOr<std::unique_ptr<Session>> Open(const Request& request,
                                              const onnx_import::ImportOptions& options) {
  auto session = std::make_unique<Session>();
  absl::StatusOr<onnx_import::ImportResult> import = cli::ImportModel(request.model, options);
  if (!import.ok()) return import.status();
  session->import = *std::move(import);
  session->on_halves = FollowFromHalves(*session->import.graph);
  absl::StatusOr<reference::Executor> executor =
      reference::Executor::Create(*session->import.graph);
  if (!executor.ok()) return executor.status();
  session->executor = *std::move(executor);
  if (request.target == nullptr) return session;
  if (const std::string* made = request.target->artifact()) {
    session->artifact = *made;
    return session;
  }
  // The target changes its graph; the reference keeps the one that was imported.
  absl::StatusOr<onnx_import::ImportResult> second = cli::ImportModel(request.model, options);
  if (!second.ok()) return second.status();
  absl::StatusOr<std::string> artifact = request.target->Compile(*second->graph);
  if (!artifact.ok()) {
    return absl::Status(artifact.status().code(),
                        absl::StrCat("target `", std::string(request.target->name()),
                                     "`: ", artifact.status().message()));
  }
  session->artifact = *std::move(artifact);
  return session;
}

// The sizes of what the data set has for inputs that are not bound.
std::vector<onnx_import::ImportOptions::Sized> SizesIn(const data::DataSet& set,
                                                       const onnx_import::ImportOptions& options) {
  std::vector<onnx_import::ImportOptions::Sized> sizes;
  for (const std::optional<data::StoredTensor>& input : set.inputs) {
    // Places are counted from the first on.
    if (!input.has_value()) break;
    if (!options.bind.contains(input->name)) sizes.push_back({input->name, input->tensor.shape()});
  }
  return sizes;
}

// A refusal within a line.
std::string InALine(absl::string_view refusal) {
  std::vector<absl::string_view> lines = absl::StrSplit(refusal, '\n', absl::SkipWhitespace());
  for (absl::string_view& line : lines) line = absl::StripAsciiWhitespace(line);
  return absl::StrJoin(lines, " ");
}

// Binds, one import after the other, the inputs of which the importer says that their values are
// needed, to what the data set has for them. Where that is of no use, the network is imported for
// the sizes of the data set.
absl::StatusOr<std::unique_ptr<Session>> OpenSpecialised(const Request& request,
                                                         const data::DataSet& set,
                                                         std::vector<std::string>& notes) {
  onnx_import::ImportOptions options = request.options;
  for (;;) {
    absl::StatusOr<std::unique_ptr<Session>> session = Open(request, options);
    if (session.ok()) return session;
    bool progress = false;
    for (const std::optional<data::StoredTensor>& input : set.inputs) {
      if (!input.has_value() || input->name.empty() || options.bind.contains(input->name)) continue;
      // The remedy that the importer's diagnostic names.
      if (!absl::StrContains(session.status().message(),
                             absl::StrCat("`--bind ", input->name, "=FILE`")))
        continue;
      options.bind.emplace(input->name, input->tensor);
      notes.push_back(absl::StrCat("specialised: `", input->name,
                                   "` is needed at compile time, bound to the data set's ",
                                   cli::TypeText(input->tensor)));
      // Places among the inputs are others now.
      if (!options.sizes.empty()) options.sizes = SizesIn(set, options);
      progress = true;
    }
    if (!progress && options.sizes.empty()) {
      options.sizes = SizesIn(set, options);
      progress = !options.sizes.empty();
      std::vector<std::string> texts;
      for (const auto& sized : options.sizes) {
        texts.push_back(absl::StrCat(
            "`", onnx_import::SizesText(sized.name.empty() ? "an input" : sized.name, sized.shape),
            "`"));
      }
      if (progress) {
        notes.push_back(absl::StrCat(
            "specialised: imported for ", absl::StrJoin(texts, ", "),
            " alone; for all sizes it is refused: ", InALine(session.status().message())));
      }
    }
    if (!progress) return session;
  }
}

std::vector<std::string> InputNames(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (const ir::Value* input : graph.inputs()) names.push_back(input->name());
  return names;
}

// Runs one case; what fails is told in the report.
absl::Status RunCase(const Request& request, const Session& session,
                     const std::vector<ir::Tensor>& inputs,
                     const std::vector<data::StoredTensor>* stored, CaseReport& report) {
  const ir::Graph& graph = *session.import.graph;
  for (size_t i = 0; i < inputs.size(); ++i) {
    report.inputs.emplace_back(graph.inputs()[i]->name(), cli::TypeText(inputs[i]));
  }
  OutputSteps steps(graph);
  const absl::StatusOr<std::vector<ir::Tensor>> outputs = session.executor->Run(
      inputs, [&](const ir::Value& value, const ir::Tensor& tensor) { steps.See(value, tensor); });
  if (!outputs.ok()) return outputs.status();
  if (stored != nullptr) {
    if (stored->size() != outputs->size()) {
      return absl::InvalidArgumentError(absl::StrCat("the data set has ", stored->size(),
                                                     " outputs, the graph ", outputs->size()));
    }
    for (size_t i = 0; i < outputs->size(); ++i) {
      const double step = steps.Of(i);
      const double tolerance = session.ToleranceOf(i, kReferenceTolerance);
      report.outputs.push_back({graph.output_names()[i], "reference", "stored", tolerance, 0, step,
                                Compare((*stored)[i].tensor, (*outputs)[i], tolerance, 0, step)});
    }
  }
  // What was read of a file that somebody writes to says nothing.
  const absl::Status unchanged = support::CheckUnchanged(session.import.files);
  if (!unchanged.ok() || request.target == nullptr) return unchanged;
  const std::string side(request.target->name());
  const absl::StatusOr<Target::Execution> execution =
      request.target->ExecuteWithNotes(session.artifact, inputs);
  if (!execution.ok()) {
    return absl::Status(execution.status().code(),
                        absl::StrCat("target `", side, "`: ", execution.status().message()));
  }
  report.notes.insert(report.notes.end(), execution->notes.begin(), execution->notes.end());
  const std::vector<ir::Tensor>* const actual = &execution->outputs;
  if (actual->size() != outputs->size()) {
    return absl::InternalError(absl::StrCat("target `", side, "` has ", actual->size(),
                                            " outputs, the reference ", outputs->size()));
  }
  const double least_snr = request.target->least_snr();
  for (size_t i = 0; i < outputs->size(); ++i) {
    const double step = steps.Of(i);
    const double tolerance = session.ToleranceOf(i, request.target->tolerance());
    report.outputs.push_back({graph.output_names()[i], side, "reference", tolerance, least_snr,
                              step,
                              Compare((*outputs)[i], (*actual)[i], tolerance, least_snr, step)});
  }
  return absl::OkStatus();
}

absl::Status VerifyStored(const Request& request, const std::vector<std::string>& folders,
                          Report& report) {
  absl::StatusOr<std::unique_ptr<Session>> shared = Open(request, request.options);
  for (const std::string& folder : folders) {
    const absl::StatusOr<data::DataSet> set = data::ReadDataSet(folder);
    if (!set.ok()) return set.status();
    CaseReport& c = report.cases.emplace_back();
    c.name = set->name;
    std::unique_ptr<Session> own;
    if (!shared.ok()) {
      absl::StatusOr<std::unique_ptr<Session>> session = OpenSpecialised(request, *set, c.notes);
      // A model that no data set can help is an error of the model.
      if (!session.ok()) return session.status();
      own = *std::move(session);
    }
    const Session& session = own != nullptr ? *own : **shared;
    NoteAssumptions(session, c.notes);
    const absl::StatusOr<std::vector<ir::Tensor>> inputs =
        data::Arranged(*set, InputNames(*session.import.graph));
    // Who says sizes means those sets that have them.
    if (inputs.ok() && !request.options.dims.empty()) {
      const absl::Status fits = reference::BindSymbols(*session.import.graph, *inputs).status();
      if (!fits.ok()) {
        c.passed_over = std::string(fits.message());
        continue;
      }
    }
    const absl::Status status =
        inputs.ok() ? RunCase(request, session, *inputs, &set->outputs, c) : inputs.status();
    if (!status.ok()) c.error = std::string(status.message());
  }
  return absl::OkStatus();
}

absl::Status VerifyRandom(const Request& request, size_t count, Report& report) {
  const absl::StatusOr<std::unique_ptr<Session>> session = Open(request, request.options);
  if (!session.ok()) return session.status();
  const ir::Graph& graph = *(*session)->import.graph;
  NoteAssumptions(**session, report.notes);
  const std::vector<solver::Assignment> all = ChooseSizes(graph, count, kSeed);
  if (all.empty()) {
    return absl::InvalidArgumentError(
        "no sizes found that the model admits and that are small enough to try; fix some with "
        "`--dim NAME=VALUE`");
  }
  for (const solver::Assignment& sizes : all) {
    CaseReport& c = report.cases.emplace_back();
    c.name = absl::StrCat("random", sizes.empty() ? "" : " ",
                          absl::StrJoin(sizes, ",", absl::PairFormatter("=")));
    const absl::StatusOr<LegalInputs> legal =
        MakeLegalInputs(graph, *(*session)->executor, sizes, kSeed);
    if (legal.ok() && !legal->note.empty()) c.notes.push_back(legal->note);
    const absl::Status status =
        legal.ok() ? RunCase(request, **session, legal->inputs, nullptr, c) : legal.status();
    if (!status.ok()) c.error = std::string(status.message());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Report> Verify(const Request& request) {
  Report report;
  report.model = request.model;
  report.target = request.target == nullptr ? "reference" : std::string(request.target->name());
  absl::StatusOr<std::vector<std::string>> folders = data::FindDataSets(request.data);
  if (!folders.ok()) return folders.status();
  // The folder of one set says as well which is meant.
  if (folders->empty() && data::HoldsDataSet(request.data)) folders->push_back(request.data);
  size_t random_sizes = request.random_sizes;
  if (folders->empty()) {
    if (random_sizes == 0) random_sizes = kDefaultSizes;
    report.notes.push_back(absl::StrCat(
        "no `test_data_set_*` in `", request.data, "`: seeded random inputs",
        request.target == nullptr ? ", and nothing to compare the reference with" : ""));
  } else {
    const absl::Status status = VerifyStored(request, *folders, report);
    if (!status.ok()) return status;
  }
  if (random_sizes > 0) {
    const absl::Status status = VerifyRandom(request, random_sizes, report);
    if (!status.ok()) return status;
  }
  return report;
}

}  // namespace tessera::verification
