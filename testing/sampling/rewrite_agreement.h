// Both sides of a rewrite on graphs that nobody wrote: those that its pattern matches.
//
// From the example that the definition gives, by edits of the leaves, of the attributes that the
// pattern names, and of those that it does not mention; leaves are constants or inputs, and what is
// between may have other users. Guards are not asked for: where the rewrite applies, its sides must
// agree, and where it does not, the conjunct that refused is noted.
#ifndef TESSERA_TESTING_SAMPLING_REWRITE_AGREEMENT_H_
#define TESSERA_TESTING_SAMPLING_REWRITE_AGREEMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/support/examples.h"
#include "codegen/support/signatures.h"
#include "testing/sampling/agreement.h"

namespace tessera::testing {

struct RewriteCampaign {
  int graphs = 0;  // that were legal
  int fired = 0;
  int without_values = 0;    // graphs that the reference refuses for their values
  std::vector<int> missed;   // per conjunct of the guard: graphs that it refused
  bool finite_only = false;  // sides differ where a value is not finite, or too large
  std::string failure;
};

RewriteCampaign SampleRewrite(const ops::Signature& signature, const ops::RewriteExample& example,
                              uint64_t seed, int count);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_REWRITE_AGREEMENT_H_
