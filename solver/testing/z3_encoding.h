// Statements for Z3, node by node as they were written: an independent witness for tests of the
// normal form.
#ifndef TESSERA_SOLVER_TESTING_Z3_ENCODING_H_
#define TESSERA_SOLVER_TESTING_Z3_ENCODING_H_

#include <string>
#include <vector>

#include "solver/syntax.h"
#include "z3++.h"

namespace tessera::solver {

class Z3Encoding {
 public:
  // floor(n/d) is put as a fresh integer q with d*q <= n < d*q + d: better than Z3's `div` where d
  // is no number.
  explicit Z3Encoding(z3::context& context) : context_(context) {}

  // An integer, or a Boolean for propositions.
  z3::expr Encode(const Syntax& syntax);
  // What defines the fresh integers, and that each divisor met so far is >= 1.
  const std::vector<z3::expr>& definitions() const { return definitions_; }

 private:
  z3::expr Integer(const z3::expr& e);
  z3::expr Truth(const z3::expr& e);
  z3::expr FloorOf(const z3::expr& n, const z3::expr& d);
  z3::expr Apply(Op op, const z3::expr& a, const z3::expr& b);

  z3::context& context_;
  std::vector<z3::expr> definitions_;
  int fresh_ = 0;
};

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_TESTING_Z3_ENCODING_H_
