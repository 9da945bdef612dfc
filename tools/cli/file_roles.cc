#include "tools/cli/file_roles.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/data/sample_names.h"
#include "support/file_set.h"

namespace tessera::cli {

namespace {

// What else lies in a folder with samples is not read.
bool IsSample(const std::string& path) {
  return data::EndsWithOneOf(path, data::kPictures) ||
         data::EndsWithOneOf(path, data::kOfOneInput) ||
         data::EndsWithOneOf(path, data::kOfAnyInputs);
}

}  // namespace

FileRoles::File::File(std::string said, std::string where)
    : role(std::move(said)), path(std::move(where)) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) {
    exists = true;
    regular = S_ISREG(info.st_mode);
    device = info.st_dev;
    inode = info.st_ino;
    return;
  }
  const std::string target = support::LinkTarget(path);
  std::error_code error;
  real = std::filesystem::weakly_canonical(std::filesystem::absolute(target), error).string();
  if (error) real = target;
}

bool FileRoles::File::SameAs(const File& other) const {
  if (exists != other.exists) return false;
  return exists ? device == other.device && inode == other.inode : real == other.real;
}

absl::Status FileRoles::Reads(const std::string& role, const std::string& path) {
  File file(role, path);
  for (const File& written : written_) {
    if (file.regular && file.SameAs(written)) return Overwritten(written, file);
  }
  read_.push_back(std::move(file));
  return absl::OkStatus();
}

absl::Status FileRoles::Writes(const std::string& role, const std::string& path) {
  File file(role, path);
  for (const File& read : read_) {
    if (file.regular && file.SameAs(read)) return Overwritten(file, read);
  }
  for (const File& written : written_) {
    if (file.regular && file.SameAs(written))
      return absl::InvalidArgumentError(
          absl::StrCat("`", file.path, "` is both ", written.role, " and ", file.role));
  }
  written_.push_back(std::move(file));
  return absl::OkStatus();
}

absl::Status FileRoles::ReadsSamples(const std::string& role, const std::string& folder) {
  std::vector<std::string> folders = {folder};
  // What cannot be listed says so when it is read.
  std::error_code error;
  for (size_t i = 0; i < folders.size(); ++i) {
    for (auto entry = std::filesystem::directory_iterator(folders[i], error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      const std::filesystem::path& path = entry->path();
      if (i == 0 && absl::StartsWith(path.filename().native(), data::kDataSetFolder))
        folders.push_back(path.string());
      if (!IsSample(path.native())) continue;
      if (absl::Status status = Reads(role, path.string()); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status FileRoles::Overwritten(const File& output, const File& input) {
  return absl::InvalidArgumentError(absl::StrCat("`", output.path, "` is ", input.role, ", which ",
                                                 output.role, " would overwrite"));
}

}  // namespace tessera::cli
