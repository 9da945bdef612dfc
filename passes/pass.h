// A pass is a function over a graph, with a declaration of what it is. A pipeline is a list of
// them.
#ifndef TESSERA_PASSES_PASS_H_
#define TESSERA_PASSES_PASS_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/invariant.h"
#include "passes/parts.h"

namespace tessera::passes {

enum class Phase : uint8_t {
  kImport,
  kDecompose,
  kCanonicalize,
  kLegalize,
  kOptimize,
  kQuantize,
  kFinalLegalize,
  kEmit
};

// What a pass may do to results. Other than kExact: it has a toggle in the configuration.
enum class Numerics : uint8_t {
  kExact,
  kLastBits,   // sums and products in another order, folded constants
  kPrecision,  // another type of numbers: the user is told when it did something
};

struct PassResult {
  bool changed = false;
  int64_t rewrites = 0;  // how many changes of the kind that the pass makes
  int64_t assuming = 0;  // how many of these assume that all numbers are finite
  // How many of them are rewrites that apply only on request, by name.
  std::map<std::string, int64_t> requested;
  // Whether it changed anything is not said: its runner compares the graph anyway.
  bool unsure = false;
};

// What constants may grow by when they are folded, if nothing else is said: bytes.
inline constexpr int64_t kFoldingGrowth = int64_t{64} << 20;

// What one run of a pipeline shares between its passes.
struct PassContext {
  int64_t rewrites_left = std::numeric_limits<int64_t>::max();  // --bisect-limit
  bool trace_matches = false;                                   // print each rewrite that applies
  bool strict_floats = false;  // nothing that assumes that all numbers are finite
  int64_t assuming = 0;        // lowerings so far that assume it
  // Rewrites by name: those that apply only on request and are asked for, and those left out.
  std::set<std::string, std::less<>> requested, without;
  uint64_t shuffle_seed = 0;  // other than 0: the worklist's order is shuffled (tests)
  // By how many bytes folding may still make the constants more than they were (fold.h).
  int64_t folding_growth_left = kFoldingGrowth;
};

struct Pass {
  // Of one pass, wherever it stands: what left a graph as it was is not run on it again.
  std::string name;
  std::string doc;  // one line
  Phase phase;
  Numerics numerics;
  Effects effects;  // what it goes by and what it may change (parts.h)
  std::function<absl::StatusOr<PassResult>(ir::Graph&, PassContext&)> run;
  // What must hold before it, what holds after it, and what may no longer (invariant.h). What it
  // does not break it keeps.
  std::vector<const Invariant*> needs = {}, establishes = {}, breaks = {};
};

using Pipeline = std::vector<Pass>;

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_PASS_H_
