// The version that an operator of a file states, by schema/operator_versions.txt.
#ifndef TESSERA_TARGETS_CIRCLE_EMISSION_VERSIONS_H_
#define TESSERA_TARGETS_CIRCLE_EMISSION_VERSIONS_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "ir/operation.h"

namespace tessera::circle {

// Where nothing is asked of the operator; nullopt for one that the table does not have.
std::optional<int> PlainVersion(absl::string_view name);

// What `op` asks for: the version that its definition states, where nothing is asked or the table
// does not have it. `op` has a code.
int VersionOf(const ir::Operation& op);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_EMISSION_VERSIONS_H_
