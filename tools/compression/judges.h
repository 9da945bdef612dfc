// Which samples tell how well a network was compressed, where a user does not say.
#ifndef TESSERA_TOOLS_COMPRESSION_JUDGES_H_
#define TESSERA_TOOLS_COMPRESSION_JUDGES_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/compression/run.h"

namespace tessera::tools {

struct ChosenJudges {
  Judges judges;
  std::string note;  // what their verdict is not worth; empty: nothing
};

// `evaluate`: a folder of samples for that; empty: they are of `request.data`, which must not be
// empty then. By a bound they decide, so that those that compression has fitted the network to
// would flatter it: a part of the samples is held out then (which changes the request), where there
// are enough. Errors of CountSamples.
absl::StatusOr<ChosenJudges> ChooseJudges(CompressionRequest& request, const std::string& evaluate,
                                          bool bounded);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_JUDGES_H_
