// What an operation computes, as data: a list of nests, one per statement of its `ref`. Ranks and
// attributes are known, sizes are expressions over the symbols of a context. No schedule, no
// layout, no memory.
#ifndef TESSERA_NESTS_NEST_H_
#define TESSERA_NESTS_NEST_H_

#include <string>
#include <vector>

#include "ir/dtype.h"
#include "nests/scalar.h"

namespace tessera::nests {

// In which order the points of a nest are computed.
struct Order {
  // The axis along which positions are computed one after the other, each reading those before it;
  // -1: none, all points in any order.
  int along = -1;
  bool reverse = false;  // from the last position to the first
  // Advances together with the nest before it, which has as many positions: at each of them the
  // nests of such a run are computed in turn, before the next position.
  bool together = false;
  friend bool operator==(const Order&, const Order&) = default;
};

// For every point of `axes`, target[at] = body, which is narrowed to the target's dtype when all is
// computed: integers wrap, floats round to nearest even.
struct Nest {
  TensorId target;
  std::vector<Axis> axes;
  // One index per axis of the target; the symbols of `axes` themselves unless several nests write
  // one result.
  std::vector<Expr> at;
  Scalar body;
  Order order = {};
  friend bool operator==(const Nest&, const Nest&) = default;
};

struct TensorInfo {
  std::string name;  // of the definition
  ir::DType dtype = ir::DType::kF32;
  Number number = Number::kF32;  // what its elements are read as, and computed in
  std::vector<Expr> dims;
  bool present = true;  // of an optional operand
};

// All nests of one operation, in the order in which they are computed.
struct Computation {
  std::vector<TensorInfo> operands, temps, results;
  std::vector<Nest> nests;
  // Propositions that the definition's constraints leave open for these sizes.
  std::vector<Expr> requirements;

  const TensorInfo& At(TensorId id) const {
    return (id.kind == TensorId::kOperand ? operands
            : id.kind == TensorId::kTemp  ? temps
                                          : results)[static_cast<size_t>(id.index)];
  }
};

// The same nests with axes named by their position, so that those which differ in names alone are
// equal; and their hash.
Computation Canonical(const Computation& computation, solver::Context& context);
size_t HashOf(const Computation& computation);
// Nests, types and sizes; not the names of tensors.
bool Same(const Computation& a, const Computation& b);

// One line per tensor and nest, e.g. `y[n', o0'] = sum(k0' in 0..3: x[n', o0' + k0'] ?? 0)`.
std::string ToString(const Computation& computation);
std::string ToString(const Computation& computation, const Nest& nest);
std::string ToString(const Computation& computation, const Scalar& scalar);

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_NEST_H_
