// Networks of loops, choices and operations between them, which take each other's results and share
// their own: that is where runtimes lose what they hold.
#ifndef TESSERA_TESTING_NETS_RANDOM_LOOPS_H_
#define TESSERA_TESTING_NETS_RANDOM_LOOPS_H_

#include <cstdint>
#include <string>

namespace tessera::testing {

// A model in ONNX's text form, right for all sizes; the same for the same seed. Its loops are as
// long as its input, of which nothing is known.
std::string RandomLoops(uint64_t seed);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETS_RANDOM_LOOPS_H_
