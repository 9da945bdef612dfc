// A folder that is there as long as it is needed.
#ifndef TESSERA_SUPPORT_TEMPORARY_FOLDER_H_
#define TESSERA_SUPPORT_TEMPORARY_FOLDER_H_

#include <string>

namespace tessera::support {

// Under a name that nobody else has, where a test may write (`TEST_TMPDIR`) or else where the
// system keeps such; removed with all that is in it at the end of its scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Empty: none could be made.
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_TEMPORARY_FOLDER_H_
