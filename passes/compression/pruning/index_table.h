// Where a nest writes and reads, position by position: for each axis of each tensor that it names,
// the index as a table over each of the nest's symbols alone.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_INDEX_TABLE_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_INDEX_TABLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nests/nest.h"

namespace tessera::compression {

struct IndexTable {
  struct Symbol {
    std::string name;
    bool reduced = false;          // of a reduction; else of the nest
    bool sum_of_products = false;  // of a reduction: a sum, each term a product of several reads
    bool counts = false;           // its value is computed with
  };
  struct Access {
    nests::TensorId tensor;
    // By axis, of the symbols along which the index varies: the index at each value; -1 where this
    // is not read.
    std::vector<std::map<std::string, std::vector<int64_t>>> along;
    std::vector<bool> mixed;  // by axis: what is read at one value depends on others, or on data
    // By axis, where two symbols together say what is read, and nothing else does: of one of them,
    // at each of its values, the run of entries [first, last] that the other goes through. Runs are
    // the same or have nothing in common (groups of channels).
    using Run = std::pair<int64_t, int64_t>;
    std::vector<std::map<std::string, std::vector<Run>>> runs;
    // By axis, where several symbols together count all of its entries, as the digits of a number
    // do: these symbols, the one with the largest steps first.
    std::vector<std::vector<std::string>> digits;
  };
  std::vector<Symbol> symbols;
  std::vector<Access> accesses;  // what is written, then what is read
};

// Sizes that are not known are taken as small ones. Nullopt: they cannot be, or the nest is too
// large.
std::optional<IndexTable> TabulateIndices(const nests::Nest& nest,
                                          const nests::Computation& computation);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_INDEX_TABLE_H_
