// Regular expressions over addresses.
#ifndef TESSERA_PASSES_COMPRESSION_SCOPES_EXPRESSION_H_
#define TESSERA_PASSES_COMPRESSION_SCOPES_EXPRESSION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tessera::compression {

// Whether the expression (ECMAScript) is found in each of the subjects. Error: it is none, or so
// long that to look for it would take more memory than there is.
absl::StatusOr<std::vector<bool>> FoundIn(const std::string& expression,
                                          const std::vector<std::string>& subjects);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_SCOPES_EXPRESSION_H_
