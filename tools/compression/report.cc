#include "tools/compression/report.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace tessera::tools {
namespace {

std::string Decibels(double value) {
  return std::isnan(value) ? "" : absl::StrFormat("%.1f", value);
}

report::Section Layers(const std::vector<compression::LayerReport>& layers) {
  report::Section section;
  section.title = "Layers";
  section.paragraphs.push_back(
      "SNR: of the layer's result in the compressed network against the exact one, all layers "
      "before it compressed too. Cut off: the part of the elements it reads that lie outside "
      "their grid.");
  report::Rows rows = {{"layer", "what", "SNR dB", "cut off %", "bytes before", "after"}};
  for (const compression::LayerReport& layer : layers) {
    if (!layer.reason.empty()) continue;
    rows.push_back({layer.scope, layer.what, layer.snr == 0 ? "" : Decibels(layer.snr),
                    absl::StrFormat("%.3f", 100 * layer.saturated),
                    absl::StrCat(layer.bytes_before), absl::StrCat(layer.bytes_after)});
  }
  section.tables.push_back(std::move(rows));
  return section;
}

report::Section LeftOut(const std::vector<compression::LayerReport>& layers) {
  report::Section section;
  section.title = "What stays as it is, and why";
  report::Rows rows = {{"operation", "why"}};
  for (const compression::LayerReport& layer : layers) {
    if (!layer.reason.empty()) rows.push_back({layer.scope, layer.reason});
  }
  if (rows.size() == 1) {
    section.paragraphs.push_back("Nothing that could be compressed was left out.");
  } else {
    section.tables.push_back(std::move(rows));
  }
  return section;
}

}  // namespace

report::Page CompressionPage(const std::string& model, const Compressed& compressed,
                             const std::vector<Quality>& qualities, const Judges& judges,
                             const std::vector<std::string>& kept_to) {
  report::Page page;
  page.title = "Compression";
  page.subtitle = model;
  page.cards.push_back({absl::StrCat(compressed.bytes_before), "bytes before"});
  page.cards.push_back({absl::StrCat(compressed.model.size()), "bytes after"});
  const std::vector<compression::LayerReport> layers = compressed.controller.Statistics();
  report::Section outputs;
  outputs.title = "Outputs";
  if (qualities.empty()) {
    outputs.paragraphs.push_back("Not compared with the original: there were no samples.");
  } else {
    page.cards.push_back({Decibels(qualities[0].snr), "dB, median SNR of the first output"});
    outputs.paragraphs.push_back(
        absl::StrCat("Over ", qualities[0].Samples(), " samples of ", judges.ToString(),
                     ". What varies: the error against the distance of the output from its mean."));
    report::Rows rows = {
        {"output", "median SNR dB", "worst SNR dB", "of what varies dB", "largest error"}};
    for (const Quality& quality : qualities)
      rows.push_back({quality.output, Decibels(quality.snr), Decibels(quality.worst),
                      Decibels(quality.varying), absl::StrFormat("%.3g", quality.largest)});
    outputs.tables.push_back(std::move(rows));
  }
  for (const std::string& line : kept_to) outputs.paragraphs.push_back(line);
  page.sections = {std::move(outputs), Layers(layers), LeftOut(layers)};
  report::Section commands;
  commands.title = "Commands";
  commands.folded.emplace_back("what each algorithm asked for",
                               absl::StrJoin(compressed.commands, "\n"));
  commands.folded.emplace_back("what was merged", absl::StrJoin(compressed.merged, "\n"));
  page.sections.push_back(std::move(commands));
  return page;
}

}  // namespace tessera::tools
