#include "tools/cli/file_roles.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "support/file_set.h"

namespace tessera::cli {

bool FileRoles::File::SameAs(const File& other) const {
  if (exists && other.exists) return device == other.device && inode == other.inode;
  return real == other.real;
}

absl::Status FileRoles::Reads(const std::string& role, const std::string& path) {
  return Add({role, path});
}

absl::Status FileRoles::Writes(const std::string& role, const std::string& path) {
  File file{role, path};
  file.written = true;
  return Add(std::move(file));
}

absl::Status FileRoles::Add(File file) {
  const std::string target = support::LinkTarget(file.path);
  std::error_code error;
  file.real = std::filesystem::weakly_canonical(std::filesystem::absolute(target), error).string();
  if (error) file.real = target;
  struct stat info;
  if (stat(target.c_str(), &info) == 0) {
    file.exists = true;
    file.regular = S_ISREG(info.st_mode);
    file.device = info.st_dev;
    file.inode = info.st_ino;
  }
  for (const File& other : files_) {
    if (!(file.written || other.written) || !file.regular || !file.SameAs(other)) continue;
    if (file.written && other.written) {
      return absl::InvalidArgumentError(
          absl::StrCat("`", file.path, "` is both ", other.role, " and ", file.role));
    }
    const File& output = file.written ? file : other;
    const File& input = file.written ? other : file;
    return absl::InvalidArgumentError(absl::StrCat("`", output.path, "` is ", input.role,
                                                   ", which ", output.role, " would overwrite"));
  }
  files_.push_back(std::move(file));
  return absl::OkStatus();
}

}  // namespace tessera::cli
