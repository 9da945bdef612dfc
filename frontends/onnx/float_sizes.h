// Sizes that a model computes in floats, as in int(floor(float(H) * 0.5)).
#ifndef TESSERA_FRONTENDS_ONNX_FLOAT_SIZES_H_
#define TESSERA_FRONTENDS_ONNX_FLOAT_SIZES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/operation.h"
#include "ir/value.h"
#include "solver/expr.h"

namespace tessera::onnx_import {

// What is known of a value computed from dims and constants through ops that take part in shape
// arithmetic, where floats are on the way. (The IR itself tracks the integers that come of integers
// alone.)
struct SizesInFloats {
  std::vector<ir::Expr> elements;  // row-major
  // The proposition under which floats hold these numbers exactly, or near enough for what was
  // made of them: sizes are below 2^24 for f32.
  ir::Expr needs = 1;
};

// The exponents of powers of two with which dims are bounded.
inline constexpr int kLargestBound = 24, kSmallestBound = 10;

// Elements of values of one element, of integer or bool type, that nothing else tells of.
using KnownScalars = std::map<const ir::Value*, ir::Expr>;

// The elements of a value of integer or bool type, or of float type if they are whole numbers.
// Gives up beyond 256 operations or a tensor of 1024 elements. `context`: the graph's, or a copy of
// it (solver/copy.h), over which `known` and the result are then.
std::optional<SizesInFloats> EvaluateThroughFloats(solver::Context& context, const ir::Value& value,
                                                   const KnownScalars& known = {});

// Floats that sizes come to for all sizes, as the factor 2 from H/2 to H where H is even.
struct NumbersOfSizes {
  std::vector<double> numbers;  // row-major
  ir::Expr needs = 1;           // as above
};
std::optional<NumbersOfSizes> EvaluateToNumbers(solver::Context& context, const ir::Value& value);

// Where quotients of sizes are among the elements: the proposition under which they come to the
// whole factors, or their inverses, that they are at large sizes; 0 where they come to none, as 32
// / H. Null: there are no such quotients.
std::optional<ir::Expr> SizesInProportion(solver::Context& context, const ir::Value& value);

// Of a value of which EvaluateThroughFloats knows nothing: the first operation on the way whose
// results do not follow from its operands, though the elements of these are known. Null: there is
// none.
const ir::Operation* EndOfSizes(solver::Context& context, const ir::Value& value);

// Of `names`, those for which nobody has stated a bound, or what was assumed here before.
std::vector<std::string> Unbounded(const solver::Context& context,
                                   const std::vector<std::string>& names);
// Whether the facts decide, without a solver, that a proposition holds for all sizes.
bool IsProved(solver::Context& context, const ir::Expr& proposition);

// Facts that bound these, as EnsureExact has them; false where one contradicts others.
bool AssumeBound(solver::Context& context, const std::vector<std::string>& names, int64_t most,
                 const std::string& where);

// Whether `needs` holds for all sizes that the facts admit. Where it does not, dims for which
// nobody has stated a bound are bounded: a power of two, at least 2^10, the largest that does; it
// becomes a fact, which executors check. `where` says in its origin who needs it.
bool EnsureExact(solver::Context& context, const ir::Expr& needs, const std::string& where);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_FLOAT_SIZES_H_
