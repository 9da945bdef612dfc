// The protobuf wire format (https://protobuf.dev/programming-guides/encoding), read field by field
// without interpreting contents.
#ifndef TESSERA_FRONTENDS_ONNX_WIRE_H_
#define TESSERA_FRONTENDS_ONNX_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::onnx_import {

enum class WireType : uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroupBegin = 3,
  kGroupEnd = 4,
  kFixed32 = 5,
};

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  size_t offset = 0;                  // of the tag, from the start of the file
  absl::Span<const uint8_t> whole;    // tag, length and content
  absl::Span<const uint8_t> content;  // of kBytes
};

// Reads the fields of one message. Nothing outside `message` is ever looked at, and of a field of
// kBytes only its header.
class WireReader {
 public:
  // `offset` is where `message` begins in the file; only error texts use it.
  WireReader(absl::Span<const uint8_t> message, size_t offset) : rest_(message), offset_(offset) {}

  bool done() const { return rest_.empty(); }
  // Errors: a field that runs past the message's end, a malformed varint or tag, a group (no ONNX
  // message has one).
  absl::StatusOr<WireField> Next();

 private:
  absl::Span<const uint8_t> rest_;
  size_t offset_;
};

size_t VarintSize(uint64_t value);
void AppendVarint(uint64_t value, std::string& out);
inline uint64_t Tag(uint32_t number, WireType type) {
  return uint64_t{number} << 3 | static_cast<uint64_t>(type);
}

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_WIRE_H_
