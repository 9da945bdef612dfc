#include "ir/scan.h"

#include <cstddef>

#include "absl/strings/str_cat.h"

namespace tessera::ir {
namespace {

using Values = ScanTerm::Values;

Values Unrolled(TermBuilder& b, const ScanTerm& term, int64_t length) {
  Values states = term.states;
  std::vector<Values> collected;
  for (int64_t i = 0; i < length; ++i) {
    Value* const at = b.ScalarOf(i, DType::kI32);
    Values values;
    for (Value* x : term.scanned) values.push_back(term.entry(x, at));
    values.insert(values.end(), states.begin(), states.end());
    values.insert(values.end(), term.captured.begin(), term.captured.end());
    const Values next = term.step(values);
    if (!b.ok()) return {};
    const auto split = next.begin() + static_cast<std::ptrdiff_t>(states.size());
    states.assign(next.begin(), split);
    collected.resize(next.size() - states.size());
    for (size_t k = 0; k < collected.size(); ++k) collected[k].push_back(next[states.size() + k]);
  }
  for (const Values& entries : collected) states.push_back(term.stack(entries));
  return states;
}

}  // namespace

Values Scan(TermBuilder& b, const ScanTerm& term) {
  if (!b.ok()) return {};
  const Expr& length = term.scanned.front()->type().dims.front();
  if (!length.IsConstant()) {
    b.Fail(absl::UnimplementedError(
        absl::StrCat("a recurrence over `", length.ToString(),
                     "` positions, which is unrolled where they are a number, such as from `--dim ",
                     solver::SymbolsOf(length).front(), "=N`")));
    return {};
  }
  if (*length.Constant() < 1 || *length.Constant() > kMostUnrolled) {
    b.Fail(absl::UnimplementedError(absl::StrCat("a recurrence over ", *length.Constant(),
                                                 " positions; from 1 to ", kMostUnrolled,
                                                 " are unrolled")));
    return {};
  }
  return Unrolled(b, term, *length.Constant());
}

}  // namespace tessera::ir
