// Zip archives as torch writes them (APPNOTE.TXT of PKWARE, 4.3): entries are stored, not
// compressed, so that tensors can be used where they lie in a mapped file. That is why this is no
// general zip library: an entry is a range of the file, and nothing is ever inflated or written.
#ifndef TESSERA_FRONTENDS_PT2_ARCHIVE_H_
#define TESSERA_FRONTENDS_PT2_ARCHIVE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::pt2_import {

// Whether the bytes begin as a zip archive does.
bool IsArchive(absl::Span<const uint8_t> bytes);

class Archive {
 public:
  // A view of `bytes`. Errors: no archive, entries that overlap or leave the file, names that are
  // given twice or leave the archive (`..`, `/x`), more than kMaxEntries.
  static absl::StatusOr<Archive> Open(absl::Span<const uint8_t> bytes);

  static constexpr size_t kMaxEntries = 1 << 20;

  bool Has(const std::string& name) const { return entries_.contains(name); }
  // Error: no such entry, or one that is compressed or encrypted.
  absl::StatusOr<absl::Span<const uint8_t>> Read(const std::string& name) const;
  // What lies before `suffix` in the name of the first entry that ends in it; nullopt if none does.
  std::optional<std::string> FolderOf(const std::string& suffix) const;

 private:
  struct Entry {
    absl::Span<const uint8_t> bytes;
    const char* refused = nullptr;  // why it cannot be read
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_ARCHIVE_H_
