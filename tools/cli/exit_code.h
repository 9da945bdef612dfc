// What a tool's process returns, and how it says why.
#ifndef TESSERA_TOOLS_CLI_EXIT_CODE_H_
#define TESSERA_TOOLS_CLI_EXIT_CODE_H_

#include <iosfwd>
#include <string_view>

#include "absl/status/status.h"

namespace tessera::cli {

inline constexpr int kDone = 0;
inline constexpr int kBadInput = 1;  // also: a verification that did not hold
inline constexpr int kWrongUsage = 2;
inline constexpr int kNotProved = 3;  // nothing is wrong, but not all of it is proved either
inline constexpr int kOurBug = 70;    // EX_SOFTWARE of sysexits.h

// kOurBug for an internal error, kBadInput for any other.
int ExitCode(const absl::Status& status);

// Prints `PROGRAM: MESSAGE` to stderr, each further line of the message indented, and returns the
// exit code.
int Report(std::string_view program, const absl::Status& status);
int Report(std::string_view program, const absl::Status& status, std::ostream& err);

// `bazel run` starts a tool in its runfiles; paths on the command line are meant from where the
// user is. Call before touching a file.
void EnterInvokingFolder();

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_EXIT_CODE_H_
