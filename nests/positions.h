// Integer tensors whose elements follow from sizes and constants alone, element by element: what
// the nests of the operations that compute them say of one index.
#ifndef TESSERA_NESTS_POSITIONS_H_
#define TESSERA_NESTS_POSITIONS_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/operation.h"
#include "ir/value.h"
#include "nests/nest.h"

namespace tessera::nests {

class Positions {
 public:
  // Of a graph whose context this is; its expressions are computed anew in a copy.
  explicit Positions(const solver::Context& context);

  solver::Context& context() { return *context_; }

  // The element of `value` at `index`, one expression of `context()` per axis, each within its
  // axis. Nothing: it is computed from data, or by something else than reads, joins and arithmetic
  // of integers.
  std::optional<Expr> At(const ir::Value& value, const std::vector<Expr>& index);

  // From here on every element of `value` is `element`, of `context()`.
  void Let(const ir::Value& value, const Expr& element);

  // Whether elements of `value` are computed from elements of an input of the graph.
  bool IsData(const ir::Value& value);

 private:
  // One operation, and what it computes.
  struct Frame {
    const ir::Operation* operation;
    std::optional<Computation> computation;  // none: it has no nests
  };
  using Names = std::map<std::string, Expr, std::less<>>;

  const Frame& FrameOf(const ir::Operation& operation);
  std::optional<Expr> Known(const ir::Value& value, const std::vector<Expr>& index);
  std::optional<Expr> Written(const Frame& frame, TensorId id, const std::vector<Expr>& index);
  std::optional<Expr> Evaluate(const Frame& frame, const Scalar& scalar, const Names& names);
  std::optional<Expr> Read(const Frame& frame, const Scalar& scalar, const Names& names);
  std::optional<Expr> Call(const Frame& frame, const Scalar& scalar, const Names& names);

  std::unique_ptr<solver::Context> context_;
  std::map<int, Frame> frames_;  // by operation
  std::map<int, bool> data_;     // by value
  std::map<int, Expr> let_;      // the same
  int steps_ = 0, depth_ = 0;
};

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_POSITIONS_H_
