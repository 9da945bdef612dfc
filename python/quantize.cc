#include "python/quantize.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nests/library.h"
#include "python/imports.h"
#include "python/status.h"
#include "report/page.h"
#include "tools/compression/accuracy.h"
#include "tools/compression/configuration.h"
#include "tools/compression/judges.h"
#include "tools/compression/kept_steps.h"
#include "tools/compression/report.h"
#include "tools/compression/run.h"

// Defined by generated code.
namespace tessera::ops {
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

namespace tessera::python {

namespace py = pybind11;

namespace {

struct Quantized {
  tools::Compressed compressed;
  std::vector<tools::Quality> qualities;
  tools::Judges judges;
  std::vector<std::string> left_exact, notes;
};

absl::StatusOr<Quantized> Quantize(tools::CompressionRequest& request,
                                   const tools::CompressionConfiguration& configuration,
                                   const std::string& evaluate, const std::string& resume,
                                   std::optional<tools::Bound> bound) {
  Quantized result;
  if (!bound.has_value()) bound = configuration.bound;
  const bool judged = !request.data.empty() || !evaluate.empty();
  if (bound.has_value() && !judged)
    return absl::InvalidArgumentError(absl::StrCat(bound->ToString(), " needs samples"));
  std::optional<tools::KeptSteps> steps;
  if (!resume.empty()) {
    absl::StatusOr<tools::KeptSteps> opened = tools::KeptSteps::Open(resume);
    if (!opened.ok()) return opened.status();
    request.steps = &steps.emplace(*std::move(opened));
  }
  if (judged) {
    absl::StatusOr<tools::ChosenJudges> chosen =
        tools::ChooseJudges(request, evaluate, bound.has_value());
    if (!chosen.ok()) return chosen.status();
    result.judges = std::move(chosen->judges);
    if (!chosen->note.empty()) result.notes.push_back(std::move(chosen->note));
  }
  if (bound.has_value()) {
    absl::StatusOr<tools::Bounded> bounded = tools::CompressWithin(
        request, configuration, *bound, result.judges, [](const std::string&) {});
    if (!bounded.ok()) return bounded.status();
    result.compressed = std::move(bounded->compressed);
    result.qualities = std::move(bounded->qualities);
    for (const tools::LeftExact& exact : bounded->left_exact)
      result.left_exact.push_back(exact.scope);
    return result;
  }
  absl::StatusOr<tools::Compressed> compressed = tools::Compress(request, configuration);
  if (!compressed.ok()) return compressed.status();
  result.compressed = *std::move(compressed);
  if (judged) {
    absl::StatusOr<std::vector<tools::Quality>> qualities =
        tools::Compare(request, result.compressed.model, result.judges);
    if (!qualities.ok()) return qualities.status();
    result.qualities = *std::move(qualities);
  }
  return result;
}

py::dict ToDict(const std::string& model, const Quantized& quantized) {
  py::list qualities;
  for (const tools::Quality& q : quantized.qualities)
    qualities.append(
        py::make_tuple(Text(q.output), q.snr, q.worst, q.varying, q.largest, q.samples));
  py::dict result;
  result["model"] = py::bytes(quantized.compressed.model);
  result["bytes_before"] = quantized.compressed.bytes_before;
  result["summary"] = Text(quantized.compressed.controller.Summary());
  result["commands"] = Texts(quantized.compressed.commands);
  result["qualities"] = qualities;
  result["left_exact"] = Texts(quantized.left_exact);
  result["notes"] = Texts(quantized.notes);
  result["html"] = Text(report::ToHtml(
      tools::CompressionPage(model, quantized.compressed, quantized.qualities, quantized.judges)));
  return result;
}

}  // namespace

void DefineQuantize(py::module_& module) {
  nests::Library::Global().Add(ops::CoreNests());
  module.def("presets", [] { return Texts(tools::PresetNames()); });
  module.def(
      "quantize",
      [](const std::string& model, const std::string& preset, const std::string& config,
         const std::string& data, const std::string& evaluate, const std::string& resume,
         std::optional<double> min_snr, std::optional<double> max_drop, const py::dict& given) {
        const tools::CompressionConfiguration configuration =
            ValueOf(config.empty() ? tools::ReadPreset(preset) : tools::ReadCompression(config));
        tools::CompressionRequest request{model, data, ReadImports(given).options, {}};
        std::optional<tools::Bound> bound;
        if (min_snr) bound = tools::Bound{tools::Bound::Kind::kLeastSnr, *min_snr};
        if (max_drop) bound = tools::Bound{tools::Bound::Kind::kMostDrop, *max_drop};
        absl::StatusOr<Quantized> quantized;
        {
          const py::gil_scoped_release unlocked;
          quantized = Quantize(request, configuration, evaluate, resume, bound);
        }
        Check(quantized.status());
        quantized->notes.insert(quantized->notes.begin(), configuration.notes.begin(),
                                configuration.notes.end());
        return ToDict(model, *quantized);
      });
}

}  // namespace tessera::python
