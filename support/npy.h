// NumPy's .npy files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
#ifndef TESSERA_SUPPORT_NPY_H_
#define TESSERA_SUPPORT_NPY_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/tensor.h"

namespace tessera::support {

// Versions 1 to 3, either byte order, C order (a Fortran-ordered array only where the order makes
// no difference). `V2` is bf16, as ml_dtypes writes it. Errors: not a .npy file, malformed header,
// an element type without counterpart, contents of another size than the shape says.
absl::StatusOr<ir::Tensor> ParseNpy(std::string_view bytes);

// How many bytes the first ones of a file, which are kNpyStart of them at least, say that it has
// before its elements; and how many it has in all, as those say. Errors: as of ParseNpy.
inline constexpr size_t kNpyStart = 12;
absl::StatusOr<size_t> NpyHeaderSize(std::string_view begin);
absl::StatusOr<size_t> NpySize(std::string_view header);

// Version 1, little-endian, C order. Of narrow types, which the format has no codes for, the
// values: integers as i8 or u8, floats as f32.
std::string SerializeNpy(const ir::Tensor& tensor);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_NPY_H_
