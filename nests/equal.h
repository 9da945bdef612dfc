// Whether two graphs compute the same for all values of their inputs, at the sizes that they have.
//
// Every element of every output becomes a term over the elements of the inputs (nests/terms.h), by
// the nests of one operation after the other; constants are their values. An operation without
// nests is a function of which only the operands, the attributes and the place of the element are
// known. Equal terms are a proof; others say nothing.
#ifndef TESSERA_NESTS_EQUAL_H_
#define TESSERA_NESTS_EQUAL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "nests/terms.h"

namespace tessera::nests {

// The elements of one output, of which inputs are told by their position.
using OutputTerms = std::vector<Terms::Element>;

// Of every output. Errors: a size is a symbol, an index that is data is not known (Unavailable
// data), or there are more than `limit` terms (ResourceExhausted).
absl::StatusOr<std::vector<OutputTerms>> TermsOf(ir::Graph& graph, Terms& terms,
                                                 size_t limit = 400'000);

// The first elements that differ, as text; empty: all are equal.
std::string FirstDifference(const std::vector<OutputTerms>& a, const std::vector<OutputTerms>& b,
                            const Terms& terms);

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_EQUAL_H_
