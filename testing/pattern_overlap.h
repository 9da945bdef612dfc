// The graphs in which two rewrites meet: the critical pairs of their patterns.
#ifndef TESSERA_TESTING_PATTERN_OVERLAP_H_
#define TESSERA_TESTING_PATTERN_OVERLAP_H_

#include <vector>

#include "codegen/support/examples.h"

namespace tessera::testing {

// Examples in whose pattern `inner` matches at an operation of the pattern of `outer`: the most
// general such patterns (unification; two patterns that both have operands between two packs are
// left out), each with the leaves' shapes from either example and their values from either. At the
// root only where `at_root`, since there (a, b) and (b, a) are the same. Guards are not looked at,
// and neither is whether the operands fit each other: building the graph tells.
std::vector<ops::RewriteExample> Overlaps(const ops::RewriteExample& outer,
                                          const ops::RewriteExample& inner, bool at_root);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_PATTERN_OVERLAP_H_
