#include "nests/builder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tessera::nests {
namespace {

constexpr solver::Range kAxisRange{0, (int64_t{1} << 31) - 2};

}  // namespace

TensorId Builder::Operand(std::string_view name, ir::DType dtype, Number number,
                          std::vector<Expr> dims, bool present) {
  computation_.operands.push_back({std::string(name), dtype, number, std::move(dims), present});
  return {TensorId::kOperand, static_cast<int>(computation_.operands.size()) - 1};
}

TensorId Builder::Temp(std::string_view name, Number number, std::vector<Expr> dims) {
  computation_.temps.push_back({std::string(name), DTypeOf(number), number, std::move(dims)});
  return {TensorId::kTemp, static_cast<int>(computation_.temps.size()) - 1};
}

TensorId Builder::Result(std::string_view name, ir::DType dtype, Number number,
                         std::vector<Expr> dims) {
  computation_.results.push_back({std::string(name), dtype, number, std::move(dims)});
  return {TensorId::kResult, static_cast<int>(computation_.results.size()) - 1};
}

Expr Builder::Fresh(std::string_view name) {
  // A prime tells axes from sizes; axes in use at once have different names.
  std::string symbol = absl::StrCat(std::string(name), "'");
  const auto used = [&](const Axis& axis) { return axis.symbol.ToString() == symbol; };
  while (std::any_of(open_.begin(), open_.end(), used)) symbol += "'";
  const absl::StatusOr<Expr> declared = context_.Declare(symbol, kAxisRange, {}, "axis");
  if (declared.ok()) return *declared;
  Fail(declared.status());
  return Expr::Invalid();
}

Axis Builder::OpenAxis(std::string_view name, const Expr& extent) {
  open_.push_back({Fresh(name), extent});
  return open_.back();
}

std::vector<Expr> Builder::Open(TensorId target, const std::vector<Expr>& extents,
                                const std::vector<IndexName>& names) {
  nest_ = {};
  nest_.target = target;
  open_.clear();
  for (const IndexName& index : names) {
    const bool pack = index.length >= 0;
    for (int64_t i = 0; i < (pack ? index.length : 1); ++i) {
      const size_t at = nest_.axes.size();
      if (at == extents.size()) break;
      nest_.axes.push_back(OpenAxis(
          pack ? absl::StrCat(std::string(index.name), i) : std::string(index.name), extents[at]));
      nest_.at.push_back(nest_.axes.back().symbol);
    }
  }
  if (nest_.at.size() != extents.size() || nest_.at.size() != At(target).dims.size())
    Fail(absl::InvalidArgumentError(absl::StrCat("`", At(target).name, "` of rank ",
                                                 At(target).dims.size(), " is assigned at ",
                                                 nest_.at.size(), " indices")));
  return nest_.at;
}

void Builder::Shift(int64_t axis, const Expr& by) {
  if (axis < 0 || axis >= static_cast<int64_t>(nest_.at.size())) {
    Fail(absl::InvalidArgumentError(absl::StrCat("no axis ", axis, " to write along")));
    return;
  }
  nest_.at[static_cast<size_t>(axis)] += by;
}

void Builder::Assign(Scalar body) {
  nest_.body = std::move(body);
  computation_.nests.push_back(std::move(nest_));
  nest_ = {};
  open_.clear();
}

Scalar Builder::Read(TensorId tensor, std::vector<Index> at, Scalar otherwise) {
  const TensorInfo& info = At(tensor);
  if (!info.present) {
    if (!otherwise.IsNone()) return otherwise;
    Fail(absl::InvalidArgumentError(absl::StrCat("`", info.name, "` is absent and is read")));
    return Scalar::Truth(false);
  }
  if (at.size() != info.dims.size())
    Fail(absl::InvalidArgumentError(absl::StrCat("`", info.name, "` of rank ", info.dims.size(),
                                                 " is read at ", at.size(), " indices")));
  return Scalar::Read(tensor, info.number, std::move(at), std::move(otherwise));
}

std::vector<Index> Builder::Aligned(TensorId tensor, const std::vector<Expr>& at) {
  const std::vector<Expr>& dims = At(tensor).dims;
  std::vector<Index> aligned;
  if (dims.size() > at.size()) {
    Fail(absl::InvalidArgumentError(absl::StrCat("`", At(tensor).name, "` of rank ", dims.size(),
                                                 " is broadcast to ", at.size(), " axes")));
    return aligned;
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    const Expr& index = at[at.size() - dims.size() + d];
    const bool along = std::any_of(open_.begin(), open_.end(), [&](const Axis& axis) {
      return axis.symbol == index && axis.extent == dims[d];
    });
    // Along an axis of the same extent it is the index even where that extent is 1.
    aligned.emplace_back(along ? index : solver::Ite(solver::Eq(dims[d], 1), 0, index));
  }
  return aligned;
}

int64_t Builder::HostOf(const Expr& size) {
  if (!size.IsConstant())
    Fail(absl::FailedPreconditionError(
        absl::StrCat("`", size.ToString(), "` must be a number here")));
  return size.Constant().value_or(0);
}

Expr Pick(const std::vector<Expr>& list, const Expr& at) {
  Expr picked = 0;
  for (size_t i = list.size(); i-- > 0;)
    picked = solver::Ite(solver::Eq(at, static_cast<int64_t>(i)), list[i], picked);
  return picked;
}

absl::StatusOr<Computation> Builder::Finish() && {
  if (!status_.ok()) return status_;
  return std::move(computation_);
}

Expr Fold::Open(std::string_view name, const Expr& extent) {
  axes_.push_back(builder_.OpenAxis(name, extent));
  return axes_.back().symbol;
}

std::vector<Expr> Fold::Open(std::string_view name, const std::vector<Expr>& extents) {
  std::vector<Expr> symbols;
  for (size_t d = 0; d < extents.size(); ++d)
    symbols.push_back(Open(absl::StrCat(std::string(name), d), extents[d]));
  return symbols;
}

void Fold::Close(size_t axes) {
  for (size_t i = 0; i < axes; ++i) {
    builder_.CloseAxis();
    axes_.pop_back();
  }
}

bool Fold::IsExact() const {
  return reduction_ != Reduction::kSum && reduction_ != Reduction::kProduct;
}

Scalar Fold::Reduced(std::vector<Axis> axes, std::vector<Scalar> terms) const {
  const Number number = IsExact() ? number_ : AccumulatorOf(number_);
  const Value identity = IsExact() ? identity_->literal : IdentityOf(reduction_, number);
  return Scalar::Reduce(reduction_, number, identity, std::move(axes), std::move(terms));
}

void Fold::Add(const Scalar& term) {
  const Scalar value = Scalar::Cast(IsExact() ? number_ : AccumulatorOf(number_), term);
  terms_.push_back(axes_.empty() ? value : Reduced(axes_, {value}));
}

Scalar Fold::Result() const {
  if (terms_.empty()) return identity_;
  const bool reduced = terms_.size() == 1 && terms_[0]->kind == ScalarNode::kReduce;
  return Scalar::Cast(number_, reduced ? terms_[0] : Reduced({}, terms_));
}

}  // namespace tessera::nests
