// Which files a run reads and which it writes: none is both, and none is written twice.
#ifndef TESSERA_TOOLS_CLI_FILE_ROLES_H_
#define TESSERA_TOOLS_CLI_FILE_ROLES_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace tessera::cli {

// Files are the same if they are one file on one device, under whatever names, or have the same
// path when links are followed. Devices and pipes may be written to by many.
class FileRoles {
 public:
  // `role` says which file it is, as in "`--output`" or "the model". Error: it is written to, or,
  // of the second, read, or written to in another role. To be asked before anything is written.
  absl::Status Reads(const std::string& role, const std::string& path);
  absl::Status Writes(const std::string& role, const std::string& path);
  // The files of a folder that are samples by their names, and those of its `test_data_set_K`.
  absl::Status ReadsSamples(const std::string& role, const std::string& folder);

 private:
  struct File {
    File(std::string said, std::string where);
    bool SameAs(const File& other) const;
    std::string role, path;
    std::string real;  // of what is not there yet: with links followed
    bool exists = false, regular = true;
    dev_t device = 0;
    ino_t inode = 0;
  };
  static absl::Status Overwritten(const File& output, const File& input);

  std::vector<File> read_, written_;
};

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_FILE_ROLES_H_
