#include "recheck/archive.h"

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tessera::recheck {
namespace {

constexpr absl::string_view kLocal = "PK\x03\x04", kCentral = "PK\x01\x02", kEnd = "PK\x05\x06",
                            kEnd64 = "PK\x06\x06", kLocator64 = "PK\x06\x07";
constexpr size_t kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20, kCentralSize = 46,
                 kLocalSize = 30;
constexpr uint64_t kIn64 = 0xffffffff;  // a field that stands in the extension for large files

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("no archive that can be read: ", what));
}

// Little endian; beyond the end: 0.
uint64_t At(absl::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = size; i-- > 0;)
    value = value << 8 | (at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0);
  return value;
}

struct Directory {
  uint64_t at = 0, entries = 0;
};

absl::StatusOr<Directory> FindDirectory(absl::string_view bytes) {
  const size_t end = bytes.rfind(kEnd);
  if (end == absl::string_view::npos || bytes.size() - end < kEndSize)
    return Wrong("it has no directory");
  Directory directory{At(bytes, end + 16, 4), At(bytes, end + 10, 2)};
  if (end < kLocatorSize || !absl::StartsWith(bytes.substr(end - kLocatorSize), kLocator64))
    return directory;
  const uint64_t large = At(bytes, end - kLocatorSize + 8, 8);
  if (large > bytes.size() || bytes.size() - large < kEnd64Size ||
      !absl::StartsWith(bytes.substr(large), kEnd64))
    return Wrong("its directory is not where it says");
  return Directory{At(bytes, large + 48, 8), At(bytes, large + 32, 8)};
}

}  // namespace

bool IsArchive(absl::string_view bytes) { return absl::StartsWith(bytes, kLocal); }

absl::StatusOr<std::map<std::string, absl::string_view>> EntriesOf(absl::string_view bytes) {
  const absl::StatusOr<Directory> directory = FindDirectory(bytes);
  if (!directory.ok()) return directory.status();
  std::map<std::string, absl::string_view> entries;
  uint64_t at = directory->at;
  for (uint64_t n = 0; n < directory->entries; ++n) {
    if (at > bytes.size() || bytes.size() - at < kCentralSize ||
        !absl::StartsWith(bytes.substr(at), kCentral))
      return Wrong("its directory ends early");
    const uint64_t method = At(bytes, at + 10, 2), name_size = At(bytes, at + 28, 2),
                   extra_size = At(bytes, at + 30, 2), comment_size = At(bytes, at + 32, 2);
    uint64_t packed = At(bytes, at + 20, 4), size = At(bytes, at + 24, 4),
             local = At(bytes, at + 42, 4);
    const uint64_t extra = at + kCentralSize + name_size;
    if (extra + extra_size > bytes.size()) return Wrong("its directory ends early");
    const std::string name(bytes.substr(at + kCentralSize, name_size));
    for (uint64_t field = extra; field + 4 <= extra + extra_size;
         field += 4 + At(bytes, field + 2, 2)) {
      if (At(bytes, field, 2) != 1) continue;
      uint64_t value = field + 4;
      for (uint64_t* const wide : {&size, &packed, &local}) {
        if (*wide != kIn64) continue;
        *wide = At(bytes, value, 8);
        value += 8;
      }
    }
    at = extra + extra_size + comment_size;
    if (local > bytes.size() || bytes.size() - local < kLocalSize ||
        !absl::StartsWith(bytes.substr(local), kLocal))
      return Wrong(
          absl::StrCat("`", absl::Utf8SafeCEscape(name), "` is not where its directory says"));
    const uint64_t begin = local + kLocalSize + At(bytes, local + 26, 2) + At(bytes, local + 28, 2);
    if (begin > bytes.size() || size > bytes.size() - begin)
      return Wrong(absl::StrCat("`", absl::Utf8SafeCEscape(name), "` leaves the file"));
    if (method != 0 || packed != size) continue;
    if (!entries.emplace(name, bytes.substr(begin, size)).second)
      return Wrong(absl::StrCat("two entries are called `", absl::Utf8SafeCEscape(name), "`"));
  }
  return entries;
}

}  // namespace tessera::recheck
