#include "targets/vulkan/kernels/tiles.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "targets/vulkan/kernels/index_text.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/program/rounds.h"

namespace tessera::vulkan {
namespace {

// An axis along which one invocation computes all, what it computes in all then, and up to what of
// that it computes more besides.
constexpr int64_t kNear = 1 << 15;  // elements that lie in a cache near to an invocation
constexpr int64_t kLongest = 8, kMostElements = 64, kFew = 4;
constexpr int64_t kLine = 16;  // elements side by side, that memory is read and written in

bool Mentions(const nests::ScalarNode& read, const std::string& symbol) {
  return std::any_of(read.at.begin(), read.at.end(), [&](const nests::Index& index) {
    const std::vector<std::string> symbols = solver::SymbolsOf(index.expr);
    return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
  });
}

// An index that is data may be looked at for elements that there are, and no others.
bool HasData(const nests::Scalar& scalar) {
  if (scalar->kind == nests::ScalarNode::kWithin) return true;
  const auto has = [](const nests::Scalar& part) { return HasData(part); };
  return std::any_of(scalar->at.begin(), scalar->at.end(),
                     [](const nests::Index& index) { return !index.data.IsNone(); }) ||
         std::any_of(scalar->args.begin(), scalar->args.end(), has);
}

// As many loops in a row as a line of each side has would take drivers minutes to compile.
bool HasLoop(const nests::Scalar& scalar) { return RoundsOfCalls(scalar) > 0; }

// Beside a loop for each term what is loaded is no matter, and a driver that counts rounds counts
// those of all elements together.
bool HasLoopInReduction(const nests::Scalar& scalar) {
  if (scalar->kind == nests::ScalarNode::kReduce) return HasLoop(scalar);
  return std::any_of(scalar->args.begin(), scalar->args.end(), HasLoopInReduction);
}

// Terms of the reductions around one another; nothing: not known.
std::optional<int64_t> ElementsOfReductions(const nests::Scalar& scalar) {
  int64_t most = 1;
  for (const nests::Scalar& arg : scalar->args) {
    const std::optional<int64_t> inner = ElementsOfReductions(arg);
    if (!inner.has_value()) return std::nullopt;
    most = std::max(most, *inner);
  }
  if (scalar->kind != nests::ScalarNode::kReduce) return most;
  for (const nests::Axis& axis : scalar->axes) {
    const auto extent = axis.extent.Constant();
    if (!extent.has_value() || __builtin_mul_overflow(most, *extent, &most)) return std::nullopt;
  }
  return most;
}

// The axis along which elements lie side by side that are read, where it is another one than that
// of the elements that are written: rows become columns. Otherwise the last axis.
size_t ColumnOf(const nests::Nest& nest) {
  const size_t last = nest.axes.size() - 1;
  size_t column = last;
  bool reduces = false;
  EachRead(nest.body, [&](const nests::ScalarNode& read, int depth) {
    reduces |= depth > 0;
    if (read.at.empty() || !read.at.back().data.IsNone()) return;
    for (size_t axis = 0; axis < last; ++axis) {
      if (read.at.back().expr == nest.axes[axis].symbol) column = axis;
    }
  });
  return reduces ? last : column;
}

// How many elements in a row are a line of memory; 1: not known to be whole fours.
int64_t LineOf(const nests::Axis& axis) {
  const auto extent = axis.extent.Constant();
  for (int64_t length = kLine; length > 1; length -= 4) {
    if (extent.has_value() ? *extent >= length && *extent % 4 == 0
                           : IsMultipleOf(axis.extent, length))
      return length;
  }
  return 1;
}

}  // namespace

absl::Span<const Tiling> Tilings() {
  static constexpr Tiling kTilings[] = {{{8, 4, 2}},  {{8, 4, 1}},  {{8, 2, 1}}, {{4, 4, 1}},
                                        {{16, 4, 1}}, {{16, 2, 1}}, {{4, 2, 1}}, {{1, 1, 1}}};
  return kTilings;
}

std::vector<int64_t> TilesOf(const nests::Nest& nest, const Tiling& tiling) {
  std::vector<int64_t> tiles(nest.axes.size(), 1);
  // Reads within reductions, and which axes of the nest each varies with.
  std::vector<std::vector<bool>> reads;
  EachRead(nest.body, [&](const nests::ScalarNode& read, int depth) {
    if (depth == 0) return;
    std::vector<bool> varies;
    for (const nests::Axis& axis : nest.axes)
      varies.push_back(Mentions(read, std::string(solver::View(axis.symbol).symbol())));
    reads.push_back(std::move(varies));
  });
  if (HasData(nest.body) || HasLoopInReduction(nest.body)) return tiles;
  // Along a short axis that no read varies with, all is computed from what is loaded once.
  int64_t elements = 1;
  for (size_t axis = 0; axis < nest.axes.size() && !reads.empty(); ++axis) {
    const int64_t length = nest.axes[axis].extent.Constant().value_or(kLongest + 1);
    const bool same = std::none_of(reads.begin(), reads.end(),
                                   [&](const std::vector<bool>& varies) { return varies[axis]; });
    if (!same || length < 2 || length > kLongest || elements * length > kMostElements) continue;
    tiles[axis] = length;
    elements *= length;
  }
  // Where rows become columns a line of one side, and fours of the other.
  if (reads.empty() && !nest.axes.empty() && tiling.lengths[1] != 1 && !HasLoop(nest.body)) {
    const size_t last = nest.axes.size() - 1, column = ColumnOf(nest);
    const int64_t across = LineOf(nest.axes[last]), along = LineOf(nest.axes[column]);
    // Of sizes of which nothing is known a part of a line.
    const bool unknown = across * along == 1 && !nest.axes[last].extent.IsConstant();
    if (column != last && (unknown || across * along > 1)) {
      tiles[last] = unknown ? kLine / 2 : across;
      tiles[column] = across > 1 ? std::min(along, kFew) : along;
      return tiles;
    }
  }
  // Where nothing is reduced four neighbours are a load and a store, if rows are of whole fours, or
  // there is but one.
  if (reads.empty() && !nest.axes.empty() &&
      (nest.axes.size() == 1 || IsMultipleOf(nest.axes.back().extent, 4)) &&
      nest.axes.back().extent.Constant().value_or(4) >= 4 && tiling.lengths[1] != 1)
    tiles.back() = 4;
  if (reads.size() < 2 || elements > kFew) return tiles;
  size_t last = nest.axes.size();  // the axis that was chosen last
  for (size_t i = 0; i < std::size(tiling.lengths); ++i) {
    const int64_t length = tiling.lengths[i];
    if (length == 1) continue;
    // The axis along which most reads stay the same; of equal ones the first for the longer side,
    // whose elements lie apart, and the last for the others, whose elements lie side by side.
    size_t best = nest.axes.size(), most = 0;
    for (size_t axis = 0; axis < nest.axes.size(); ++axis) {
      const auto extent = nest.axes[axis].extent.Constant();
      if (tiles[axis] != 1 || (extent.has_value() && *extent < length)) continue;
      // A long side that may be short in fact would be computed in vain.
      if (!extent.has_value() && i != 1 &&
          (i == 0 || !IsMultipleOf(nest.axes[axis].extent, length)))
        continue;
      const size_t kept = static_cast<size_t>(
          std::count_if(reads.begin(), reads.end(),
                        [&](const std::vector<bool>& varies) { return !varies[axis]; }));
      if (kept > most || (kept == most && kept > 0 && i != 0)) {
        best = axis;
        most = kept;
      }
    }
    if (best < nest.axes.size() && most < reads.size()) {
      tiles[best] = length;
      last = best;
    } else if (i > 1 && last < nest.axes.size() && IsMultipleOf(nest.axes[last].extent, 8) &&
               nest.axes[last].extent.Constant().value_or(tiles[last] * length) >=
                   tiles[last] * length) {
      tiles[last] *= length;  // where there is no third axis
    }
  }
  return tiles;
}

std::vector<int64_t> TilesOf(const Stage& stage) {
  const nests::Nest& nest = stage.nests.front();
  std::vector<int64_t> tiles = TilesOf(nest, stage.tiling);
  // What lies behind an end that is not known is not told from what lies outside by mistake.
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (stage.guarded && !nest.axes[i].extent.IsConstant()) tiles[i] = 1;
  }
  return tiles;
}

size_t FastestAxis(const nests::Nest& nest, const std::vector<int64_t>& tiles) {
  if (nest.axes.empty()) return 0;
  size_t last = nest.axes.size() - 1;
  // Next to one another are those that read or write the other parts of the same lines.
  if (const size_t column = ColumnOf(nest); column != last)
    return tiles[last] >= tiles[column] ? column : last;
  for (size_t axis = 0; axis < last && !nest.at.empty(); ++axis) {
    if (nest.axes[axis].symbol == nest.at.back()) last = axis;
  }
  const std::optional<int64_t> depth = ElementsOfReductions(nest.body);
  if (!depth.has_value()) return last;
  for (size_t a = 0; a < last; ++a) {
    const auto extent = nest.axes[a].extent.Constant();
    if (tiles[a] == 1 || tiles[last] != tiles[a] || !extent.has_value() ||
        *depth > kNear / *extent || nest.axes[last].extent.Constant().value_or(kNear) <= *extent)
      continue;
    return a;
  }
  return last;
}

}  // namespace tessera::vulkan
