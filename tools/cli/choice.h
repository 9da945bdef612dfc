// Values that are one of a few names.
#ifndef TESSERA_TOOLS_CLI_CHOICE_H_
#define TESSERA_TOOLS_CLI_CHOICE_H_

#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

// What is wrong with the value of `flag` (`--runtime`), for WrongUsage: the choices, and the one
// that was probably meant. Empty: it is one of them.
std::string NotOneOf(std::string_view flag, std::string_view value,
                     const std::vector<std::string>& choices);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_CHOICE_H_
