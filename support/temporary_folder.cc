#include "support/temporary_folder.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace tessera::support {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  const char* const root = std::getenv("TEST_TMPDIR");
  path_ = absl::StrCat(root != nullptr ? root : fs::temp_directory_path(error).string(),
                       "/tessera.XXXXXX");
  if (error || mkdtemp(path_.data()) == nullptr) path_.clear();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace tessera::support
