// Networks that tests share.
#ifndef TESSERA_TESTING_NETS_CORPUS_H_
#define TESSERA_TESTING_NETS_CORPUS_H_

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "onnx/onnx_pb.h"

namespace tessera::testing {

struct Network {
  std::string name;
  std::string truth;  // all, some, none; empty: not known
  onnx::ModelProto model;

  friend void PrintTo(const Network& network, std::ostream* out) { *out << network.name; }
};

// Those of testdata/nets.
std::vector<Network> WrittenNetworks();
// ONNX's own tests of single nodes whose dims can be made symbols: one for each size, and one for
// each dim.
std::vector<Network> NodeTests();
std::vector<Network> RandomNetworks(uint64_t count);

// Random loops and choices (random_loops.h), right for all sizes.
std::vector<Network> LoopNetworks(uint64_t count);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETS_CORPUS_H_
