// File descriptors and what went wrong with them. Internal to this package.
#ifndef TESSERA_SUPPORT_DESCRIPTOR_H_
#define TESSERA_SUPPORT_DESCRIPTOR_H_

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace tessera::support {

// Closes at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  // The error number of closing, 0 if there was none.
  int Close() { return close(std::exchange(fd_, -1)) == 0 ? 0 : errno; }

 private:
  int fd_;
};

// `WHAT `PATH`: REASON`; NotFound, PermissionDenied or InvalidArgument by the error number.
absl::Status FileError(std::string_view what, const std::string& path, int error);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_DESCRIPTOR_H_
