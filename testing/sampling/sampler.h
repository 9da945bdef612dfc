// Legal instances of one op.
//
// They come from those that the definition gives as examples, by edits that follow the signature: a
// named dim changes wherever it is named, an axis of a pack comes or goes in every operand and list
// that has the pack, a type variable takes another dtype. What inference accepts and the kernel
// computes is legal, and may be edited on; so the samples walk away from the examples.
#ifndef TESSERA_TESTING_SAMPLING_SAMPLER_H_
#define TESSERA_TESTING_SAMPLING_SAMPLER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "testing/sampling/edits.h"
#include "testing/sampling/instance.h"
#include "testing/sampling/random.h"
#include "testing/sampling/values.h"

namespace tessera::testing {

class Sampler {
 public:
  // The same samples for the same seed, whatever other ops there are.
  Sampler(const Subject& subject, uint64_t seed);

  // Null where none of many proposals was legal.
  std::optional<Instance> Next();

  int64_t proposals() const { return proposals_; }

 private:
  bool Finish(Instance& instance);

  const Subject& subject_;
  Random random_;
  Editor editor_;
  std::vector<Instance> examples_, pool_;
  std::vector<ir::DTypeSet> dtypes_;
  int64_t proposals_ = 0;
};

// Positions are counted along an axis; an integer that an op computes with may be any.
bool IsPositions(const Subject& subject, size_t operand);
// Of few axes and few elements, so that many instances are looked at in a second.
bool IsSmall(const std::vector<int64_t>& shape);
// No operand is large.
bool IsSmall(const Instance& instance);
// Inference accepts it, and no result is large either.
bool IsLegal(const Subject& subject, const Instance& instance);
// The reference has values for it: indices lie inside, what the definition asks of elements holds,
// and what a builder expands to is legal.
bool HasValues(const Subject& subject, const Instance& instance);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_SAMPLER_H_
