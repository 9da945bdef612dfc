#include "solver/certificate/process.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "solver/certificate/child.h"

namespace tessera::certificate {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMostAtOnce = 16;

// What a signal handler may read: the groups that run, 0 for none.
std::atomic<pid_t> running_groups[kMostAtOnce];
static_assert(std::atomic<pid_t>::is_always_lock_free);

struct sigaction before_watch[std::size(kEnding)];  // the handlers read it too

extern "C" void EndGroups(int signal) {
  for (const std::atomic<pid_t>& group : running_groups) {
    if (const pid_t id = group.load(); id > 0) kill(-id, SIGKILL);
  }
  // Now the signal does what it did.
  for (size_t i = 0; i < std::size(kEnding); ++i) {
    if (kEnding[i] == signal) sigaction(signal, &before_watch[i], nullptr);
  }
  raise(signal);
}

// Signals that are not ignored end the groups before they do what they did.
class SignalWatch {
 public:
  SignalWatch() {
    struct sigaction watch = {};
    watch.sa_handler = EndGroups;
    watch.sa_flags = SA_NODEFER;
    for (size_t i = 0; i < std::size(kEnding); ++i) {
      sigaction(kEnding[i], nullptr, &before_watch[i]);
      if (before_watch[i].sa_handler != SIG_IGN) sigaction(kEnding[i], &watch, nullptr);
    }
  }
  ~SignalWatch() {
    for (size_t i = 0; i < std::size(kEnding); ++i)
      sigaction(kEnding[i], &before_watch[i], nullptr);
  }
  SignalWatch(const SignalWatch&) = delete;
};

// Reads what the children write until one of them has ended or the deadline is over.
void Attend(absl::Span<Child> children, const Limits& limits) {
  std::vector<pollfd> polled;
  std::vector<Child*> of;
  for (Child& child : children) {
    if (!child.running()) continue;
    polled.push_back({child.output(), POLLIN, 0});
    of.push_back(&child);
  }
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(limits.deadline - Clock::now());
  if (left.count() <= 0) {
    for (Child* child : of) child->Kill(End::kDeadline);
    return;
  }
  constexpr int64_t kMostMilliseconds = 1 << 30;
  poll(polled.data(), polled.size(),
       static_cast<int>(std::min<int64_t>(left.count() + 1, kMostMilliseconds)));
  for (size_t i = 0; i < of.size(); ++i) {
    if (polled[i].revents == 0) continue;
    if (!of[i]->Read(limits.output_bytes)) {
      of[i]->Finish();
    } else if (of[i]->result().output.size() >= limits.output_bytes) {
      of[i]->Kill(End::kOutput);
    }
  }
}

}  // namespace

std::string EndText(const Result& result) {
  switch (result.end) {
    case End::kExited:
      return absl::StrCat("ended with exit code ", result.code);
    case End::kSignalled:
      return absl::StrCat("was ended by signal ", result.code);
    case End::kProcessor:
      return "took too much time of the processor";
    case End::kOutput:
      return "wrote too much";
    case End::kDeadline:
      break;
  }
  return "was ended at the deadline";
}

absl::StatusOr<std::vector<Result>> RunAll(absl::Span<const Command> commands,
                                           const Limits& limits) {
  const SignalWatch watch;
  const size_t width =
      std::clamp<size_t>(static_cast<size_t>(sysconf(_SC_NPROCESSORS_ONLN)), 1, kMostAtOnce);
  std::vector<Result> results(commands.size());
  std::vector<Child> children(width);
  std::vector<size_t> command_of(width);
  size_t started = 0, ended = 0;
  while (ended < commands.size()) {
    for (size_t slot = 0; slot < width && started < commands.size(); ++slot) {
      if (children[slot].running()) continue;
      children[slot].result() = {};
      command_of[slot] = started;
      const absl::Status status =
          children[slot].Start(commands[started++], limits, running_groups[slot]);
      if (!status.ok()) return status;
    }
    std::vector<bool> ran(width);
    for (size_t slot = 0; slot < width; ++slot) ran[slot] = children[slot].running();
    Attend(absl::MakeSpan(children), limits);
    for (size_t slot = 0; slot < width; ++slot) {
      if (!ran[slot] || children[slot].running()) continue;
      results[command_of[slot]] = std::move(children[slot].result());
      ++ended;
    }
  }
  return results;
}

}  // namespace tessera::certificate
