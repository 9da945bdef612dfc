// Whether the two sides of a rewrite have the same values: for all elements, at the sizes of its
// examples.
#ifndef TESSERA_TESTING_REWRITE_VALUES_H_
#define TESSERA_TESTING_REWRITE_VALUES_H_

#include <string>
#include <string_view>

#include "codegen/support/examples.h"
#include "testing/example_case.h"

namespace tessera::testing {

enum class Proof {
  kExact,    // the same floating-point operations on the same values: every value, NaN included
  kReals,    // equal over the reals
  kRounded,  // so, where constants are the simplest numbers that they are the nearest floats of
  kSampled,  // neither: compared at seeded values only
};

struct RewriteValues {
  int fired = 0;  // graphs that the rewrite applied to
  Proof proof = Proof::kExact;
  std::string why;        // why it is not kExact or not kReals: the first elements that differ
  std::string exception;  // values at which the floats of the sides differ; empty: none was met
};

// The left side of the example with each choice of its leaves as constants or inputs, and with the
// rewrite applied, its equality decided by form or by Z3 (nests/piecewise.h). What is not kExact is
// also run on NaN, infinities, signed zeros, the largest and
// the least numbers.
RewriteValues CheckValues(const ops::RewriteExample& example);

// The op of an example, with its operands as inputs and again as constants, and what its lowering
// to the target makes of it. Fired stays 0 where it is refused.
RewriteValues CheckLowering(const Case& example, std::string_view target);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_REWRITE_VALUES_H_
