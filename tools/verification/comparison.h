// How one output is compared with what it should be. This is the one statement of the measure that
// "within 1e-4 of the output's range" refers to:
// - range: max(expected) - min(expected) over its finite elements; where that is 0, max |expected|;
//   where that is 0 too, 1
// - PEIR, peak error to interval ratio: max |actual - expected| / range
// - an output of floats holds if PEIR <= max(tolerance, spacing of its dtype's numbers above 1), or
//   no element is off by more than that spacing times the largest |expected| (which storing may
//   cost, however little the elements differ among themselves), and NaN and the infinities are
//   where they should be
// - an output on a grid, which the network makes of integer codes, also holds if no element is off
//   by more than one step of it: where sums are added in another order, a code is rounded the other
//   way
// - any other output holds if all elements are equal
#ifndef TESSERA_TOOLS_VERIFICATION_COMPARISON_H_
#define TESSERA_TOOLS_VERIFICATION_COMPARISON_H_

#include <string>

#include "ir/tensor.h"

namespace tessera::verification {

struct Comparison {
  bool holds = false;
  bool exact = false;  // neither tolerance nor SNR nor step counts
  // Empty if it holds: `shape [1,2], expected [2,1]`, `PEIR 3e-3 exceeds 1e-4 at [0,7]: 1.5,
  // expected 1.2`.
  std::string complaint;

  // Over the finite elements; zero where dtype or shape differ.
  double max_abs = 0;
  double max_rel = 0;  // over expected elements other than 0
  double snr = 0;      // decibels: 10 log10(sum expected^2 / sum error^2); infinite without error
  double peir = 0;

  double steps = 0;      // max_abs in steps of the output's grid; 0 where it has none
  double differing = 0;  // part of the elements that are not equal
};

// With `least_snr` above 0 an output of floats holds if its SNR is that or more, whatever its PEIR.
// `step`: of the output's grid; 0: it has none.
Comparison Compare(const ir::Tensor& expected, const ir::Tensor& actual, double tolerance,
                   double least_snr = 0, double step = 0);

}  // namespace tessera::verification

#endif  // TESSERA_TOOLS_VERIFICATION_COMPARISON_H_
