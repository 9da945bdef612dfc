// Changes of Circle files, table by table.
#ifndef TESSERA_FUZZ_TARGETS_CIRCLE_MUTATION_H_
#define TESSERA_FUZZ_TARGETS_CIRCLE_MUTATION_H_

#include <string>

#include "testing/sampling/random.h"

namespace tessera::fuzz {

// A file whose operators, tensors, buffers or lists differ in a few places; the file itself need
// not be one that is accepted. Bytes that are no Circle file change as bytes.
std::string MutatedCircle(const std::string& bytes, testing::Random& random);

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_TARGETS_CIRCLE_MUTATION_H_
