// Arrays one behind the other, as repeated calls of `numpy.save` write them into one file.
#ifndef TESSERA_SUPPORT_NPY_STREAM_H_
#define TESSERA_SUPPORT_NPY_STREAM_H_

#include <istream>
#include <optional>

#include "absl/status/statusor.h"
#include "ir/tensor.h"

namespace tessera::support {

// The next one; nullopt at the end. Nothing behind it is read, so that a pipe's next array is
// waited for by the next call alone. Errors: as of ParseNpy, and an array that is cut off.
absl::StatusOr<std::optional<ir::Tensor>> ReadNpy(std::istream& in);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_NPY_STREAM_H_
