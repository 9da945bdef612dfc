#include "solver/copy.h"

#include "solver/syntax.h"

namespace tessera::solver {

std::unique_ptr<Context> Copy(const Context& context) {
  auto copy = std::make_unique<Context>();
  for (const SymbolInfo* symbol : context.symbols()) {
    Congruence congruence = symbol->congruence;
    if (congruence.stride < 1) congruence = {};  // the value says it
    // Neither can fail: the original has such a symbol.
    copy->Declare(symbol->name, symbol->range, congruence, symbol->origin).IgnoreError();
  }
  for (const SymbolInfo* symbol : context.symbols()) {
    if (!symbol->value.has_value()) continue;
    copy->Assume(Eq(copy->Symbol(symbol->name), Transfer(*copy, *symbol->value)), "").IgnoreError();
  }
  // A contradiction is remembered by the copy.
  for (const Expr& hypothesis : context.hypotheses()) {
    copy->Assume(Transfer(*copy, hypothesis), "").IgnoreError();
  }
  return copy;
}

Expr Transfer(Context& to, const Expr& e) { return e.IsInvalid() ? e : Build(to, DerivationOf(e)); }

}  // namespace tessera::solver
