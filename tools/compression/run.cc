#include "tools/compression/run.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "passes/compression/builder.h"
#include "passes/compression/calibration/calibrate.h"
#include "passes/compression/calibration/spread_samples.h"
#include "passes/compression/scopes/scope_filter.h"
#include "passes/compression/section.h"
#include "support/sha256.h"
#include "tools/compression/addressed.h"
#include "tools/compression/commit.h"
#include "tools/compression/stage_text.h"

namespace tessera::tools {
namespace {

using onnx_import::ImportResult;

// What all that a step depends on says of the samples; empty: there are none.
absl::StatusOr<std::string> SamplesKey(const CompressionRequest& request, const std::string& folder,
                                       const SampleOptions& options,
                                       const calibration::SampleSource* samples) {
  if (samples == nullptr) return std::string();
  return request.steps->DigestOf(
      KeyOf({folder, absl::StrCat(options.most), absl::StrCat(options.held_out),
             absl::StrCat(options.the_held_out)}),
      *samples);
}

// Each item of a list of scopes matches something; else the error says where it stands.
absl::Status CheckScopes(const compression::BuildContext& context,
                         const compression::Section& section) {
  for (const char* key : {"target_scopes", "ignored_scopes"}) {
    if (!section.Knows(key)) continue;
    for (const std::string& item : section.Names(key)) {
      const auto found = compression::Matching(context.graph, context.addresses, item);
      if (!found.ok())
        return section.Error(key,
                             absl::StrCat("names what is not there: ", found.status().message()));
    }
  }
  return absl::OkStatus();
}

// What the model with these commands is imported as.
absl::Status TryOut(const CompressionRequest& request, const std::string& bytes,
                    std::vector<compression::Command> commands,
                    const compression::BuildContext::Shown& shown) {
  absl::StatusOr<onnx_import::ModelEditor> editor =
      onnx_import::ModelEditor::Parse(bytes, request.model);
  if (!editor.ok()) return editor.status();
  if (absl::Status status = Commit(std::move(commands), *editor).status(); !status.ok())
    return status;
  const absl::StatusOr<std::string> made = editor->Serialize();
  if (!made.ok()) return made.status();
  const absl::StatusOr<std::unique_ptr<Addressed>> tried =
      ImportAddressed(*made, request.model, request.import);
  if (!tried.ok()) return tried.status();
  return shown(*(*tried)->import.graph, (*tried)->addresses);
}

// One stage: what `algorithms`, all of one priority, make of the model. `sparse`: one before it
// made weights zero.
absl::StatusOr<StageResult> RunStage(const CompressionRequest& request, const std::string& bytes,
                                     const std::vector<const Chosen*>& algorithms, bool sparse) {
  const absl::StatusOr<std::unique_ptr<Addressed>> opened_model =
      ImportAddressed(bytes, request.model, request.import);
  if (!opened_model.ok()) return opened_model.status();
  Addressed& model = **opened_model;
  std::unique_ptr<calibration::SampleSource> samples;
  if (!request.data.empty()) {
    absl::StatusOr<std::unique_ptr<calibration::SampleSource>> opened =
        OpenSamples(request.data, *model.import.graph, request.samples);
    if (!opened.ok()) return opened.status();
    samples = *std::move(opened);
  }
  std::string key;
  if (request.steps != nullptr) {
    const absl::StatusOr<std::string> seen =
        SamplesKey(request, request.data, request.samples, samples.get());
    if (!seen.ok()) return seen.status();
    std::vector<std::string> parts = {sparse ? "stage of what is sparse" : "stage",
                                      support::Sha256(bytes), KeyOf(request.import), *seen};
    for (const Chosen* chosen : algorithms)
      parts.push_back(
          KeyOf({std::string(chosen->algorithm->name), KeyOf(chosen->section.Texts())}));
    key = KeyOf(parts);
    if (const std::optional<std::string> kept = request.steps->Find(key)) {
      if (std::optional<StageResult> stage = StageOf(*kept)) return *std::move(stage);
    }
  }
  StageResult stage;
  compression::BuildContext context{*model.import.graph, model.addresses, samples.get()};
  context.context = &model.import.graph->context();
  context.sparse = sparse;
  context.samples_flag = request.samples_flag;
  if (request.statistics != nullptr) context.kept = &request.statistics->Of(bytes, request.import);
  context.try_out = [&](std::vector<compression::Command> tried,
                        const compression::BuildContext::Shown& shown) {
    return TryOut(request, bytes, std::move(tried), shown);
  };
  std::vector<compression::Command> commands;
  for (const Chosen* chosen : algorithms) {
    absl::StatusOr<std::unique_ptr<compression::Builder>> builder =
        chosen->algorithm->configure(chosen->section);
    if (!builder.ok()) return builder.status();
    if (absl::Status status = CheckScopes(context, chosen->section); !status.ok()) return status;
    absl::StatusOr<std::vector<compression::Command>> asked = (*builder)->Build(context);
    if (!asked.ok())
      return absl::Status(asked.status().code(), absl::StrCat(std::string(chosen->algorithm->name),
                                                              ": ", asked.status().message()));
    for (compression::Command& command : *asked) {
      stage.commands.push_back(command.ToString());
      commands.push_back(std::move(command));
    }
    stage.controllers.push_back((*builder)->MakeController());
  }
  absl::StatusOr<std::vector<std::string>> merged = Commit(std::move(commands), model.editor);
  if (!merged.ok()) return merged.status();
  stage.merged = *std::move(merged);
  absl::StatusOr<std::string> made = model.editor.Serialize();
  if (!made.ok()) return made.status();
  stage.model = *std::move(made);
  if (request.steps != nullptr) {
    if (absl::Status status = request.steps->Keep(key, ToBytes(stage)); !status.ok()) return status;
  }
  return stage;
}

// Never NaN: an error that is no number is as bad as can be.
double Decibels(double signal, double noise) {
  constexpr double kMost = 300;  // as good as exact
  if (noise == 0) return kMost;
  if (!std::isfinite(noise)) return -kMost;
  return signal == 0 ? -kMost : std::clamp(10 * std::log10(signal / noise), -kMost, kMost);
}

// How far two results are apart. What is infinite, or no number, in both alike is right.
double Off(double value, double other) {
  if (value == other || (std::isnan(value) && std::isnan(other))) return 0;
  const double off = std::fabs(value - other);
  return std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
}

double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

absl::StatusOr<Compressed> Compress(const CompressionRequest& request,
                                    const CompressionConfiguration& configuration) {
  absl::StatusOr<std::string> bytes = ReadWholeModel(request.model);
  if (!bytes.ok()) return bytes.status();
  Compressed compressed;
  compressed.model = *std::move(bytes);
  compressed.bytes_before = compressed.model.size();
  std::map<int, std::vector<const Chosen*>> stages;
  for (const Chosen& chosen : configuration.algorithms) {
    if (IsScheduled(chosen))
      return chosen.section.Error(compression::kScheduleKey,
                                  "is `bound`, and there is neither `max_drop` nor `min_snr`");
  }
  for (const Chosen& chosen : configuration.algorithms)
    stages[static_cast<int>(chosen.algorithm->priority)].push_back(&chosen);
  constexpr auto kSparse = static_cast<int>(compression::Priority::kSparsification);
  for (const auto& [priority, algorithms] : stages) {
    const bool sparse = priority > kSparse && stages.contains(kSparse);
    absl::StatusOr<StageResult> stage = RunStage(request, compressed.model, algorithms, sparse);
    if (!stage.ok()) return stage.status();
    compressed.model = std::move(stage->model);
    std::move(stage->commands.begin(), stage->commands.end(),
              std::back_inserter(compressed.commands));
    std::move(stage->merged.begin(), stage->merged.end(), std::back_inserter(compressed.merged));
    for (std::unique_ptr<compression::Controller>& controller : stage->controllers)
      compressed.controller.Add(std::move(controller));
  }
  // What was written must be read again: by whoever compiles it.
  const absl::Status readable =
      ImportText(compressed.model, request.model, request.import).status();
  if (!readable.ok())
    return absl::InternalError(
        absl::StrCat("the compressed model cannot be imported: ", readable.message()));
  return compressed;
}

std::string Quality::Samples() const {
  return samples == available ? absl::StrCat(samples) : absl::StrCat(samples, " of ", available);
}

std::string Judges::ToString() const {
  switch (kind) {
    case Kind::kOthers:
      break;
    case Kind::kHeldOut:
      return absl::StrCat(folder, ", held out from compression");
    case Kind::kTheSame:
      return absl::StrCat(folder, ", which compression was given too");
  }
  return folder;
}

absl::StatusOr<std::vector<Quality>> Compare(const CompressionRequest& request,
                                             const std::string& compressed, const Judges& judges) {
  const absl::StatusOr<ImportResult> before =
      onnx_import::ImportFile(request.model, request.import);
  if (!before.ok()) return before.status();
  const absl::StatusOr<ImportResult> after = ImportText(compressed, request.model, request.import);
  if (!after.ok()) return after.status();
  SampleOptions options = request.samples;
  if (judges.kind == Judges::Kind::kOthers) options.held_out = 0;
  options.the_held_out = judges.kind == Judges::Kind::kHeldOut;
  const auto all = OpenSamples(judges.folder, *before->graph, options);
  if (!all.ok()) return all.status();
  const calibration::SpreadSamples samples(**all, judges.most);
  std::string key;
  if (request.steps != nullptr) {
    const absl::StatusOr<std::string> seen =
        SamplesKey(request, judges.folder, options, all->get());
    if (!seen.ok()) return seen.status();
    const absl::StatusOr<std::string> original = ReadWholeModel(request.model);
    if (!original.ok()) return original.status();
    key = KeyOf({"comparison", support::Sha256(*original), support::Sha256(compressed),
                 KeyOf(request.import), *seen, absl::StrCat(judges.most)});
    if (const std::optional<std::string> kept = request.steps->Find(key)) {
      if (std::optional<std::vector<Quality>> qualities = QualitiesOf(*kept)) return *qualities;
    }
  }
  const size_t outputs = before->graph->outputs().size();
  const size_t count = samples.size();
  // The mean needs a pass of its own; what varies is a sum over samples of one shape.
  std::vector<std::vector<double>> mean(outputs);
  std::vector<std::vector<double>> snr(outputs), noise(outputs);
  std::vector<std::vector<ir::Tensor>> kept(outputs);
  std::vector<bool> alike(outputs, true);
  std::vector<double> largest(outputs);
  absl::Status ran =
      calibration::RunSamples(*before->graph, samples, [&](size_t, std::vector<ir::Tensor> exact) {
        for (size_t k = 0; k < outputs; ++k) {
          ir::Tensor& x = exact[k];
          alike[k] = alike[k] && (kept[k].empty() || kept[k][0].shape() == x.shape());
          mean[k].resize(static_cast<size_t>(x.size()));
          for (int64_t i = 0; alike[k] && i < x.size(); ++i)
            mean[k][static_cast<size_t>(i)] += x.AsDouble(i) / static_cast<double>(count);
          kept[k].push_back(std::move(x));
        }
      });
  bool same_shapes = true;
  const auto compare = [&](size_t s, const std::vector<ir::Tensor>& compressed_outputs) {
    for (size_t k = 0; k < outputs; ++k) {
      const ir::Tensor &x = kept[k][s], &y = compressed_outputs[k];
      same_shapes = same_shapes && x.shape() == y.shape();
      if (!same_shapes) return;
      double signal = 0, error = 0;
      for (int64_t i = 0; i < x.size(); ++i) {
        const double value = x.AsDouble(i), off = Off(value, y.AsDouble(i));
        if (std::isfinite(value)) signal += value * value;
        error += off * off;
        largest[k] = std::max(largest[k], off);
      }
      snr[k].push_back(Decibels(signal, error));
      noise[k].push_back(error);
    }
  };
  if (ran.ok()) ran = calibration::RunSamples(*after->graph, samples, compare);
  if (!ran.ok()) return ran;
  if (!same_shapes) return absl::InternalError("the outputs' shapes are not the network's");
  std::vector<Quality> qualities;
  for (size_t k = 0; k < outputs; ++k) {
    Quality quality;
    quality.output = before->graph->output_names()[k];
    quality.samples = count;
    quality.available = (*all)->size();
    quality.largest = largest[k];
    quality.snr = Median(snr[k]);
    quality.worst = *std::min_element(snr[k].begin(), snr[k].end());
    std::vector<double> varying;
    for (size_t s = 0; alike[k] && s < count; ++s) {
      double distance = 0;
      for (int64_t i = 0; i < kept[k][s].size(); ++i) {
        const double off = kept[k][s].AsDouble(i) - mean[k][static_cast<size_t>(i)];
        if (std::isfinite(off)) distance += off * off;
      }
      varying.push_back(Decibels(distance, noise[k][s]));
    }
    quality.varying = count > 1 && alike[k] ? Median(varying) : std::nan("");
    qualities.push_back(std::move(quality));
  }
  if (request.steps != nullptr) {
    if (absl::Status status = request.steps->Keep(key, ToBytes(qualities)); !status.ok())
      return status;
  }
  return qualities;
}

}  // namespace tessera::tools
