// The commands of `tessera`.
#ifndef TESSERA_PACKAGING_COMMANDS_H_
#define TESSERA_PACKAGING_COMMANDS_H_

#include "absl/types/span.h"

namespace tessera::packaging {

struct Command {
  const char* name;
  int (*main)(int argc, char** argv);
};

// In the order in which users see them; generated from //tools:tool.bzl.
absl::Span<const Command> Commands();

}  // namespace tessera::packaging

#endif  // TESSERA_PACKAGING_COMMANDS_H_
