#include "targets/vulkan/program/shared_axes.h"

#include <string>
#include <vector>

#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

Stage WithSharedAxes(const Stage& stage, solver::Context& context) {
  Stage named = stage;
  if (stage.shader.has_value()) return named;
  Axes axes(context, Axes::Names::kShared);
  for (nests::Nest& nest : named.nests) {
    Rewrite rewrite;
    rewrite.axes = &axes;
    for (nests::Axis& axis : nest.axes) {
      const std::string name(solver::View(axis.symbol).symbol());
      axis.extent = solver::Substitute(axis.extent, rewrite.symbols);
      axis.symbol = axes.Fresh(axis.extent);
      rewrite.symbols[name] = axis.symbol;
    }
    for (Expr& at : nest.at) at = solver::Substitute(at, rewrite.symbols);
    nest.body = Rewritten(nest.body, rewrite);
    for (auto& [at, extent] : named.ends) {
      at = solver::Substitute(at, rewrite.symbols);
      extent = solver::Substitute(extent, rewrite.symbols);
    }
  }
  return named;
}

}  // namespace tessera::vulkan
