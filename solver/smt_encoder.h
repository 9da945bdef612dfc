// Normal forms as Z3 terms of linear arithmetic. Internal to this package.
#ifndef TESSERA_SOLVER_SMT_ENCODER_H_
#define TESSERA_SOLVER_SMT_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "solver/expr.h"
#include "z3++.h"

namespace tessera::solver::internal {

// Whether every divisor inside is >= 1 by the ranges of symbols, so that there are no sizes for
// which `e` has no value.
bool IsDefinedEverywhere(const Expr& e);

// Encodes for one query: each expression once, side conditions into the solver. Every term is
// asserted in an order that depends on the query alone, and no text of a user reaches Z3: constants
// are numbered.
//
// Z3 sees sums only. A floor is an integer q of which d*q <= n < d*q + d is asserted where its
// divisor d is known to be >= 1, and `d >= 1 => ...` elsewhere: that a division is written does not
// say that its divisor is positive. A product is an integer of which consequences are asserted:
// what follows from the signs and bounds of its factors, and, on demand, its tangent planes. So a
// query without an assignment is one for the integers, too; a model may be none.
class SmtEncoder {
 public:
  SmtEncoder(Context& context, z3::context& z3, z3::solver& solver)
      : context_(context), z3_(z3), solver_(solver) {}

  // As an integer; asserts what its parts are known by: ranges and congruences of symbols,
  // quotients, products.
  z3::expr Integer(const Expr& e);
  // As a truth value: not 0.
  z3::expr Truth(const Expr& e);
  // Of the symbols that were encoded. Values beyond 64 bits are left out.
  Assignment ModelOf(const z3::model& model) const;
  // Asserts what the model takes for a product and is none; false: nothing is wrong with its
  // products, or numbers are too large to tell.
  bool Refine(const z3::model& model);

 private:
  struct Product {
    z3::expr a, b, value;
    Expr x, y;  // what a and b encode
  };

  z3::expr Encode(const Expr& e);
  z3::expr Number(int64_t value) { return z3_.int_val(value); }
  z3::expr Symbol(const std::string& name);
  z3::expr Multiply(const Expr& e);
  z3::expr Fresh();
  // n and d of floor(n/d) = e, which is encoded.
  void DefineQuotient(const Expr& e, const Expr& numerator, const Expr& divisor);
  // (a - from_a)*(b - from_b) >= 0 where both factors have one sign, <= 0 where they differ.
  z3::expr PlaneAt(const Product& p, int64_t from_a, int64_t from_b);
  void AssertBounds(const Product& p);
  void AssertOrder(const Product& p, const Product& q);

  Context& context_;
  z3::context& z3_;
  z3::solver& solver_;
  int fresh_ = 0;
  std::map<std::string, z3::expr> symbols_;
  absl::flat_hash_map<Expr, z3::expr> encoded_;
  std::vector<Product> products_;
};

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_SMT_ENCODER_H_
