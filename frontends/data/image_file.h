// PNG and JPEG files as tensors of pictures, and back.
#ifndef TESSERA_FRONTENDS_DATA_IMAGE_FILE_H_
#define TESSERA_FRONTENDS_DATA_IMAGE_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/dtype.h"
#include "ir/tensor.h"

namespace tessera::data {

// The picture in the file at `path` as a network wants it that takes `sizes` (nullopt: any) of
// `dtype`: [N, C, H, W] or [C, H, W] where the size at C is 1, 3 or 4, else [N, H, W, C] or
// [H, W, C] where the last one is; [H, W]: grey. N becomes 1. Floats run from 0 to 1, u8 from 0 to
// 255, both as the file has them, without a change of gamma; grey and colour are converted, and
// what is transparent lies on black where there is no fourth channel. 16 bits become 8. Whether it
// is a PNG or a JPEG file (DecodeJpeg) is seen from its bytes. Errors name the path: neither of
// them, cut off, of another size, sizes or a dtype that no picture has.
absl::StatusOr<ir::Tensor> ReadPicture(const std::string& path, ir::DType dtype,
                                       absl::Span<const std::optional<int64_t>> sizes);
// By its name: `.png`, `.jpg`, `.jpeg`, in any case.
bool IsPicture(std::string_view path);

// (value - mean) / deviation of a picture of floats; of each channel its own, or one number for
// all. Errors: neither one number nor as many as there are channels, a deviation that is not above
// 0, a picture of u8.
struct Scaling {
  std::vector<double> mean, deviation;  // empty: 0 and 1
};
absl::StatusOr<ir::Tensor> Scaled(const ir::Tensor& picture, const Scaling& scaling);

// The inverse of ReadPicture: the bytes of a PNG file, 8 bits a channel. Floats are cut off at 0
// and 1; NaN is 0. Errors: a shape that is none of the above with N = 1, or a dtype other than f16,
// f32, f64, u8.
absl::StatusOr<std::string> SerializePng(const ir::Tensor& tensor);

}  // namespace tessera::data

#endif  // TESSERA_FRONTENDS_DATA_IMAGE_FILE_H_
