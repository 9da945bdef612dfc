// Changes of zip archives: of their entries, and of what their directory says.
#ifndef TESSERA_FUZZ_TARGETS_ARCHIVE_MUTATION_H_
#define TESSERA_FUZZ_TARGETS_ARCHIVE_MUTATION_H_

#include <string>
#include <vector>

#include "testing/sampling/random.h"

namespace tessera::fuzz {

// One change: texts get other tokens, archives within the archive are changed in turn. Of what is
// no archive, other bytes.
std::string WithOtherEntries(const std::string& archive, const std::vector<std::string>& words,
                             testing::Random& random);

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_TARGETS_ARCHIVE_MUTATION_H_
