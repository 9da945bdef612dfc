// What `quantize` clauses say of an op's values, looked at on its examples.
#ifndef TESSERA_TESTING_QUANTIZE_TRAITS_H_
#define TESSERA_TESTING_QUANTIZE_TRAITS_H_

#include <string>

#include "codegen/support/examples.h"
#include "codegen/support/quantize_trait.h"

namespace tessera::testing {

// Why what the trait says does not hold on some example, or says less than what holds on all of
// them; empty: nothing to complain of. The op is in the registry.
std::string TraitComplaint(const ir::QuantizeTrait& trait, const ops::OpExamples& examples);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_QUANTIZE_TRAITS_H_
