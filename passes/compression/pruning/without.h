// Whether a file of which entries are gone is read as the network without them: what nodes make of
// sizes, and what stands in their attributes (heads, counts, scales), shows there and nowhere else.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_WITHOUT_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_WITHOUT_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "passes/compression/builder.h"
#include "passes/compression/pruning/removal.h"

namespace tessera::compression {

struct Stays {
  std::map<size_t, std::string> groups;  // and why
  bool recounts = false;                 // with which the others can go (RemovalOf)
};

// Of groups of entries, those that cannot go. `choose` says what goes of the groups [first, last).
// Each change is tried on the file, if that is possible.
Stays WhatStays(const BuildContext& context, size_t groups,
                const std::function<Removed(size_t first, size_t last)>& choose,
                const std::string& algorithm);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_WITHOUT_H_
