// Networks of a few operations whose shapes depend on each other in ways that are right for some
// sizes and not for others.
#ifndef TESSERA_TESTING_NETS_RANDOM_NETWORK_H_
#define TESSERA_TESTING_NETS_RANDOM_NETWORK_H_

#include <cstdint>
#include <string>

namespace tessera::testing {

// A model in ONNX's text form; the same for the same seed. It need not be right for any size.
std::string RandomNetwork(uint64_t seed);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETS_RANDOM_NETWORK_H_
