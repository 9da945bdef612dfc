// As much compression as a bound on the error allows: the operations that cost most stay exact.
#ifndef TESSERA_TOOLS_COMPRESSION_ACCURACY_H_
#define TESSERA_TOOLS_COMPRESSION_ACCURACY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"

namespace tessera::tools {

struct Bounded {
  Compressed compressed;
  std::vector<Quality> qualities;
  std::vector<std::string> left_exact;  // addresses, the most expensive first
};

// The median SNR of every output over the samples in `data` is at least `least_snr` dB. If it is
// not when all is compressed, each operation is quantized alone, on a few samples, and of those
// with the largest effect as few stay exact as it takes. Algorithms without `ignored_scopes` are
// left as they are. Error (FailedPrecondition): it is not reached even with all of them exact.
absl::StatusOr<Bounded> CompressWithin(const CompressionRequest& request,
                                       const CompressionConfiguration& configuration,
                                       const std::string& data, double least_snr);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_ACCURACY_H_
