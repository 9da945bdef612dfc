// Whether terms of different forms are equal nevertheless: what normal forms (terms.h) leave open
// is asked of Z3.
//
// min, max, abs, sign, comparisons and choices are cases there; whole numbers wrap where their
// words do; floor and conversions to whole numbers are what they are; sums and products of reals
// are nonlinear arithmetic, and 1/a is a number whose product with a is 1 unless a is 0. Any other
// function is known by its arguments and, over the reals, by few values and signs (exp(0) = 1,
// sqrt(a) >= 0). In the theory kExact floats are of an unknown sort: what is proved of them holds
// of whatever their functions give. An answer is a proof, or nothing; steps are counted, not time,
// so that the same question has the same answer on every machine.
#ifndef TESSERA_NESTS_PIECEWISE_H_
#define TESSERA_NESTS_PIECEWISE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "nests/equal.h"
#include "nests/terms.h"

namespace tessera::nests {

// The elements of both sides, and what each requires of its inputs (Terms::TakeRequired).
struct Sides {
  std::vector<OutputTerms> left, right;
  std::vector<Terms::Element> left_requires, right_requires;
};

// For all inputs for which the left side computes something, the right side computes the same.
// Empty: proved, by form or by Z3; else what is not, as text.
std::string FirstUnproved(const Sides& sides, const Terms& terms);

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_PIECEWISE_H_
