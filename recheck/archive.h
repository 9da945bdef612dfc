// Zip archives whose entries are stored as they are, as torch writes them (APPNOTE.TXT of PKWARE).
#ifndef TESSERA_RECHECK_ARCHIVE_H_
#define TESSERA_RECHECK_ARCHIVE_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::recheck {

bool IsArchive(absl::string_view bytes);

// Views of `bytes`, by name. Errors: no archive, an entry that leaves the file, a name that two
// have. What is compressed is left out.
absl::StatusOr<std::map<std::string, absl::string_view>> EntriesOf(absl::string_view bytes);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_ARCHIVE_H_
