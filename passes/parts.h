// The parts of a graph, of which each pass says which it goes by and which it may change.
#ifndef TESSERA_PASSES_PARTS_H_
#define TESSERA_PASSES_PARTS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "ir/graph.h"

namespace tessera::passes {

// Any of them, as bits. Names, types and number of inputs and outputs are no part: they are what a
// user was promised, and no pass writes them.
using Parts = uint8_t;
inline constexpr Parts kNoParts = 0;
inline constexpr Parts kLinks = 1;      // which operations there are, and whose results they take
inline constexpr Parts kOperators = 2;  // what they are, with their attributes
inline constexpr Parts kTypes = 4;      // element types
inline constexpr Parts kConstants = 8;  // values of constants
inline constexpr Parts kSizes = 16;     // what is known of sizes
// All that stands in the graph itself.
inline constexpr Parts kContents = kLinks | kOperators | kTypes | kConstants;
inline constexpr Parts kAllParts = kContents | kSizes;

// `links, constants`; `all`; `nothing`.
std::string NamesOf(Parts parts);

struct Effects {
  Parts reads = kNoParts, writes = kNoParts;
};

// What a graph has of the parts that a pass is not to write. Operators, element types and constants
// count as written where there is one that was not there before: what only takes away, or shares,
// writes links.
class Unwritten {
 public:
  // Of a graph that is as it was when `same` was made; null: none was.
  Unwritten(const ir::Graph& graph, Parts writes, const Unwritten* same = nullptr);

  // Of the same graph, after it was changed. Internal: it was in one of these parts; names what is
  // new, and where it is.
  absl::Status Check(const ir::Graph& after) const;

 private:
  // Shared by those that were made of the same graph.
  struct Before {
    std::string signature, sizes;
    size_t symbols;
    // Of the contents, where one that was made is not to write some of them.
    bool listed = false;
    absl::flat_hash_set<std::string> operators, constants;
    absl::flat_hash_set<int> types;
  };
  static void List(const ir::Graph& graph, Before& before);

  Parts writes_;
  std::shared_ptr<Before> before_;
};

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_PARTS_H_
