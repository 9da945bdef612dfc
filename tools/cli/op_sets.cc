#include "tools/cli/op_sets.h"

#include "ir/registry.h"

// Defined by generated code.
namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::cli {

void LinkOps() { ir::Registry::Global().Add(ops::CoreOps()); }

}  // namespace tessera::cli
