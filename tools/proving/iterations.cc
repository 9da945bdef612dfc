#include "tools/proving/iterations.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "ir/loops.h"
#include "solver/copy.h"

namespace tessera::proving {

using solver::Expr;

namespace {

constexpr size_t kMostElements = 512;

Expr At(const Expr& e, const std::string& name, const Expr& value) {
  return solver::Substitute(e, {{name, value}});
}

bool IsAffine(const Expr& e, const std::string& name) {
  const Expr first = At(e, name, 0), step = At(e, name, 1) - first, third = At(e, name, 3) - first;
  return !step.IsInvalid() && At(e, name, 2) - first == step * 2 && third == step * 3;
}

}  // namespace

Iterations::Iterations(const ir::Graph& graph) {
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (!ir::IsLoopBegin(*op) || op->operand(0) == nullptr) continue;
    const bool conditional = op->operands().size() > 1 && op->operand(1) != nullptr;
    const std::vector<Expr>* const trips = op->operand(0)->elements();
    if (!conditional && trips != nullptr && trips->size() == 1)
      begins_.push_back({op->result(0), trips->front()});
  }
}

std::vector<Iteration> Iterations::Let(nests::Positions& positions) const {
  std::vector<Iteration> iterations;
  solver::Context& context = positions.context();
  for (const Begin& begin : begins_) {
    std::string name = absl::StrCat("iteration", iterations.size());
    while (context.Find(name) != nullptr) name += "'";
    const Expr length = solver::Transfer(context, begin.length);
    const int64_t most = std::max<int64_t>(solver::RangeOf(length - 1).hi, 0);
    const auto symbol = context.Declare(name, {0, most}, {}, "an iteration");
    if (!symbol.ok()) continue;
    positions.Let(*begin.position, *symbol);
    iterations.push_back({name, length});
  }
  return iterations;
}

std::vector<Expr> AtIterations(const std::vector<Iteration>& iterations,
                               std::vector<Expr> elements) {
  for (const Iteration& iteration : iterations) {
    bool follows = false, affine = true;
    for (const Expr& e : elements) {
      if (e.IsInvalid()) return {};
      const std::vector<std::string> names = solver::SymbolsOf(e);
      if (std::find(names.begin(), names.end(), iteration.name) == names.end()) continue;
      follows = true;
      affine = affine && IsAffine(e, iteration.name);
    }
    if (!follows) continue;
    const Expr last = iteration.length - 1;
    const bool runs = solver::RangeOf(iteration.length).lo >= 1;
    std::vector<Expr> points = {Expr(0), last};
    if (!affine) {
      for (const Expr& between : {Expr(1), last - 1, solver::FloorDiv(last, 2)})
        points.push_back(solver::Max(solver::Min(between, last), 0));
    }
    if (elements.size() * points.size() > kMostElements) return {};
    std::vector<Expr> all;
    for (const Expr& point : points) {
      for (const Expr& e : elements) {
        const Expr here = At(e, iteration.name, point);
        all.push_back(runs ? here : solver::Ite(solver::Ge(iteration.length, 1), here, 0));
      }
    }
    elements = std::move(all);
  }
  return elements;
}

}  // namespace tessera::proving
