// What the reference makes of one node, beside what others say of it.
#ifndef TESSERA_TESTING_IMPORTS_NODE_RESULTS_H_
#define TESSERA_TESTING_IMPORTS_NODE_RESULTS_H_

#include <set>
#include <string>

#include "testing/imports/node_tests.h"

namespace tessera::testing {

struct NodeResults {
  std::string problem;        // empty: all outputs are those of the test
  std::set<std::string> ops;  // of the imported graph, by name
};

// Inputs that the importer needs as numbers are constants; the others have the test's shapes. A
// test without outputs holds if there are results. The tolerance is that of
// tools/verification/comparison.h for stored outputs.
NodeResults ResultsOf(const NodeTest& test);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_IMPORTS_NODE_RESULTS_H_
