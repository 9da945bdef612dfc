#include "targets/vulkan/selection/times.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "solver/expr.h"
#include "targets/vulkan/artifact/memory_plan.h"
#include "targets/vulkan/kernels/shader_kernel.h"
#include "targets/vulkan/kernels/tiles.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/program/rows.h"

namespace tessera::vulkan {
namespace {

constexpr int64_t kUsualSize = 256;

std::optional<std::vector<double>> Values(const std::vector<Expr>& list,
                                          const solver::Assignment& sizes) {
  std::vector<double> values;
  for (const Expr& e : list) {
    const absl::StatusOr<int64_t> value = solver::Evaluate(e, sizes);
    if (!value.ok() || *value < 0) return std::nullopt;
    values.push_back(static_cast<double>(*value));
  }
  return values;
}

std::vector<Expr> Extents(const std::vector<nests::Axis>& axes) {
  std::vector<Expr> extents;
  for (const nests::Axis& axis : axes) extents.push_back(axis.extent);
  return extents;
}

bool Mentions(const nests::ScalarNode& read, const nests::Axis& axis) {
  const std::string name(solver::View(axis.symbol).symbol());
  return std::any_of(read.at.begin(), read.at.end(), [&](const nests::Index& index) {
    const std::vector<std::string> symbols = solver::SymbolsOf(index.expr);
    return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
  });
}

// The first; null: there is none.
const nests::Scalar* ReductionIn(const nests::Scalar& scalar) {
  const nests::Scalar* first = nullptr;
  EachReduction(scalar, [&](const nests::Scalar& reduction, int) {
    if (first == nullptr) first = &reduction;
  });
  return first;
}

// What the invocations' share of a device's lanes makes of a time.
double Among(const DeviceProfile& profile, double invocations, double time) {
  return time * std::max(1.0, static_cast<double>(profile.lanes) / std::max(1.0, invocations));
}

}  // namespace

std::optional<double> ShaderTime(const ShaderUse& use, const DeviceProfile& profile,
                                 const solver::Assignment& sizes) {
  const auto values = Values(use.sizes, sizes);
  std::vector<nests::Axis> axes;
  for (size_t i = 0; i < use.result_axes; ++i) axes.push_back(use.axes[i].flat);
  const auto extents = Values(Extents(axes), sizes);
  if (!values.has_value() || !extents.has_value()) return std::nullopt;
  const std::vector<int64_t> tile = TileOf(use);
  double invocations = static_cast<double>(WorkgroupOf(use));
  for (size_t i = 0; i < tile.size(); ++i)
    invocations *= std::ceil((*extents)[i] / static_cast<double>(tile[i]));
  double reads = 0;  // for each element of an operand
  for (const ShaderUse::Operand& operand : use.operands)
    EachRead(operand.element, [&](const nests::ScalarNode&, int) { reads += 1; });
  reads /= static_cast<double>(use.operands.size());
  const std::vector<double> constants(use.constants.begin(), use.constants.end());
  const double alone = std::max(
      1.0, static_cast<double>(profile.busy_workgroup) / static_cast<double>(WorkgroupOf(use)));
  return alone * Among(profile, invocations,
                       use.shader->loads(constants, *values) * reads * profile.load +
                           use.shader->multiplies(constants, *values) *
                               (use.shader->matrices ? profile.matrix : profile.multiply) +
                           use.shader->exchanges(constants, *values) * profile.exchange);
}

std::optional<double> PrintedTime(const Stage& stage, const DeviceProfile& profile,
                                  const solver::Assignment& sizes) {
  const nests::Nest& nest = stage.nests.front();
  const nests::Scalar* const reduction = ReductionIn(nest.body);
  const nests::Scalar& computed = reduction == nullptr ? nest.body : *reduction;
  const auto extents = Values(Extents(nest.axes), sizes);
  const auto terms = Values(Extents(computed->axes), sizes);
  if (!extents.has_value() || !terms.has_value()) return std::nullopt;
  const std::vector<int64_t> tiles = TilesOf(nest, stage.tiling);
  double summands = 1;
  for (double term : *terms) summands *= term;
  double multiplies = summands, loads = 0, invocations = 1;
  for (size_t i = 0; i < tiles.size(); ++i) {
    const double tile = static_cast<double>(tiles[i]);
    multiplies *= std::ceil((*extents)[i] / tile) * tile;
    invocations *= std::ceil((*extents)[i] / tile);
  }
  EachRead(computed, [&](const nests::ScalarNode& read, int) {
    double elements = summands;
    // What stays the same along a tile is loaded once for it.
    for (size_t i = 0; i < tiles.size(); ++i)
      elements *= Mentions(read, nest.axes[i])
                      ? (*extents)[i]
                      : std::ceil((*extents)[i] / static_cast<double>(tiles[i]));
    loads += elements;
  });
  return Among(profile, invocations, loads * profile.load + multiplies * profile.multiply);
}

std::optional<double> RowsTime(const Stage& stage, const DeviceProfile& profile,
                               const solver::Assignment& sizes) {
  const double workgroup = static_cast<double>(stage.rows->workgroup);
  const RowAxes split = RowAxesOf(stage);
  const auto product = [&](const std::vector<nests::Axis>& axes) {
    const auto extents = Values(Extents(axes), sizes);
    double points = 1;
    for (double extent : extents.value_or(std::vector<double>{NAN})) points *= extent;
    return points;
  };
  const double rows = product(split.rows);
  double time = 0;
  for (const nests::Nest& nest : stage.nests) {
    const nests::Scalar* const reduction = ReductionIn(nest.body);
    const nests::Scalar& computed = reduction == nullptr ? nest.body : *reduction;
    const double points = reduction == nullptr ? product(split.others) : product(computed->axes);
    double loads = 0;  // for each point
    EachRead(computed, [&](const nests::ScalarNode& read, int) {
      if (stage.rows->Keeps(read.tensor.index)) return;  // it was loaded before
      const auto varies = [&](const nests::Axis& axis) { return Mentions(read, axis); };
      const std::vector<nests::Axis>& axes = reduction == nullptr ? split.others : computed->axes;
      loads += std::any_of(axes.begin(), axes.end(), varies) ? 1 : 0;
    });
    const double steps = std::ceil(points / workgroup) * workgroup;
    time += rows * (points * loads * profile.load + steps * profile.multiply);
    if (reduction != nullptr) time += rows * 4 * workgroup * profile.exchange;
  }
  if (!std::isfinite(time)) return std::nullopt;
  const double alone = std::max(1.0, static_cast<double>(profile.busy_workgroup) / workgroup);
  return alone * Among(profile, rows * workgroup, time);
}

solver::Assignment UsualSizes(const Program& program, const solver::Context& context) {
  std::set<std::string> symbols;
  for (const Tensor& tensor : program.tensors) {
    for (const Expr& dim : tensor.dims) {
      for (const std::string& symbol : solver::SymbolsOf(dim)) symbols.insert(symbol);
    }
  }
  return SizesNear(context, symbols, kUsualSize);
}

}  // namespace tessera::vulkan
