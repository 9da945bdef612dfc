// The unknowns of polynomials.
#ifndef TESSERA_SOLVER_CERTIFICATE_ATOM_H_
#define TESSERA_SOLVER_CERTIFICATE_ATOM_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "solver/certificate/polynomial.h"
#include "solver/certificate/statement.h"

namespace tessera::certificate {

// What is no polynomial: an operator, and what it is applied to.
struct Atom {
  Operator op = Operator::kInteger;
  int64_t symbol = 0;  // of kSymbol
  std::vector<Polynomial> operands;
  friend bool operator<(const Atom& a, const Atom& b) {
    return std::tie(a.op, a.symbol, a.operands) < std::tie(b.op, b.symbol, b.operands);
  }
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_ATOM_H_
