// Where an operation came from: the importing node and its module scope; merged when operations are
// rewritten.
#ifndef TESSERA_IR_LOCATION_H_
#define TESSERA_IR_LOCATION_H_

#include <string>
#include <vector>

#include "absl/types/span.h"

namespace tessera::ir {

struct Location {
  // e.g. `SimpleModule/Conv2d[submodule1]/conv2d_0`; several after a merge, up to a bound
  std::vector<std::string> scopes;

  static Location Of(std::string scope) { return Location{{std::move(scope)}}; }
  // The union, in order of first appearance.
  static Location Merge(absl::Span<const Location* const> locations);
  std::string ToString() const;  // joined by ` + `
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_LOCATION_H_
