// Builds the nests of one operation. What the generator makes of a `ref` is a sequence of calls to
// this; the element functions stand in nests/elements.h.
#ifndef TESSERA_NESTS_BUILDER_H_
#define TESSERA_NESTS_BUILDER_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nests/nest.h"

namespace tessera::nests {

// The names of the indices of a nest; a pack has one name and several axes.
struct IndexName {
  std::string_view name;
  int64_t length = -1;  // of a pack
};

class Builder {
 public:
  // Axes become symbols of `context`, without facts beyond being non-negative.
  explicit Builder(solver::Context& context) : context_(context) {}

  TensorId Operand(std::string_view name, ir::DType dtype, Number number, std::vector<Expr> dims,
                   bool present);
  TensorId Temp(std::string_view name, Number number, std::vector<Expr> dims);
  TensorId Result(std::string_view name, ir::DType dtype, Number number, std::vector<Expr> dims);
  void Require(const Expr& proposition) { computation_.requirements.push_back(proposition); }

  // Begins a nest with one axis per entry of `extents`; their symbols.
  std::vector<Expr> Open(TensorId target, const std::vector<Expr>& extents,
                         const std::vector<IndexName>& names);
  // Moves where the open nest writes, along one axis.
  void Shift(int64_t axis, const Expr& by);
  // That its points have an order.
  void Sequence(const Order& order) { nest_.order = order; }
  // Ends it.
  void Assign(Scalar body);

  // A new axis of a reduction, in use until it is closed.
  Axis OpenAxis(std::string_view name, const Expr& extent);
  void CloseAxis() { open_.pop_back(); }

  Scalar Read(TensorId tensor, std::vector<Index> at, Scalar otherwise = {});
  // Where a tensor is read at `at` of a shape that it is broadcast to.
  std::vector<Index> Aligned(TensorId tensor, const std::vector<Expr>& at);
  const TensorInfo& At(TensorId id) const { return computation_.At(id); }
  // The number that a size must be here.
  int64_t HostOf(const Expr& size);

  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  // Nothing can be built any more once there is an error.
  absl::StatusOr<Computation> Finish() &&;
  const absl::Status& status() const { return status_; }

 private:
  Expr Fresh(std::string_view name);

  solver::Context& context_;
  Computation computation_;
  Nest nest_;
  std::vector<Axis> open_;  // axes in use, outermost first
  absl::Status status_;
};

// list[at], 0 outside, where `at` is no number.
Expr Pick(const std::vector<Expr>& list, const Expr& at);

// A reduction under construction: axes are opened and closed, terms added in between.
class Fold {
 public:
  Fold(Builder& builder, Reduction reduction, Number number)
      : Fold(builder, reduction, number, Scalar::Literal(IdentityOf(reduction, number))) {}
  // `identity`, a literal, is the extreme of nothing.
  Fold(Builder& builder, Reduction reduction, Number number, const Scalar& identity)
      : builder_(builder), reduction_(reduction), number_(number), identity_(identity) {}
  Expr Open(std::string_view name, const Expr& extent);
  std::vector<Expr> Open(std::string_view name, const std::vector<Expr>& extents);
  void Close(size_t axes);
  void Add(const Scalar& term);
  // In the number type of the terms.
  Scalar Result() const;

 private:
  bool IsExact() const;  // combined in the type of the terms
  Scalar Reduced(std::vector<Axis> axes, std::vector<Scalar> terms) const;

  Builder& builder_;
  Reduction reduction_;
  Number number_;
  Scalar identity_;
  std::vector<Axis> axes_;
  std::vector<Scalar> terms_;
};

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_BUILDER_H_
