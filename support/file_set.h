// Files that become visible together.
#ifndef TESSERA_SUPPORT_FILE_SET_H_
#define TESSERA_SUPPORT_FILE_SET_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "support/byte_run.h"
#include "support/temporary_file.h"

namespace tessera::support {

// Until `Commit`, what was there before is still there; if it fails, or never comes, it stays.
class FileSet {
 public:
  // Writes the runs, one after the other, beside `path` under a temporary name. What a symbolic
  // link leads to is meant, whether or not it is there yet; what is there keeps its permissions. A
  // device or a pipe is written to at once, and not taken back. Errors name `path`: a folder, or
  // what the system says.
  absl::Status Add(const std::string& path, absl::Span<const ByteRun> runs, Taking taking);
  absl::Status Add(const std::string& path, absl::Span<const ByteRun> runs);
  absl::Status Add(const std::string& path, std::string_view bytes);

  // Brings all to the disk, then gives them their names in the order in which they were added: who
  // finds the last finds all. Interrupts wait meanwhile. A process that is killed between two
  // renames leaves the first ones; only what names the contents of the others (a certificate: add
  // it last) can tell.
  absl::Status Commit();

  // Gives all their names, and leaves it to the system when they reach the disk.
  absl::Status CommitUnsynced();

 private:
  struct Member {
    TemporaryFile file;
    std::string path, target;
  };
  absl::Status Rename();
  std::vector<Member> members_;
};

// Where bytes written to `path` go: the end of the chain of symbolic links that begins there.
std::string LinkTarget(const std::string& path);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_FILE_SET_H_
