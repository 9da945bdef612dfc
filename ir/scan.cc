#include "ir/scan.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tessera::ir {
namespace {

using Values = ScanTerm::Values;

constexpr std::string_view kBegin = "LoopBegin";

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

// Kept as a loop (ir/loops.h): the step once, between the operations that begin and end it. It
// costs a call and copies of the states at each position, but its code does not grow.
Values Looped(TermBuilder& b, const ScanTerm& term, const Expr& length) {
  int64_t loop = 0;  // other than all before it: loops are equal only to themselves
  for (const Operation* op : b.rewriter().graph().TopologicalOrder()) {
    if (op->info().name == kBegin && op->info().dialect == "ir")
      loop = std::max(loop, std::get<int64_t>(op->attr(0)) + 1);
  }
  Values operands = {b.ScalarOf(length, DType::kI32), nullptr};
  operands.insert(operands.end(), term.states.begin(), term.states.end());
  const Values here = b.Create("ir", kBegin, std::move(operands), {{"loop", Attribute(loop)}});
  if (!b.ok()) return {};
  Values values;
  for (Value* x : term.scanned) {
    const Values entry = b.Create("ir", "LoopEntry", {here[0], x}, {{"length", Attribute(length)}});
    if (!b.ok()) return {};
    values.push_back(entry[0]);
  }
  values.insert(values.end(), here.begin() + 1, here.end());
  values.insert(values.end(), term.captured.begin(), term.captured.end());
  const Values next = term.step(values);
  if (!b.ok()) return {};
  Values ends = {here[0], nullptr};
  ends.insert(ends.end(), here.begin() + 1, here.end());
  ends.insert(ends.end(), next.begin(), next.end());
  return b.Create("ir", "LoopEnd", std::move(ends),
                  {{"states", Attribute(static_cast<int64_t>(term.states.size()))},
                   {"length", Attribute(length)}});
}

}  // namespace

Values Scan(TermBuilder& b, const ScanTerm& term) {
  if (!b.ok()) return {};
  const Expr length = term.scanned.front()->type().dims.front();
  if (!length.IsConstant() || *length.Constant() > kMostUnrolled) return Looped(b, term, length);
  if (*length.Constant() < 1) {
    b.Fail(absl::UnimplementedError("a recurrence over no positions"));
    return {};
  }
  return Unrolled(b, term, *length.Constant());
}

}  // namespace tessera::ir
