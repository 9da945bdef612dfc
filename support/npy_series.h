// Tensors in files with numbers.
#ifndef TESSERA_SUPPORT_NPY_SERIES_H_
#define TESSERA_SUPPORT_NPY_SERIES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/tensor.h"

namespace tessera::support {

// Those of `prefix`0.npy, `prefix`1.npy and so on, up to the first that is not there. Error: one
// cannot be read.
absl::StatusOr<std::vector<ir::Tensor>> ReadNpySeries(const std::string& prefix);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_NPY_SERIES_H_
