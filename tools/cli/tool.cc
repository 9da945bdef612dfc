#include "tools/cli/tool.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include "support/mapped_pages.h"
#include "support/printable.h"
#include "support/temporary_file.h"
#include "tools/cli/crash_handler.h"
#include "tools/cli/exit_code.h"

namespace tessera::cli {
namespace {

void OnInterrupt(int number) {
  support::RemoveTemporaryFiles();
  // What it would have done without us; it is pending until this returns.
  signal(number, SIG_DFL);
  raise(number);
}

// Children start with the default, as they would not if it were ignored.
void OnFileTooLarge(int) {}

struct sigaction bus_error_before = {};

void OnBusError(int number, siginfo_t* info, void* context) {
  if (support::ReplaceLostPages(info->si_addr)) return;
  CarryOutCrashPlan(number);
  if ((bus_error_before.sa_flags & SA_SIGINFO) != 0)
    return bus_error_before.sa_sigaction(number, info, context);
  // The instruction runs again, and then meets whoever was there before.
  sigaction(number, &bus_error_before, nullptr);
}

void HandleSignals() {
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    struct sigaction present = {}, action = {};
    // What is ignored (by `nohup`) stays so.
    if (sigaction(number, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    action.sa_handler = OnInterrupt;
    sigfillset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
  struct sigaction too_large = {}, bus_error = {};
  too_large.sa_handler = OnFileTooLarge;
  sigaction(SIGXFSZ, &too_large, nullptr);
  bus_error.sa_sigaction = OnBusError;
  bus_error.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGBUS, &bus_error, &bus_error_before);
}

// Writes through a filter, as long as it lives.
class Filtered {
 public:
  explicit Filtered(std::ostream& stream)
      : stream_(stream), direct_(stream.rdbuf()), buffer_(direct_) {
    stream_.rdbuf(&buffer_);
  }
  Filtered(const Filtered&) = delete;
  ~Filtered() { Finish(); }
  // Whether all was written.
  bool Finish() {
    if (stream_.rdbuf() != &buffer_) return written_;
    written_ = stream_.flush().good();
    stream_.rdbuf(direct_);
    return written_;
  }
  int error() const { return buffer_.error(); }

 private:
  std::ostream& stream_;
  std::streambuf* direct_;
  support::PrintableBuffer buffer_;
  bool written_ = true;
};

// Some file systems say only then that there was no room. 0 or the error number.
int CloseOutput() {
  const int copy = dup(STDOUT_FILENO);       // the number stays taken
  if (copy < 0 && errno == EBADF) return 0;  // there never was an output, and nothing to write
  return copy >= 0 && close(copy) == 0 ? 0 : errno;
}

}  // namespace

int RunTool(const char* program, int (*tool)(int argc, char** argv), int argc, char** argv) {
  HandleSignals();
  Filtered out(std::cout), err(std::cerr);
  const int code = tool(argc, argv);
  const bool written = out.Finish();
  const int error = written ? CloseOutput() : out.error();
  if (written && error == 0) return code;
  std::cerr << program << ": cannot write to the standard output"
            << (error != 0 ? ": " + std::generic_category().message(error) : "") << "\n";
  return code == kDone ? kBadInput : code;
}

}  // namespace tessera::cli
