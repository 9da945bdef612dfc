// Between which expressions of sizes the elements of a tensor lie, whatever the data are that they
// are computed from: positions that were searched for, remainders, what was clipped.
#ifndef TESSERA_NESTS_ELEMENT_RANGES_H_
#define TESSERA_NESTS_ELEMENT_RANGES_H_

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ir/operation.h"
#include "ir/value.h"
#include "nests/nest.h"

namespace tessera::nests {

// A side that is none is not known.
struct ElementRange {
  std::optional<Expr> least, most;
};

class ElementRanges {
 public:
  // Of a graph whose context this is; ranges are expressions of a copy.
  explicit ElementRanges(const solver::Context& context);
  solver::Context& context() { return *context_; }

  // What the nests of the operations say that compute it, one after the other.
  ElementRange Of(const ir::Value& value);

 private:
  struct Place;

  ElementRange Computed(const ir::Value& value);
  ElementRange Stored(const Place& place, TensorId id);
  ElementRange Of(Place& place, const Scalar& scalar);
  ElementRange OfRead(Place& place, const ScalarNode& node);
  ElementRange OfReduction(Place& place, const ScalarNode& node);
  ElementRange OfCall(Place& place, const ScalarNode& node);
  ElementRange OfCast(Number from, Number to, const ElementRange& range);
  ElementRange OfIndex(const Place& place, const Expr& index);
  // Whether a condition holds for all elements, or for none.
  std::optional<bool> Decided(Place& place, const Scalar& condition);
  bool Holds(const Expr& proposition);

  std::unique_ptr<solver::Context> context_;
  std::map<int, ElementRange> ranges_;  // by value
  int depth_ = 0;
};

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_ELEMENT_RANGES_H_
