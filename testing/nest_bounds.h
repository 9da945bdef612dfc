// Reads and writes of definitions, for all sizes of which their examples are instances.
#ifndef TESSERA_TESTING_NEST_BOUNDS_H_
#define TESSERA_TESTING_NEST_BOUNDS_H_

#include <set>
#include <string>

#include "codegen/support/examples.h"
#include "nests/library.h"

namespace tessera::testing {

struct DefinitionBounds {
  int instances = 0;  // signatures with at least one symbol that were looked at
  int accesses = 0;
  int proved = 0;
  std::string wrong;               // refuted accesses, one per line
  std::set<std::string> unproved;  // `TENSOR[...]: reason`, whatever the example
};

// Every size of an example's operands becomes a symbol of its own (those that constraints compare
// are then known to be equal), unit dims stay; and every `dim` attribute, where that is admissible.
DefinitionBounds BoundsOf(const nests::Definition& definition, const ops::OpExamples& op);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NEST_BOUNDS_H_
