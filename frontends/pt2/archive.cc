#include "frontends/pt2/archive.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "frontends/onnx/quoting.h"

namespace tessera::pt2_import {
namespace {

using onnx_import::Quoted;

using Bytes = absl::Span<const uint8_t>;

constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50, kEnd = 0x06054b50;
constexpr uint32_t kEnd64 = 0x06064b50, kEnd64Locator = 0x07064b50;
constexpr size_t kEndSize = 22, kEnd64Size = 56, kLocatorSize = 20, kLocalSize = 30;
constexpr uint32_t kAbsent32 = 0xffffffff;  // the field is among those of 64 bits

// Little-endian numbers; reading past the end yields 0 and is remembered.
class Reader {
 public:
  Reader(Bytes bytes, uint64_t at) : bytes_(bytes), at_(at) {}
  uint64_t Number(size_t size) {
    uint64_t number = 0;
    if (!Has(size)) return 0;
    for (size_t i = size; i-- > 0;) number = number << 8 | bytes_[at_ + i];
    at_ += size;
    return number;
  }
  Bytes Take(uint64_t size) {
    if (!Has(size)) return {};
    const Bytes taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
  }
  bool failed() const { return failed_; }
  uint64_t at() const { return at_; }

 private:
  bool Has(uint64_t size) {
    if (!failed_ && at_ <= bytes_.size() && size <= bytes_.size() - at_) return true;
    failed_ = true;
    return false;
  }
  Bytes bytes_;
  uint64_t at_;
  bool failed_ = false;
};

absl::Status Error(absl::string_view reason) { return absl::InvalidArgumentError(reason); }

struct Directory {
  uint64_t at = 0, size = 0, entries = 0;
};

absl::StatusOr<Directory> FindDirectory(Bytes bytes) {
  if (bytes.size() < kEndSize) return Error("too short for a zip archive");
  // The end record is last but for a comment of at most 65,535 bytes.
  const size_t first = bytes.size() - std::min<size_t>(bytes.size(), kEndSize + 0xffff);
  for (size_t at = bytes.size() - kEndSize + 1; at-- > first;) {
    Reader end(bytes, at);
    if (end.Number(4) != kEnd) continue;
    end.Take(6);  // disks, entries on this one
    Directory directory;
    directory.entries = end.Number(2);
    directory.size = end.Number(4);
    directory.at = end.Number(4);
    if (end.Number(2) != bytes.size() - at - kEndSize) continue;  // no comment of that length
    if (directory.entries != 0xffff && directory.size != kAbsent32 && directory.at != kAbsent32)
      return directory;
    if (at < kLocatorSize) return directory;
    Reader locator(bytes, at - kLocatorSize);
    if (locator.Number(4) != kEnd64Locator) return directory;
    locator.Take(4);
    const uint64_t at64 = locator.Number(8);
    Reader end64(bytes, at64);
    if (end64.Number(4) != kEnd64 || bytes.size() - at64 < kEnd64Size)
      return Error("the zip64 end record is not where its locator says");
    end64.Take(28);  // size, versions, disks, entries on this one
    directory.entries = end64.Number(8);
    directory.size = end64.Number(8);
    directory.at = end64.Number(8);
    if (end64.failed()) return Error("the zip64 end record is cut off");
    return directory;
  }
  return Error("no end record; the archive is cut off, or no zip archive");
}

// What the extra field of a central header says of the numbers that have no place of 32 bits.
void ReadWideNumbers(Bytes extra, std::initializer_list<uint64_t*> numbers) {
  Reader fields(extra, 0);
  while (!fields.failed() && fields.at() < extra.size()) {
    const uint64_t id = fields.Number(2);
    const Bytes field = fields.Take(fields.Number(2));
    if (id != 1) continue;
    Reader wide(field, 0);
    for (uint64_t* number : numbers) {
      if (*number == kAbsent32) *number = wide.Number(8);
    }
    return;
  }
}

bool LeavesArchive(absl::string_view name) {
  if (name.empty() || name[0] == '/' || absl::StrContains(name, '\\') ||
      absl::StrContains(name, '\0'))
    return true;
  for (absl::string_view part : absl::StrSplit(name, '/')) {
    if (part == "..") return true;
  }
  return false;
}

}  // namespace

bool IsArchive(Bytes bytes) {
  return bytes.size() >= 4 && Reader(bytes, 0).Number(4) == kLocalHeader;
}

absl::StatusOr<Archive> Archive::Open(Bytes bytes) {
  absl::StatusOr<Directory> directory = FindDirectory(bytes);
  if (!directory.ok()) return directory.status();
  if (directory->entries > kMaxEntries)
    return Error(absl::StrCat(directory->entries, " entries; at most ", kMaxEntries, " are read"));
  if (directory->at > bytes.size() || directory->size > bytes.size() - directory->at)
    return Error("the directory of entries leaves the file");
  Archive archive;
  std::vector<std::pair<uint64_t, uint64_t>> ranges;  // of the file that entries take
  Reader reader(bytes.first(directory->at + directory->size), directory->at);
  for (uint64_t i = 0; i < directory->entries; ++i) {
    if (reader.Number(4) != kCentralHeader)
      return Error(absl::StrCat("entry ", i, " of the directory is cut off or damaged"));
    reader.Take(4);  // versions
    const uint64_t flags = reader.Number(2), method = reader.Number(2);
    reader.Take(8);  // time, date, checksum
    uint64_t stored = reader.Number(4), size = reader.Number(4);
    const uint64_t name_size = reader.Number(2), extra_size = reader.Number(2),
                   comment_size = reader.Number(2);
    reader.Take(8);  // disk, attributes
    uint64_t at = reader.Number(4);
    const Bytes name_bytes = reader.Take(name_size);
    const std::string name(name_bytes.begin(), name_bytes.end());
    ReadWideNumbers(reader.Take(extra_size), {&size, &stored, &at});
    reader.Take(comment_size);
    if (reader.failed()) return Error(absl::StrCat("entry ", i, " of the directory is cut off"));
    if (LeavesArchive(name))
      return Error(
          absl::StrCat("entry ", i, " of the directory has a name that leaves the archive"));
    if (name.back() == '/') continue;  // a folder
    Reader local(bytes, at);
    if (local.Number(4) != kLocalHeader)
      return Error(absl::StrCat("entry ", Quoted(name), " is not where the directory says"));
    local.Take(kLocalSize - 8);
    const uint64_t local_name = local.Number(2), local_extra = local.Number(2);
    local.Take(local_name);
    local.Take(local_extra);
    const uint64_t begin = local.at();
    Entry entry;
    entry.bytes = local.Take(stored);
    if (local.failed()) return Error(absl::StrCat("entry ", Quoted(name), " leaves the file"));
    if ((flags & 1) != 0) entry.refused = "is encrypted";
    if (method != 0)
      entry.refused = "is compressed; torch.export.save stores its entries (`zip -0` does so too)";
    if (entry.refused == nullptr && stored != size) entry.refused = "has two sizes";
    ranges.emplace_back(begin, begin + stored);
    if (!archive.entries_.emplace(name, entry).second)
      return Error(absl::StrCat("two entries ", Quoted(name)));
  }
  // Overlapping ones are how few bytes pretend to be many.
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].first < ranges[i - 1].second) return Error("entries overlap");
  }
  return archive;
}

absl::StatusOr<Bytes> Archive::Read(const std::string& name) const {
  const auto it = entries_.find(name);
  if (it == entries_.end()) return Error(absl::StrCat("there is no entry ", Quoted(name)));
  if (it->second.refused != nullptr)
    return absl::UnimplementedError(absl::StrCat("entry ", Quoted(name), " ", it->second.refused));
  return it->second.bytes;
}

std::optional<std::string> Archive::FolderOf(const std::string& suffix) const {
  for (const auto& [name, entry] : entries_) {
    if (absl::EndsWith(name, suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return std::nullopt;
}

}  // namespace tessera::pt2_import
