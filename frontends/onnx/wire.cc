#include "frontends/onnx/wire.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::onnx_import {
namespace {

// Advances `bytes` past one varint; nullopt if it is cut off or longer than 64 bits.
std::optional<uint64_t> TakeVarint(absl::Span<const uint8_t>& bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size() && i < 10; ++i) {
    uint64_t bits = bytes[i] & 0x7f;
    if (i == 9 && bits > 1) return std::nullopt;
    value |= bits << (7 * i);
    if ((bytes[i] & 0x80) == 0) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

absl::Status Malformed(size_t offset, absl::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("byte ", offset, ": ", reason));
}

}  // namespace

absl::StatusOr<WireField> WireReader::Next() {
  const absl::Span<const uint8_t> start = rest_;
  WireField field;
  field.offset = offset_;
  std::optional<uint64_t> tag = TakeVarint(rest_);
  if (!tag) return Malformed(offset_, "the tag of a field is cut off or too long");
  if (*tag > UINT32_MAX || *tag >> 3 == 0) {
    return Malformed(offset_, absl::StrCat("tag ", *tag, " names no field"));
  }
  field.number = static_cast<uint32_t>(*tag >> 3);
  field.type = static_cast<WireType>(*tag & 7);
  size_t size = 0;  // of the content
  switch (field.type) {
    case WireType::kVarint: {
      if (!TakeVarint(rest_)) {
        return Malformed(
            offset_, absl::StrCat("the number in field ", field.number, " is cut off or too long"));
      }
      break;
    }
    case WireType::kFixed64:
      size = 8;
      break;
    case WireType::kFixed32:
      size = 4;
      break;
    case WireType::kBytes: {
      std::optional<uint64_t> length = TakeVarint(rest_);
      if (!length) {
        return Malformed(
            offset_, absl::StrCat("the length of field ", field.number, " is cut off or too long"));
      }
      if (*length > rest_.size()) {
        return Malformed(offset_, absl::StrCat("field ", field.number, " claims ", *length,
                                               " bytes, ", rest_.size(), " are left"));
      }
      size = static_cast<size_t>(*length);
      field.content = rest_.first(size);
      break;
    }
    default:
      return Malformed(offset_, absl::StrCat("field ", field.number, " has wire type ", *tag & 7));
  }
  if (size > rest_.size()) {
    return Malformed(offset_, absl::StrCat("field ", field.number, " takes ", size, " bytes, ",
                                           rest_.size(), " are left"));
  }
  rest_.remove_prefix(size);
  field.whole = start.first(start.size() - rest_.size());
  offset_ += field.whole.size();
  return field;
}

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  while (value >>= 7) ++size;
  return size;
}

void AppendVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

}  // namespace tessera::onnx_import
