// Types of numbers and of elements as GLSL has them.
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_TYPES_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_TYPES_H_

#include <string>
#include <string_view>

#include "ir/dtype.h"
#include "nests/scalar.h"

namespace tessera::vulkan {

// What numbers are computed in: float, double, int64_t, uint64_t, bool.
std::string_view TypeOf(nests::Number number);
// What a buffer's elements are.
std::string_view StorageOf(ir::DType dtype);
// What they are where they are written: devices may round towards f16 as they like, so that we do.
std::string_view WrittenStorageOf(ir::DType dtype);

std::string LiteralOf(const nests::Value& value);
// `text` of one type as another: floats towards integers truncate and saturate, integers wrap,
// towards bool what is not 0 is true.
std::string Converted(nests::Number from, nests::Number to, const std::string& text);
// An element as it is read, and a number as it is stored.
std::string Widened(ir::DType dtype, nests::Number number, const std::string& element);
std::string Narrowed(nests::Number number, ir::DType dtype, const std::string& text);

// The `#extension` lines for the types that `text` names, and the bits of tvk_feature that it
// needs of a device.
struct Needs {
  std::string extensions;
  unsigned features = 0;
};
Needs NeedsOf(std::string_view text);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_TYPES_H_
