#include "tools/proving/data_indices.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/op_info.h"
#include "solver/copy.h"
#include "tools/proving/position_elements.h"
#include "tools/proving/requirements.h"

namespace tessera::proving {

using solver::Expr;

std::vector<Expr> DataIndices::EndsOf(const ir::Value& value) {
  solver::Context& context = graph_.context();
  const nests::ElementRange range = ranges_.Of(value);
  if (!range.least || !range.most) return {};
  // What is divided by what may be 0 makes no statement to add.
  const std::unique_ptr<solver::Context> probe = solver::Copy(context);
  std::vector<Expr> rows;
  for (const Expr& end : {*range.least, *range.most}) {
    const Expr plain = Plain(ranges_.context(), end);
    if (solver::Transfer(*probe, plain).IsInvalid() || Divides(*probe, context)) return {};
    const Expr here = solver::Transfer(context, plain);
    if (here.IsInvalid()) return {};
    // Every entry of a row may be either.
    rows.insert(rows.end(), static_cast<size_t>(RowLength(value).value_or(1)), here);
  }
  return rows;
}

std::string DataIndices::Prove(const ir::Operation& op, size_t operand, ir::Rewriter& rewriter) {
  solver::Context& context = graph_.context();
  const std::vector<Expr> ends = EndsOf(*op.operand(operand));
  const std::string what =
      absl::StrCat("`", std::string(ir::OperandSpecAt(op.info(), operand)->name), "` of `",
                   std::string(op.info().name), "` are data");
  if (ends.empty()) return what;
  const Required before = Infer(op, operand, {}, context);
  Required here = Infer(op, operand, ends, context);
  const auto is_new = [&](const ir::Obligation& open) { return !Has(before.open, open); };
  if (!here.status.ok() || std::any_of(here.open.begin(), here.open.end(), is_new))
    return absl::StrCat(what, " between `", ends.front().ToString(), "` and `",
                        ends.back().ToString(), "`");
  for (ir::Obligation& proved : here.proved) {
    if (!Has(before.proved, proved))
      rewriter.AddProved(std::move(proved), std::string(op.info().name), op.location());
  }
  return "";
}

}  // namespace tessera::proving
