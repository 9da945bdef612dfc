#include "frontends/data/npz_file.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/npy.h"

namespace tessera::data {
namespace {

// The records of the ZIP format (APPNOTE.TXT 4.3), little-endian.
constexpr uint32_t kEnd = 0x06054b50, kEntry = 0x02014b50, kLocal = 0x04034b50;
constexpr size_t kEndSize = 22, kEntrySize = 46, kLocalSize = 30, kMostComment = 65535;
constexpr std::string_view kSuffix = ".npy";
constexpr uint32_t kIn64Bits = 0xffffffff;

uint32_t Number(std::string_view bytes, size_t at, size_t size) {
  uint32_t number = 0;
  for (size_t i = size; i-- > 0;)
    number = (number << 8) | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

std::array<uint32_t, 256> Remainders() {
  std::array<uint32_t, 256> table;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? 0xedb88320 : 0);
    table[byte] = remainder;
  }
  return table;
}

uint32_t Checksum(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = Remainders();
  uint32_t remainder = 0xffffffff;
  for (const char c : bytes)
    remainder = (remainder >> 8) ^ table[(remainder ^ static_cast<unsigned char>(c)) & 255];
  return ~remainder;
}

std::optional<size_t> FindEnd(std::string_view bytes) {
  if (bytes.size() < kEndSize) return std::nullopt;
  const size_t last = bytes.size() - kEndSize;
  for (size_t back = 0; back <= std::min(last, kMostComment); ++back) {
    if (Number(bytes, last - back, 4) == kEnd) return last - back;
  }
  return std::nullopt;
}

absl::Status Wrong(const char* why) {
  return absl::InvalidArgumentError(absl::StrCat("no .npz file: ", why));
}

// The bytes of the member that the entry at `at` describes.
absl::StatusOr<std::string_view> Member(std::string_view bytes, size_t at,
                                        const std::string& name) {
  const auto within = [&](const char* why) {
    return absl::InvalidArgumentError(absl::StrCat("`", name, "` ", why));
  };
  const uint32_t flags = Number(bytes, at + 8, 2), method = Number(bytes, at + 10, 2);
  const uint32_t checksum = Number(bytes, at + 16, 4), packed = Number(bytes, at + 20, 4);
  const uint32_t size = Number(bytes, at + 24, 4), local = Number(bytes, at + 42, 4);
  if (packed == kIn64Bits || size == kIn64Bits || local == kIn64Bits)
    return within("has more than 4 GB");
  if ((flags & 1) != 0) return within("is encrypted");
  if (method != 0 || packed != size)
    return within("is compressed: write it by `numpy.savez`, not `savez_compressed`");
  if (size_t{local} + kLocalSize > bytes.size() || Number(bytes, local, 4) != kLocal)
    return within("is not where the archive says");
  const size_t begin =
      size_t{local} + kLocalSize + Number(bytes, local + 26, 2) + Number(bytes, local + 28, 2);
  if (begin > bytes.size() || size > bytes.size() - begin) return within("is cut off");
  const std::string_view content = bytes.substr(begin, size);
  if (Checksum(content) != checksum) return within("is damaged: its checksum is another");
  return content;
}

}  // namespace

absl::StatusOr<std::vector<StoredTensor>> ParseNpz(std::string_view bytes) {
  const std::optional<size_t> end = FindEnd(bytes);
  if (!end) return Wrong("it has no end of an archive");
  const uint32_t count = Number(bytes, *end + 10, 2);
  size_t at = Number(bytes, *end + 16, 4);
  std::vector<StoredTensor> tensors;
  for (uint32_t i = 0; i < count; ++i) {
    if (at > *end || *end - at < kEntrySize || Number(bytes, at, 4) != kEntry)
      return Wrong("its directory is cut off");
    const size_t length = Number(bytes, at + 28, 2);
    const size_t whole =
        kEntrySize + length + Number(bytes, at + 30, 2) + Number(bytes, at + 32, 2);
    if (whole > *end - at) return Wrong("its directory is cut off");
    std::string name(bytes.substr(at + kEntrySize, length));
    const absl::StatusOr<std::string_view> member = Member(bytes, at, name);
    if (!member.ok()) return member.status();
    absl::StatusOr<ir::Tensor> tensor = support::ParseNpy(*member);
    if (!tensor.ok())
      return absl::Status(tensor.status().code(),
                          absl::StrCat("`", name, "`: ", tensor.status().message()));
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
    tensors.push_back({std::move(name), *std::move(tensor)});
    at += whole;
  }
  return tensors;
}

absl::StatusOr<std::vector<StoredTensor>> ReadNpz(const std::string& path) {
  const absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<std::vector<StoredTensor>> tensors = ParseNpz(*bytes);
  if (!tensors.ok())
    return absl::Status(tensors.status().code(),
                        absl::StrCat("`", path, "`: ", tensors.status().message()));
  return tensors;
}

}  // namespace tessera::data
