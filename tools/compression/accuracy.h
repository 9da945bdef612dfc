// As much compression as a bound on the error allows: the operations that cost most stay exact.
#ifndef TESSERA_TOOLS_COMPRESSION_ACCURACY_H_
#define TESSERA_TOOLS_COMPRESSION_ACCURACY_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

namespace tessera::tools {

// An operation that was given back.
struct LeftExact {
  std::string scope;
  double alone = 0;   // what is measured with nothing but this compressed, in the bound's dB
  int64_t bytes = 0;  // by which its constants are larger for that
};

struct Bounded {
  Compressed compressed;
  std::vector<Quality> qualities;
  std::vector<LeftExact> left_exact;  // the most expensive first
  size_t candidates = 0;              // operations that could be left exact, where that was asked
  size_t smallest = 0;                // bytes of the model with all compressed
  double reached = 0, with_all = 0;   // in the bound's dB
  int level = 0;                      // in sixteenths, of what has a schedule
  std::vector<std::string> levels;    // what that is: `filter_pruning: 0.15 of 0.3`
  // What was given back and what that costs, a line each.
  std::vector<std::string> Summary(const Bound& bound) const;
};

// What the worst of the outputs has of what a bound is about, dB.
double MeasureOf(Bound::Kind kind, const std::vector<Quality>& qualities);

// The outputs keep to the bound over the samples that judge. If they do not when all is compressed,
// what has a schedule is lowered, by bisection, to the highest level at which they do; if there is
// none above 0, or nothing has a schedule,
// each operation is compressed alone, on a few
// samples, and of those with the largest effect as few stay exact as it takes. Algorithms without
// `ignored_scopes` are left as they are. `tell` is told what has been measured.
// Error (FailedPrecondition): the bound is not met even with all of them exact.
absl::StatusOr<Bounded> CompressWithin(const CompressionRequest& request,
                                       const CompressionConfiguration& configuration,
                                       const Bound& bound, const Judges& judges,
                                       const std::function<void(const std::string&)>& tell);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_ACCURACY_H_
