#include "frontends/onnx/page_release.h"

#include <memory>
#include <string_view>
#include <utility>

#include "support/mapped_pages.h"

namespace tessera::onnx_import {

support::MappedFile WithPageRelease(support::MappedFile part) {
  const absl::Span<const uint8_t> bytes = part.bytes;
  std::shared_ptr<const void> owner(
      bytes.data(), [map = std::move(part.owner), bytes](const void*) {
        support::ForgetPages({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      });
  return {std::move(owner), bytes};
}

}  // namespace tessera::onnx_import
