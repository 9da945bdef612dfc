#include "support/descriptor.h"

#include <system_error>

#include "absl/strings/str_cat.h"

namespace tessera::support {

absl::Status FileError(std::string_view what, const std::string& path, int error) {
  const std::string text =
      absl::StrCat(std::string(what), " `", path, "`: ", std::generic_category().message(error));
  if (error == ENOENT) return absl::NotFoundError(text);
  if (error == EACCES || error == EPERM) return absl::PermissionDeniedError(text);
  return absl::InvalidArgumentError(text);
}

}  // namespace tessera::support
