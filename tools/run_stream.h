// `run --stream`: what an artifact yields for one part of a stream after the other.
#ifndef TESSERA_TOOLS_RUN_STREAM_H_
#define TESSERA_TOOLS_RUN_STREAM_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "targets/target.h"

namespace tessera {

// What stands for standard input and output.
inline constexpr char kStandardStream[] = "-";

struct StreamFiles {
  std::string model;
  // Of each input, in the order in which they come: `-`, .npy files of any number of arrays, or
  // what else ReadInput knows. Of several inputs from standard input each run takes one array in
  // turn.
  std::map<std::string, std::vector<std::string>> sources;
  std::map<std::string, std::string> sinks;  // `-` or .npy files
  std::string folder;                        // of a file OUTPUT.npy for every output; empty: none
};

// That what is read and written fits the artifact and each other; wrong usage otherwise.
absl::Status CheckStream(const targets::Executable& executable, const StreamFiles& files);

// Reads one array of every input for each run until there are no more, and writes one array of
// every output for each run and one for what comes late, as soon as it is known. Then it shows the
// outputs in a table. Returns the number of runs. Errors: arrays that do not fit, inputs that end
// at different times; what was written until then stays.
absl::StatusOr<int64_t> RunStream(targets::Executable& executable, const StreamFiles& files);

}  // namespace tessera

#endif  // TESSERA_TOOLS_RUN_STREAM_H_
