// Normal forms as Z3 terms. Internal to this package.
#ifndef TESSERA_SOLVER_SMT_ENCODER_H_
#define TESSERA_SOLVER_SMT_ENCODER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "solver/expr.h"
#include "z3++.h"

namespace tessera::solver::internal {

// How floor(a/c) for a constant c >= 1 is written; other divisors d always become `div`, with d >=
// 1 asserted.
enum class Division {
  kQuotientVariable,  // a == c*q + r, 0 <= r < c
  kNative,            // (div a c)
};

// Encodes for one query: each expression once, side conditions into the solver. Every term is
// asserted in an order that depends on the program alone.
class SmtEncoder {
 public:
  SmtEncoder(Context& context, z3::context& z3, z3::solver& solver, Division division)
      : context_(context), z3_(z3), solver_(solver), division_(division) {}

  // As an integer; asserts what its parts are known by: ranges and congruences of symbols, positive
  // divisors, quotients.
  z3::expr Integer(const Expr& e);
  // As a truth value: not 0.
  z3::expr Truth(const Expr& e);
  // Of the symbols that were encoded. Values beyond 64 bits are left out.
  Assignment ModelOf(const z3::model& model) const;

 private:
  z3::expr Encode(const Expr& e);
  z3::expr Number(int64_t value) { return z3_.int_val(value); }
  z3::expr Symbol(const std::string& name);
  z3::expr Quotient(const Expr& numerator, const Expr& divisor);
  z3::expr Fresh(const char* prefix);

  Context& context_;
  z3::context& z3_;
  z3::solver& solver_;
  const Division division_;
  int fresh_ = 0;
  std::map<std::string, z3::expr> symbols_;
  absl::flat_hash_map<Expr, z3::expr> encoded_;
};

// Whether only sums, constant factors and constant divisors occur.
bool IsAffine(const Expr& e);

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_SMT_ENCODER_H_
