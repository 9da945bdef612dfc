#include "targets/vulkan/artifact/expression_table.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera::vulkan {
namespace {

constexpr int64_t kMostPositions = (int64_t{1} << 31) - 1;

file::Operation OperationOf(solver::ExprKind kind) {
  switch (kind) {
    case solver::ExprKind::kSum:
      return file::Operation_SUM;
    case solver::ExprKind::kProduct:
      return file::Operation_PRODUCT;
    case solver::ExprKind::kFloorDiv:
      return file::Operation_FLOOR_DIV;
    case solver::ExprKind::kMin:
      return file::Operation_LEAST;
    case solver::ExprKind::kIte:
      return file::Operation_IF;
    case solver::ExprKind::kEqZero:
      return file::Operation_EQ_ZERO;
    case solver::ExprKind::kGeZero:
      return file::Operation_GE_ZERO;
    case solver::ExprKind::kAnd:
      return file::Operation_AND;
    case solver::ExprKind::kSymbol:
      return file::Operation_SYMBOL;
    default:
      return file::Operation_CONSTANT;
  }
}

}  // namespace

// Facts that came after an expression was built may have given its symbols values.
uint32_t ExpressionTable::Add(const Expr& e) { return AddNormal(context_.Renormalize(e)); }

ExpressionTable::Axis ExpressionTable::AddAxis(const Expr& symbol, const Expr& extent) {
  const uint32_t length = Add(extent);
  const std::string name(solver::View(symbol).symbol());
  std::string called = name;
  for (int other = 1;; ++other) {
    const bool fresh = axis_numbers_.count(called) == 0;
    if (fresh && called != name) {
      // A name that something else has already, with what is said of it, is left alone.
      const bool taken = context_.Find(called) != nullptr;
      if (taken || !context_.Declare(called, {0, kMostPositions}, {}, "axis").ok()) {
        called = absl::StrCat(name, "'", other);
        continue;
      }
    }
    const auto axis = axis_numbers_.try_emplace(called, static_cast<int64_t>(axes_.size())).first;
    if (fresh) axes_.push_back(length);
    const auto number = static_cast<size_t>(axis->second);
    if (axes_[number] == length)
      return {static_cast<uint32_t>(number), called == name ? symbol : context_.Symbol(called)};
    called = absl::StrCat(name, "'", other);
  }
}

uint32_t ExpressionTable::Symbol(std::string_view name) {
  if (const auto axis = axis_numbers_.find(name); axis != axis_numbers_.end()) {
    rows_.push_back({file::Operation_AXIS, axis->second, {}, {}});
    return static_cast<uint32_t>(rows_.size()) - 1;
  }
  const auto found = symbols_.find(name);
  if (found == symbols_.end()) {
    const solver::SymbolInfo* info = context_.Find(name);
    if (info != nullptr && info->value.has_value()) return AddNormal(*info->value);
    if (status_.ok())
      status_ = absl::UnimplementedError(absl::StrCat(
          "`", std::string(name), "`", info == nullptr ? "" : absl::StrCat(" (", info->origin, ")"),
          " follows from no size of an input: the artifact plans all sizes before "
          "anything is computed"));
    return 0;
  }
  rows_.push_back({file::Operation_SYMBOL, found->second, {}, {}});
  return static_cast<uint32_t>(rows_.size()) - 1;
}

uint32_t ExpressionTable::AddNormal(const Expr& e) {
  const auto found = places_.find(e);
  if (found != places_.end()) return found->second;
  const solver::View view(e);
  uint32_t place = 0;
  if (view.kind() == solver::ExprKind::kSymbol) {
    place = Symbol(view.symbol());
  } else {
    if (view.kind() == solver::ExprKind::kInvalid && status_.ok())
      status_ = absl::InvalidArgumentError("a size leaves 64 bits, or is divided by nothing");
    Row row;
    row.operation = OperationOf(view.kind());
    const bool sum = view.kind() == solver::ExprKind::kSum;
    if (sum || view.kind() == solver::ExprKind::kConstant) row.constant = view.constant();
    for (size_t i = 0; i < view.size(); ++i) {
      row.arguments.push_back(AddNormal(view.child(i)));
      if (sum) row.coefficients.push_back(view.coefficient(i));
    }
    rows_.push_back(std::move(row));
    place = static_cast<uint32_t>(rows_.size()) - 1;
  }
  places_.emplace(e, place);
  return place;
}

flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<file::Expression>>>
ExpressionTable::Write(flatbuffers::FlatBufferBuilder& builder) const {
  std::vector<flatbuffers::Offset<file::Expression>> rows;
  for (const Row& row : rows_) {
    const auto arguments = row.arguments.empty() ? 0 : builder.CreateVector(row.arguments);
    const auto coefficients = row.coefficients.empty() ? 0 : builder.CreateVector(row.coefficients);
    rows.push_back(
        file::CreateExpression(builder, row.operation, row.constant, arguments, coefficients));
  }
  return builder.CreateVector(rows);
}

}  // namespace tessera::vulkan
