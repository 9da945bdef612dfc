// Whether nests stay within their tensors, for all admissible sizes.
//
// Every read without a value for outside, and every write, is an obligation: decided from what the
// context says of sizes, what the definition's constraints require, 0 <= axis < extent for each
// axis around it, and the propositions by which it was chosen. Nests that write one result
// together must not overlap, and must leave nothing out.
#ifndef TESSERA_NESTS_BOUNDS_H_
#define TESSERA_NESTS_BOUNDS_H_

#include <functional>
#include <string>
#include <vector>

#include "nests/nest.h"
#include "solver/decide.h"

namespace tessera::nests {

struct Access {
  enum Status : uint8_t {
    kProved,
    kData,     // an index is data: kernels look at it when they run
    kOpen,     // neither proved nor refuted
    kRefuted,  // for sizes that the definition admits it is outside: the definition is wrong
  } status = kProved;
  size_t nest = 0;
  std::string tensor;
  bool write = false;
  std::string text;    // the access, as nests are printed
  std::string reason;  // what is not proved, or for which values it is wrong
};

// As solver::Decide, or with more behind it.
using Decide = std::function<solver::Verdict(solver::Context&, const Expr&)>;

// All accesses, in order of nests and of text. `context` is that of the computation.
std::vector<Access> CheckBounds(const Computation& computation, const solver::Context& context,
                                const Decide& decide = solver::Decide);

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_BOUNDS_H_
