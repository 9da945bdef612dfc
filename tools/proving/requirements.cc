#include "tools/proving/requirements.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ir/checker.h"
#include "ir/inference.h"

namespace tessera::proving {

using solver::Expr;

Expr Plain(solver::Context& context, const Expr& e) {
  if (const std::optional<int64_t> number = e.Constant()) return Expr(*number);
  std::map<std::string, Expr, std::less<>> same;
  for (const std::string& name : solver::SymbolsOf(e)) same.emplace(name, context.Symbol(name));
  return solver::Substitute(e, same);
}

Required Infer(const ir::Operation& op, size_t operand, const std::vector<Expr>& extremes,
               solver::Context& context) {
  std::vector<ir::OperandInfo<Expr>> infos;
  for (const ir::Value* value : op.operands()) infos.push_back(ir::InfoOf(value));
  infos.resize(std::max(infos.size(), op.info().operands.size()));
  infos[operand].extremes = extremes;
  ir::Checker<Expr> checker(context);
  std::vector<ir::ResultInfo<Expr>> results;
  Required required;
  required.status = op.info().infer_symbolic({infos, op.attrs()}, checker, results);
  if (required.status.ok()) required.status = checker.status();
  required.open = std::move(checker.open());
  required.proved = std::move(checker.proved());
  return required;
}

bool Divides(const solver::Context& copy, const solver::Context& context) {
  std::vector<std::string> known;
  for (const Expr& divisor : context.unproved_divisors()) known.push_back(divisor.ToString());
  for (const Expr& divisor : copy.unproved_divisors()) {
    if (std::find(known.begin(), known.end(), divisor.ToString()) == known.end()) return true;
  }
  return false;
}

bool Asks(const ir::Operation& op, size_t operand, solver::Context& context) {
  constexpr int64_t kNoIndex = -(int64_t{1} << 40);
  return Infer(op, operand, {}, context).status.ok() &&
         !Infer(op, operand, {Expr(kNoIndex)}, context).status.ok();
}

bool Has(const std::vector<ir::Obligation>& list, const ir::Obligation& obligation) {
  return std::any_of(list.begin(), list.end(), [&](const ir::Obligation& other) {
    return other.constraint == obligation.constraint && other.predicate == obligation.predicate;
  });
}

}  // namespace tessera::proving
