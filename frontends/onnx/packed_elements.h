// Elements of fewer than eight bits, as onnx.proto has them: several to a byte, the first in the
// lowest bits, the last byte filled up.
#ifndef TESSERA_FRONTENDS_ONNX_PACKED_ELEMENTS_H_
#define TESSERA_FRONTENDS_ONNX_PACKED_ELEMENTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/dtype.h"
#include "ir/tensor.h"

namespace tessera::onnx_import {

// In a file; 8 or more: as in memory.
int BitsInFile(ir::DType dtype);
// Of `count` elements in a file.
int64_t BytesInFile(ir::DType dtype, int64_t count);

// `packed` has BytesInFile of the shape's element count. Error: too large a shape.
absl::StatusOr<ir::Tensor> Unpacked(ir::DType dtype, std::vector<int64_t> dims,
                                    absl::Span<const uint8_t> packed);
// The other way: the bytes of a tensor of any type as a file has them.
std::vector<uint8_t> Packed(const ir::Tensor& tensor);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_PACKED_ELEMENTS_H_
