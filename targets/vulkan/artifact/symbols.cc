#include "targets/vulkan/artifact/symbols.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"

namespace tessera::vulkan {
namespace {

using solver::Expr;

// A dim of one symbol, seen at two of its values: those that its facts exclude do not count.
std::optional<BoundSymbol> AffineIn(const Expr& dim, const solver::Context& context) {
  const std::vector<std::string> names = solver::SymbolsOf(dim);
  if (names.size() != 1) return std::nullopt;
  const solver::SymbolInfo* info = context.Find(names[0]);
  if (info == nullptr) return std::nullopt;
  const int64_t step = std::max<int64_t>(info->congruence.stride, 1);
  int64_t base = std::max<int64_t>(info->range.lo, 0);
  base += ((info->congruence.residue - base) % step + step) % step;
  const absl::StatusOr<int64_t> first = solver::Evaluate(dim, {{names[0], base}});
  const absl::StatusOr<int64_t> second = solver::Evaluate(dim, {{names[0], base + step}});
  if (!first.ok() || !second.ok() || *second == *first || (*second - *first) % step != 0)
    return std::nullopt;
  const int64_t slope = (*second - *first) / step;
  return BoundSymbol{names[0], 0, 0, slope, *first - slope * base};
}

}  // namespace

std::vector<BoundSymbol> SymbolsOf(const ir::Graph& graph) {
  std::vector<BoundSymbol> symbols;
  const auto simple = [](const BoundSymbol& s) { return s.scale == 1 && s.offset == 0; };
  for (uint32_t i = 0; i < graph.inputs().size(); ++i) {
    const std::vector<Expr>& dims = graph.inputs()[i]->type().dims;
    for (uint32_t axis = 0; axis < dims.size(); ++axis) {
      std::optional<BoundSymbol> symbol = AffineIn(dims[axis], graph.context());
      if (!symbol.has_value()) continue;
      symbol->input = i;
      symbol->axis = axis;
      const auto known =
          std::find_if(symbols.begin(), symbols.end(),
                       [&](const BoundSymbol& other) { return other.name == symbol->name; });
      if (known == symbols.end())
        symbols.push_back(*std::move(symbol));
      else if (!simple(*known) && simple(*symbol))
        *known = *std::move(symbol);
    }
  }
  for (BoundSymbol& symbol : symbols) {
    const solver::SymbolInfo* info = graph.context().Find(symbol.name);
    if (info == nullptr) continue;
    symbol.range = info->range;
    symbol.congruence = info->congruence;
    symbol.origin = info->origin;
  }
  return symbols;
}

std::vector<GuardText> GuardsOf(const ir::Graph& graph) {
  std::vector<GuardText> guards;
  for (const solver::Fact& fact : graph.context().facts())
    guards.push_back(
        {fact.predicate, absl::StrCat("`", fact.predicate.ToString(), "` (", fact.origin, ")")});
  for (const ir::Obligation& obligation : graph.obligations()) {
    if (!obligation.by.empty()) continue;
    guards.push_back(
        {obligation.predicate,
         absl::StrCat(obligation.op, " at `", obligation.location.ToString(), "`: constraint `",
                      obligation.constraint, "`: ", obligation.message)});
  }
  return guards;
}

}  // namespace tessera::vulkan
