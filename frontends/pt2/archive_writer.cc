#include "frontends/pt2/archive_writer.h"

#include <cstddef>

namespace tessera::pt2_import {
namespace {

void Put(uint64_t number, size_t size, std::string& out) {
  for (size_t i = 0; i < size; ++i)
    out.push_back(static_cast<char>(i < sizeof number ? number >> (8 * i) & 0xff : 0));
}

uint64_t Number(std::string_view bytes, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[at + i]);
  return number;
}

constexpr size_t kLocalSize = 30;

}  // namespace

std::string WriteArchive(const std::vector<WrittenEntry>& entries) {
  std::string out, directory;
  for (const WrittenEntry& entry : entries) {
    const uint32_t true_size = static_cast<uint32_t>(entry.bytes.size());
    const uint32_t at = static_cast<uint32_t>(out.size());
    // Version, flags, method, time, date, checksum, sizes, lengths of name and extra field.
    std::string common;
    Put(20, 2, common);
    Put(entry.flags, 2, common);
    Put(entry.method, 2, common);
    Put(0, 8, common);
    Put(entry.stored.value_or(true_size), 4, common);
    Put(entry.size.value_or(true_size), 4, common);
    Put(entry.name.size(), 2, common);
    Put(0, 2, common);
    Put(0x04034b50, 4, out);
    out += common + entry.name + entry.bytes;
    Put(0x02014b50, 4, directory);
    Put(20, 2, directory);
    directory += common;
    Put(0, 10, directory);  // comment, disk, attributes
    Put(entry.at.value_or(at), 4, directory);
    directory += entry.name;
  }
  const size_t begin = out.size();
  out += directory;
  Put(0x06054b50, 4, out);
  Put(0, 4, out);
  Put(entries.size(), 2, out);
  Put(entries.size(), 2, out);
  Put(directory.size(), 4, out);
  Put(begin, 4, out);
  Put(0, 2, out);
  return out;
}

std::optional<std::vector<WrittenEntry>> ReadEntries(std::string_view archive) {
  std::vector<WrittenEntry> entries;
  size_t at = 0;
  while (archive.size() - at >= kLocalSize && Number(archive, at, 4) == 0x04034b50) {
    const size_t size = Number(archive, at + 18, 4), name = Number(archive, at + 26, 2),
                 extra = Number(archive, at + 28, 2);
    const size_t begin = at + kLocalSize + name + extra;
    if (begin > archive.size() || size > archive.size() - begin) return std::nullopt;
    entries.push_back({std::string(archive.substr(at + kLocalSize, name)),
                       std::string(archive.substr(begin, size))});
    at = begin + size;
  }
  if (entries.empty()) return std::nullopt;
  return entries;
}

}  // namespace tessera::pt2_import
