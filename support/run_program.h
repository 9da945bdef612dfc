// Other programs, run to their end.
#ifndef TESSERA_SUPPORT_RUN_PROGRAM_H_
#define TESSERA_SUPPORT_RUN_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tessera::support {

// The exit code of `command`, a program by its path or by its name in `PATH`, and its arguments;
// both of its outputs are in the file `log`. -1: it was ended by a signal. Error
// (FailedPrecondition): it could not be started.
absl::StatusOr<int> RunProgram(std::vector<std::string> command, const std::string& log);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_RUN_PROGRAM_H_
