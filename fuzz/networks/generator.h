// Random networks from the definitions alone: every op that has one can occur, and no op is known
// here.
#ifndef TESSERA_FUZZ_NETWORKS_GENERATOR_H_
#define TESSERA_FUZZ_NETWORKS_GENERATOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "fuzz/networks/recipe.h"
#include "testing/sampling/instance.h"
#include "testing/sampling/random.h"
#include "testing/sampling/sampler.h"

namespace tessera::fuzz {

class Generator {
 public:
  // `subjects` must outlive it. A network has at most `symbols` (0 to 4) sizes that are not known.
  explicit Generator(const std::vector<testing::Subject>& subjects, int symbols = 3)
      : subjects_(subjects), symbols_(symbols) {}

  // A network that is legal at all sizes that its symbols admit, as the expressions alone show, of
  // at most `steps` steps, with skip connections; the same for the same seed.
  Recipe Make(uint64_t seed, int steps);

 private:
  class Growth;

  const std::vector<testing::Subject>& subjects_;
  const int symbols_;
};

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_NETWORKS_GENERATOR_H_
