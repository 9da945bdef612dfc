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
  std::vector<std::string> left_exact;
};

absl::StatusOr<Quantized> Quantize(const tools::CompressionRequest& request,
                                   const tools::CompressionConfiguration& configuration,
                                   const std::string& evaluate, std::optional<tools::Bound> bound) {
  Quantized result;
  if (!bound.has_value()) bound = configuration.bound;
  if (bound.has_value()) {
    if (evaluate.empty())
      return absl::InvalidArgumentError(absl::StrCat(bound->ToString(), " needs samples"));
    absl::StatusOr<tools::Bounded> bounded = tools::CompressWithin(
        request, configuration, *bound, evaluate, 0, [](const std::string&) {});
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
  if (!evaluate.empty()) {
    absl::StatusOr<std::vector<tools::Quality>> qualities =
        tools::Compare(request, result.compressed.model, evaluate);
    if (!qualities.ok()) return qualities.status();
    result.qualities = *std::move(qualities);
  }
  return result;
}

py::dict ToDict(const std::string& model, const Quantized& quantized, const std::string& evaluate,
                const std::vector<std::string>& notes) {
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
  result["notes"] = Texts(notes);
  result["html"] = Text(report::ToHtml(
      tools::CompressionPage(model, quantized.compressed, quantized.qualities, evaluate)));
  return result;
}

}  // namespace

void DefineQuantize(py::module_& module) {
  nests::Library::Global().Add(ops::CoreNests());
  module.def("presets", [] { return Texts(tools::PresetNames()); });
  module.def("quantize", [](const std::string& model, const std::string& preset,
                            const std::string& config, const std::string& data,
                            const std::string& evaluate, std::optional<double> min_snr,
                            std::optional<double> max_drop, const py::dict& given) {
    const tools::CompressionConfiguration configuration =
        ValueOf(config.empty() ? tools::ReadPreset(preset) : tools::ReadCompression(config));
    const tools::CompressionRequest request{model, data, ReadImports(given).options, {}};
    std::optional<tools::Bound> bound;
    if (min_snr) bound = tools::Bound{tools::Bound::Kind::kLeastSnr, *min_snr};
    if (max_drop) bound = tools::Bound{tools::Bound::Kind::kMostDrop, *max_drop};
    absl::StatusOr<Quantized> quantized;
    {
      const py::gil_scoped_release unlocked;
      quantized = Quantize(request, configuration, evaluate, bound);
    }
    Check(quantized.status());
    return ToDict(model, *quantized, evaluate, configuration.notes);
  });
}

}  // namespace tessera::python
