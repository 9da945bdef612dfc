// That it does not matter which of two rewrites is applied first.
#ifndef TESSERA_TESTING_CONFLUENCE_H_
#define TESSERA_TESTING_CONFLUENCE_H_

#include <set>
#include <string>
#include <utility>

#include "codegen/support/examples.h"

namespace tessera::testing {

struct Confluence {
  int graphs = 0;  // in which more than one rewrite applies
  // Names of rewrites of which both applied in one graph, in order of the alphabet.
  std::set<std::pair<std::string, std::string>> pairs;
  std::string failure;  // a pair that ends in different graphs, and both of these; empty: none
};

// The left side of the example is built for every choice of which leaves are constants, folded and
// freed of common subexpressions. Every rewrite of `dialect` that applies to any of its operations
// (a late one: only if no other does) is applied alone; canonicalized then, all must be the same
// graph, but for the values of constants, and compute the same from the example's inputs.
Confluence CheckConfluence(const ops::RewriteExample& example, const std::string& dialect);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_CONFLUENCE_H_
