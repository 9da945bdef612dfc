#include "targets/vulkan/file_sizes.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "solver/decide.h"

namespace tessera::vulkan {
namespace {

constexpr int64_t kMostPositions = (int64_t{1} << 31) - 1;

}  // namespace

Sizes::Sizes(const file::Model& model, Decided& decided) : model_(model), decided_(decided) {
  for (const file::Symbol* symbol : *model.symbols()) {
    const absl::StatusOr<Expr> declared =
        context_.Declare(symbol->name()->str(), {symbol->least(), symbol->most()},
                         {symbol->stride(), symbol->residue()}, "size");
    symbols_.push_back(declared.ok() ? *declared : Expr::Invalid());
  }
}

Expr Sizes::Fresh() {
  const absl::StatusOr<Expr> position = context_.Declare(absl::StrCat("position ", positions_++),
                                                         {0, kMostPositions}, {}, "position");
  return position.ok() ? *position : Expr::Invalid();
}

Expr Sizes::Axis(uint32_t axis) {
  const auto found = axes_.find(axis);
  return found != axes_.end() ? found->second : axes_[axis] = Fresh();
}

Expr Sizes::Of(uint32_t e) {
  const auto found = known_.find(e);
  if (found != known_.end()) return found->second;
  return known_[e] = Made(*model_.expressions()->Get(e));
}

bool Sizes::Assume(const Expr& proposition) {
  return context_.Assume(proposition, "points").ok() && !context_.contradictory();
}

bool Sizes::Holds(const Expr& proposition) {
  // Positions are numbered as they come, so that equal statements have equal texts.
  std::string statement = proposition.ToString();
  for (const solver::Fact& fact : context_.facts())
    absl::StrAppend(&statement, " if ", fact.predicate.ToString());
  const auto [known, fresh] = decided_.try_emplace(std::move(statement), false);
  if (fresh) {
    known->second = solver::Decide(context_, context_.Renormalize(proposition)).kind ==
                    solver::Verdict::kProved;
  }
  return known->second;
}

Expr Sizes::Made(const file::Expression& e) {
  std::vector<Expr> args;
  for (uint32_t i = 0; e.arguments() != nullptr && i < e.arguments()->size(); ++i)
    args.push_back(Of(e.arguments()->Get(i)));
  switch (e.operation()) {
    case file::Operation_CONSTANT:
      return e.constant();
    case file::Operation_SYMBOL:
      return symbols_[static_cast<size_t>(e.constant())];
    case file::Operation_AXIS:
      return Axis(static_cast<uint32_t>(e.constant()));
    case file::Operation_SUM: {
      Expr sum = e.constant();
      for (uint32_t i = 0; i < args.size(); ++i) sum += args[i] * e.coefficients()->Get(i);
      return sum;
    }
    case file::Operation_PRODUCT: {
      Expr product = 1;
      for (const Expr& arg : args) product *= arg;
      return product;
    }
    case file::Operation_FLOOR_DIV:
      return solver::FloorDiv(args[0], args[1]);
    case file::Operation_LEAST: {
      Expr least = args[0];
      for (const Expr& arg : args) least = solver::Min(least, arg);
      return least;
    }
    case file::Operation_IF:
      return solver::Ite(args[0], args[1], args[2]);
    case file::Operation_EQ_ZERO:
      return solver::Eq(args[0], 0);
    case file::Operation_GE_ZERO:
      return solver::Ge(args[0], 0);
    case file::Operation_AND: {
      Expr all = 1;
      for (const Expr& arg : args) all = solver::And(all, arg);
      return all;
    }
  }
  return Expr::Invalid();
}

}  // namespace tessera::vulkan
