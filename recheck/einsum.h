// Sums of products by named indices.
#ifndef TESSERA_RECHECK_EINSUM_H_
#define TESSERA_RECHECK_EINSUM_H_

#include <optional>
#include <string>
#include <vector>

#include "recheck/node.h"
#include "recheck/session.h"
#include "recheck/value.h"

namespace tessera::recheck {

// What the node makes of its inputs by `equation`, one result. Nothing: the session knows why.
std::optional<std::vector<TensorPtr>> DeriveEinsum(Session& session, const NodeContext& context,
                                                   const std::string& equation);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_EINSUM_H_
