#include "tools/proving/position_elements.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "solver/copy.h"

namespace tessera::proving {
namespace {

using solver::Expr;
using solver::ExprKind;

constexpr size_t kMostPoints = 12;    // along one axis
constexpr size_t kMostElements = 64;  // of one operand
constexpr int64_t kLongestRow = 16;   // of which all columns are taken

// Where `e` changes its form along `symbol`: the integers about the zeros of what conditions,
// minima and the like compare.
class Seams {
 public:
  explicit Seams(Expr symbol) : symbol_(std::move(symbol)) {}

  void Find(const Expr& e) {
    if (points.size() > kMostPoints || !seen_.insert(e).second) return;
    const solver::View view(e);
    if (view.kind() == ExprKind::kGeZero || view.kind() == ExprKind::kEqZero) Zero(view.child(0));
    for (size_t i = 0; i + 1 < view.size() && view.kind() == ExprKind::kMin; ++i)
      Zero(view.child(i) - view.child(i + 1));
    if (view.kind() == ExprKind::kSymbol) return;
    for (size_t i = 0; i < view.size(); ++i) Find(view.child(i));
  }

  std::vector<Expr> points;

 private:
  // k * symbol + rest, k a number.
  void Zero(const Expr& e) {
    if (e.IsInvalid()) return;
    const std::string name(solver::View(symbol_).symbol());
    const auto at = [&](int64_t value) { return solver::Substitute(e, {{name, Expr(value)}}); };
    const Expr rest = at(0), factor = at(1) - rest;
    const std::optional<int64_t> k = factor.Constant();
    if (!k || *k == 0 || e - symbol_ * *k != rest) return;
    const Expr zero = solver::FloorDiv(*k > 0 ? -rest : rest, *k > 0 ? *k : -*k);
    for (const int64_t beside : {-1, 0, 1}) points.push_back(zero + beside);
  }

  Expr symbol_;
  absl::flat_hash_set<Expr> seen_;
};

class Operand {
 public:
  Operand(nests::Positions& positions, const ir::Value& value)
      : positions_(positions), value_(value) {}

  // Elements in rows, as OperandInfo::extremes, of the copied context; empty: nothing is known.
  std::vector<Expr> Elements() {
    const std::optional<int64_t> length = RowLength(value_);
    for (const Expr& dim : value_.type().dims)
      dims_.push_back(solver::Transfer(positions_.context(), dim));
    std::vector<Expr> symbols;
    for (size_t d = 0; d < dims_.size(); ++d) symbols.push_back(Symbol(d));
    const std::optional<Expr> element = positions_.At(value_, symbols);
    if (!element) return {};
    std::vector<std::vector<Expr>> corners(1);
    std::vector<std::vector<Expr>> points(dims_.size());
    for (size_t d = 0; d + (length ? 1 : 0) < dims_.size(); ++d) {
      points[d] = PointsOf(d, symbols[d], *element);
      std::vector<std::vector<Expr>> longer;
      for (const std::vector<Expr>& corner : corners) {
        for (size_t k = 0; k < std::min<size_t>(points[d].size(), 2); ++k) {
          longer.push_back(corner);
          longer.back().push_back(points[d][k]);
        }
      }
      corners = std::move(longer);
      if (corners.size() > kMostElements) return {};
    }
    // Between the ends of one axis, at the beginning and at the end of all others.
    std::vector<std::vector<Expr>> all = corners;
    for (size_t d = 0; d < corners[0].size(); ++d) {
      for (size_t k = 2; k < points[d].size(); ++k) {
        for (const std::vector<Expr>& end : {corners.front(), corners.back()}) {
          all.push_back(end);
          all.back()[d] = points[d][k];
        }
      }
    }
    std::vector<Expr> elements;
    absl::flat_hash_set<Expr> seen;
    for (const std::vector<Expr>& point : all) {
      std::vector<Expr> row;
      for (int64_t j = 0; j < length.value_or(1); ++j) {
        std::vector<Expr> index = point;
        if (length) index.push_back(j);
        const std::optional<Expr> at = positions_.At(value_, index);
        if (!at) return {};
        row.push_back(*at);
      }
      const bool fresh =
          std::any_of(row.begin(), row.end(), [&](const Expr& e) { return seen.insert(e).second; });
      if (fresh && elements.size() < kMostElements * row.size())
        elements.insert(elements.end(), row.begin(), row.end());
    }
    return elements;
  }

 private:
  // A position along axis d, in a context that has none of its symbols.
  Expr Symbol(size_t d) {
    solver::Context& context = positions_.context();
    std::string name = absl::StrCat("position", d);
    while (context.Find(name) != nullptr) name += "'";
    names_.push_back(name);
    const int64_t most = solver::RangeOf(dims_[d] - 1).hi;
    const auto symbol = context.Declare(name, {0, std::max<int64_t>(most, 0)}, {}, "a position");
    return symbol.ok() ? *symbol : Expr::Invalid();
  }

  // The first, the last, and others, each within the axis if it has entries.
  std::vector<Expr> PointsOf(size_t d, const Expr& symbol, const Expr& element) {
    const Expr last = dims_[d] - 1;
    std::vector<Expr> points = {Expr(0)};
    const auto add = [&](const Expr& point) {
      if (point.IsInvalid() || points.size() > kMostPoints) return;
      const Expr inside = solver::Max(solver::Min(point, last), 0);
      for (const std::string& name : solver::SymbolsOf(inside)) {  // of another axis
        if (std::find(names_.begin(), names_.end(), name) != names_.end()) return;
      }
      if (std::find(points.begin(), points.end(), inside) == points.end()) points.push_back(inside);
    };
    if (last == Expr(0)) return points;
    points.push_back(last);
    Seams seams(symbol);
    seams.Find(element);
    if (seams.points.empty() && solver::SymbolsOf(element).empty()) return points;
    for (const Expr& seam : seams.points) add(seam);
    if (!IsAffine(element, symbol)) {
      for (const Expr& between : {Expr(1), last - 1, solver::FloorDiv(last, 2)}) add(between);
    }
    return points;
  }

  static bool IsAffine(const Expr& e, const Expr& symbol) {
    const std::string name(solver::View(symbol).symbol());
    const auto at = [&](int64_t value) { return solver::Substitute(e, {{name, Expr(value)}}); };
    const Expr step = at(1) - at(0);
    return !step.IsInvalid() && e == at(0) + step * symbol;
  }

  nests::Positions& positions_;
  const ir::Value& value_;
  std::vector<Expr> dims_;
  std::vector<std::string> names_;  // of the positions
};

}  // namespace

std::optional<int64_t> RowLength(const ir::Value& value) {
  const std::vector<Expr>& dims = value.type().dims;
  const std::optional<int64_t> last = dims.empty() ? std::nullopt : dims.back().Constant();
  return last && *last >= 1 && *last <= kLongestRow ? last : std::nullopt;
}

std::vector<Expr> ElementsOf(nests::Positions& positions, const ir::Value& value) {
  return Operand(positions, value).Elements();
}

}  // namespace tessera::proving
