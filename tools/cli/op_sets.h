// The op sets that the tools link.
#ifndef TESSERA_TOOLS_CLI_OP_SETS_H_
#define TESSERA_TOOLS_CLI_OP_SETS_H_

namespace tessera::cli {

// Adds them to ir::Registry::Global(); before any import.
void LinkOps();

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_OP_SETS_H_
