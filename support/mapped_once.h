// Maps of files that are read through once, and then not needed.
#ifndef TESSERA_SUPPORT_MAPPED_ONCE_H_
#define TESSERA_SUPPORT_MAPPED_ONCE_H_

#include <string>

#include "absl/status/statusor.h"
#include "support/mapped_file.h"

namespace tessera::support {

// As MapFile, but the limit of memory stays: nothing is made of what is read.
absl::StatusOr<MappedFile> MapOnce(const std::string& path);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_MAPPED_ONCE_H_
