#include "tools/cli/assumptions.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/input_dims.h"
#include "solver/data_sizes.h"
#include "solver/syntax.h"

namespace tessera::cli {
namespace {

// Of facts that restate what a `--dim` says.
bool IsDeclared(const solver::Fact& fact) { return absl::StartsWith(fact.origin, "--dim "); }

}  // namespace

std::vector<std::string> Assumptions(const onnx_import::ImportResult& import,
                                     const onnx_import::ImportOptions& options) {
  std::vector<std::string> texts = onnx_import::AssumptionTexts(import);
  for (const solver::Fact& fact : import.graph->context().facts()) {
    if (std::find(texts.begin(), texts.end(), fact.origin) != texts.end()) continue;
    // In the words of the certificate.
    std::string text = absl::StrCat(
        "assumed: ", solver::ToText(solver::DerivationOf(fact.predicate)), " (", fact.origin);
    const std::vector<std::string> symbols = solver::SymbolsOf(fact.predicate);
    // What data decide narrows no size of an input.
    const bool narrows =
        !IsDeclared(fact) && !solver::HasDataSize(import.graph->context(), fact.predicate);
    for (const onnx_import::DimOption& dim : options.dims) {
      if (!narrows || !dim.IsLeastSize()) continue;
      if (std::find(symbols.begin(), symbols.end(), onnx_import::SymbolName(dim.name)) ==
          symbols.end())
        continue;
      absl::StrAppend(&text, "; narrower than `--dim ", dim.text, "`");
    }
    texts.push_back(text + ")");
  }
  texts.insert(texts.end(), import.states.begin(), import.states.end());
  texts.insert(texts.end(), import.flattened.begin(), import.flattened.end());
  return texts;
}

std::string AssumptionLines(const onnx_import::ImportResult& import,
                            const onnx_import::ImportOptions& options) {
  std::string text;
  for (const std::string& line : Assumptions(import, options)) absl::StrAppend(&text, line, "\n");
  return text;
}

}  // namespace tessera::cli
