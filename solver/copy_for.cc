#include "solver/copy_for.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "solver/copy.h"
#include "solver/store.h"
#include "solver/syntax.h"

namespace tessera::solver {
namespace {

// Symbols that expressions are computed from, and those that the values of such are computed from,
// by place in the order of declaration.
class Related {
 public:
  explicit Related(const internal::Store& store) : store_(store) {}

  void Add(const Expr& e) {
    if (e.IsLiteral() || e.IsInvalid()) return;
    std::vector<Syntax> pending;
    pending.push_back(DerivationOf(e));
    while (!pending.empty()) {
      const Syntax next = std::move(pending.back());
      pending.pop_back();
      for (const std::string& name : next.symbols) {
        const int index = store_.FindSymbol(name);
        if (index < 0) continue;
        const SymbolInfo& info = store_.symbols[static_cast<size_t>(index)].info;
        if (!found_.emplace(index, &info).second) continue;
        if (info.value.has_value() && !info.value->IsLiteral())
          pending.push_back(DerivationOf(*info.value));
      }
    }
  }
  const std::map<int, const SymbolInfo*>& symbols() const { return found_; }

 private:
  const internal::Store& store_;
  std::map<int, const SymbolInfo*> found_;
};

}  // namespace

std::unique_ptr<Context> CopyFor(const Context& context, absl::Span<const Expr> about) {
  Related related(context.store());
  for (const Expr& hypothesis : context.hypotheses()) related.Add(hypothesis);
  for (const Expr& e : about) related.Add(e);
  // As Copy does it.
  auto copy = std::make_unique<Context>();
  for (const auto& [index, symbol] : related.symbols()) {
    Congruence congruence = symbol->congruence;
    if (congruence.stride < 1) congruence = {};
    copy->Declare(symbol->name, symbol->range, congruence, symbol->origin).IgnoreError();
  }
  for (const auto& [index, symbol] : related.symbols()) {
    if (symbol->value.has_value())
      copy->Assume(Eq(copy->Symbol(symbol->name), Transfer(*copy, *symbol->value)), "")
          .IgnoreError();
  }
  for (const Expr& hypothesis : context.hypotheses())
    copy->Assume(Transfer(*copy, hypothesis), "").IgnoreError();
  return copy;
}

}  // namespace tessera::solver
