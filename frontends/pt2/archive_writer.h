// Zip archives for tests: of stored entries, whose headers may lie.
#ifndef TESSERA_FRONTENDS_PT2_ARCHIVE_WRITER_H_
#define TESSERA_FRONTENDS_PT2_ARCHIVE_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::pt2_import {

struct WrittenEntry {
  std::string name, bytes;
  // What the directory says.
  uint16_t flags = 0, method = 0;
  std::optional<uint32_t> stored, size, at;  // nullopt: the truth
};

std::string WriteArchive(const std::vector<WrittenEntry>& entries);

// Those of an archive that WriteArchive or Python's zipfile wrote; nullopt: it is none.
std::optional<std::vector<WrittenEntry>> ReadEntries(std::string_view archive);

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_ARCHIVE_WRITER_H_
