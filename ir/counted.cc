#include "ir/counted.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/attribute.h"
#include "ir/computed_alike.h"
#include "solver/data_sizes.h"
#include "solver/decide.h"

namespace tessera::ir {

namespace {

// What the operation says: whoever executes it compares both counts, should they differ after all.
Expr Say(TermBuilder& builder, Value* count, const Expr& size) {
  builder.Create("ir", "DataSize", {count}, {{"size", TermAttribute(Attribute(size))}});
  return size;
}

}  // namespace

Expr Counted(TermBuilder& builder, Value* count, const Expr& most) {
  if (!builder.ok() || count == nullptr) return Expr(0);
  if (std::vector<Expr> known; ElementsOf(count, known) && known.size() == 1) return known[0];
  solver::Context& context = builder.rewriter().graph().context();
  if (const Operation* const counted = CountedAlike(count)) {
    const Expr size = std::get<Expr>(counted->attr(0));
    const Expr is_less = solver::Le(size, most);
    if (is_less.IsConstant() ? *is_less.Constant() != 0
                             : solver::Decide(context, is_less).kind == solver::Verdict::kProved)
      return Say(builder, count, size);
  }
  std::string name;
  for (int i = 1; name.empty() || context.Find(name) != nullptr; ++i)
    name = absl::StrCat("count_", i);
  const std::string origin =
      solver::DataSizeOrigin(absl::StrCat("`", builder.rewriter().location().ToString(), "`"));
  // What is not a number bounds it by a fact.
  const int64_t bound =
      std::min<int64_t>(std::numeric_limits<int32_t>::max(),
                        most.Constant().value_or(std::numeric_limits<int32_t>::max()));
  const absl::StatusOr<Expr> size = context.Declare(name, {0, bound}, {}, origin);
  absl::Status status = size.ok() ? absl::OkStatus() : size.status();
  if (status.ok() && !most.IsConstant()) status = context.Assume(solver::Le(*size, most), origin);
  if (!status.ok()) {
    builder.Fail(std::move(status));
    return Expr(0);
  }
  return Say(builder, count, *size);
}

}  // namespace tessera::ir
