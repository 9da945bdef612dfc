// Many instances of one op against one property.
#ifndef TESSERA_TESTING_SAMPLING_CAMPAIGN_H_
#define TESSERA_TESTING_SAMPLING_CAMPAIGN_H_

#include <cstdint>
#include <string>

#include "testing/sampling/agreement.h"
#include "testing/sampling/instance.h"

namespace tessera::testing {

struct Campaign {
  int instances = 0;
  Seen seen;
  std::string failure;  // of the first instance that fails, made small, as an example to paste
};

// The examples as they stand, and with weights, and `count` instances, or as many as there are;
// ends with the first failure. Where only values that are not finite make the difference, `seen`
// says so and it goes on.
Campaign Sample(const Subject& subject, const Property& property, uint64_t seed, int count);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_CAMPAIGN_H_
