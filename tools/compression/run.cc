#include "tools/compression/run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "passes/compression/builder.h"
#include "passes/compression/calibration/spread_samples.h"
#include "targets/reference/executor.h"
#include "tools/compression/addressed.h"
#include "tools/compression/commit.h"

namespace tessera::tools {
namespace {

using onnx_import::ImportResult;

// One stage: what `algorithms`, all of one priority, make of the model.
absl::Status RunStage(const CompressionRequest& request, std::vector<const Chosen*> algorithms,
                      Compressed& compressed) {
  const absl::StatusOr<std::unique_ptr<Addressed>> opened_model =
      ImportAddressed(compressed.model, request.model, request.import);
  if (!opened_model.ok()) return opened_model.status();
  Addressed& model = **opened_model;
  std::unique_ptr<calibration::SampleSource> samples;
  if (!request.data.empty()) {
    absl::StatusOr<std::unique_ptr<calibration::SampleSource>> opened =
        OpenSamples(request.data, *model.import.graph, request.samples);
    if (!opened.ok()) return opened.status();
    samples = *std::move(opened);
  }
  compression::BuildContext context{*model.import.graph, model.addresses, samples.get()};
  context.context = &model.import.graph->context();
  if (request.statistics != nullptr) context.kept = &request.statistics->Of(compressed.model);
  std::vector<compression::Command> commands;
  for (const Chosen* chosen : algorithms) {
    absl::StatusOr<std::unique_ptr<compression::Builder>> builder =
        chosen->algorithm->configure(chosen->section);
    if (!builder.ok()) return builder.status();
    absl::StatusOr<std::vector<compression::Command>> asked = (*builder)->Build(context);
    if (!asked.ok())
      return absl::Status(asked.status().code(), absl::StrCat(std::string(chosen->algorithm->name),
                                                              ": ", asked.status().message()));
    for (compression::Command& command : *asked) {
      compressed.commands.push_back(command.ToString());
      commands.push_back(std::move(command));
    }
    compressed.controller.Add((*builder)->MakeController());
  }
  absl::StatusOr<std::vector<std::string>> merged = Commit(std::move(commands), model.editor);
  if (!merged.ok()) return merged.status();
  compressed.merged.insert(compressed.merged.end(), merged->begin(), merged->end());
  absl::StatusOr<std::string> bytes = model.editor.Serialize();
  if (!bytes.ok()) return bytes.status();
  compressed.model = *std::move(bytes);
  return absl::OkStatus();
}

double Decibels(double signal, double noise) {
  constexpr double kMost = 300;  // as good as exact
  if (noise == 0) return kMost;
  return signal == 0 ? -kMost : std::clamp(10 * std::log10(signal / noise), -kMost, kMost);
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
  for (const Chosen& chosen : configuration.algorithms)
    stages[static_cast<int>(chosen.algorithm->priority)].push_back(&chosen);
  for (const auto& [priority, algorithms] : stages) {
    if (absl::Status status = RunStage(request, algorithms, compressed); !status.ok())
      return status;
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

absl::StatusOr<std::vector<Quality>> Compare(const CompressionRequest& request,
                                             const std::string& compressed, const std::string& data,
                                             size_t most) {
  const absl::StatusOr<ImportResult> before =
      onnx_import::ImportFile(request.model, request.import);
  if (!before.ok()) return before.status();
  const absl::StatusOr<ImportResult> after = ImportText(compressed, request.model, request.import);
  if (!after.ok()) return after.status();
  const auto all = OpenSamples(data, *before->graph, request.samples);
  if (!all.ok()) return all.status();
  const calibration::SpreadSamples samples(**all, most);
  const auto exact = reference::Executor::Create(*before->graph);
  if (!exact.ok()) return exact.status();
  const auto rounded = reference::Executor::Create(*after->graph);
  if (!rounded.ok()) return rounded.status();
  const size_t outputs = before->graph->outputs().size();
  const size_t count = samples.size();
  // The mean needs a pass of its own; what varies is a sum over samples of one shape.
  std::vector<std::vector<double>> mean(outputs);
  std::vector<std::vector<double>> snr(outputs), noise(outputs);
  std::vector<std::vector<ir::Tensor>> kept(outputs);
  std::vector<bool> alike(outputs, true);
  std::vector<double> largest(outputs);
  for (size_t s = 0; s < count; ++s) {
    const absl::StatusOr<std::vector<ir::Tensor>> inputs = samples.Load(s);
    if (!inputs.ok()) return inputs.status();
    const absl::StatusOr<std::vector<ir::Tensor>> x = exact->Run(*inputs);
    if (!x.ok()) return x.status();
    const absl::StatusOr<std::vector<ir::Tensor>> y = rounded->Run(*inputs);
    if (!y.ok()) return y.status();
    for (size_t k = 0; k < outputs; ++k) {
      double signal = 0, error = 0;
      const ir::Tensor &a = (*x)[k], &b = (*y)[k];
      if (a.shape() != b.shape())
        return absl::InternalError("the outputs' shapes are not the network's");
      alike[k] = alike[k] && (kept[k].empty() || kept[k][0].shape() == a.shape());
      mean[k].resize(static_cast<size_t>(a.size()));
      for (int64_t i = 0; i < a.size(); ++i) {
        const double value = a.AsDouble(i), off = value - b.AsDouble(i);
        signal += value * value;
        error += off * off;
        largest[k] = std::max(largest[k], std::fabs(off));
        if (alike[k]) mean[k][static_cast<size_t>(i)] += value / static_cast<double>(count);
      }
      snr[k].push_back(Decibels(signal, error));
      noise[k].push_back(error);
      kept[k].push_back(a);
    }
  }
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
        distance += off * off;
      }
      varying.push_back(Decibels(distance, noise[k][s]));
    }
    quality.varying = count > 1 && alike[k] ? Median(varying) : std::nan("");
    qualities.push_back(std::move(quality));
  }
  return qualities;
}

}  // namespace tessera::tools
