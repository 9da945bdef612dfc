// A program that runs as a group of its own.
#ifndef TESSERA_SOLVER_CERTIFICATE_CHILD_H_
#define TESSERA_SOLVER_CERTIFICATE_CHILD_H_

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "solver/certificate/process.h"

namespace tessera::certificate {

// Signals that end a process, and with it its children.
inline constexpr int kEnding[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    Close();
    fd_ = std::exchange(other.fd_, -1);
    return *this;
  }
  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

class Child {
 public:
  Child() = default;
  ~Child();
  Child(const Child&) = delete;

  // `registered` holds the group's id while it runs, 0 after that.
  absl::Status Start(const Command& command, const Limits& limits, std::atomic<pid_t>& registered);
  bool running() const { return pid_ > 0; }
  int output() const { return output_.get(); }
  Result& result() { return result_; }

  // Takes over what there is to read, `most` bytes in all. False: there will be no more.
  bool Read(size_t most);
  // Waits a little, then ends the group, with `kDeadline` if it had not ended by itself.
  void Finish();
  void Kill(End why);

 private:
  bool Reaped(int options);
  void Forget();

  pid_t pid_ = -1;
  std::atomic<pid_t>* registered_ = nullptr;
  int64_t processor_seconds_ = 0;
  Descriptor output_;
  Result result_;
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_CHILD_H_
