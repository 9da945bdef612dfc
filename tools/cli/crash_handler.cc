#include "tools/cli/crash_handler.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "support/temporary_file.h"
#include "tools/cli/exit_code.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::pair<int, const char*>, 5> kSignals = {{{SIGSEGV, "segmentation fault"},
                                                                  {SIGABRT, "abort"},
                                                                  {SIGFPE, "arithmetic exception"},
                                                                  {SIGILL, "illegal instruction"},
                                                                  {SIGBUS, "bus error"}}};

// The handler reads it; nobody writes while it is in force.
CrashPlan* current_plan = nullptr;

// What follows is called in a signal handler: system calls and memory that is there, nothing else.
void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

void WriteNumber(int file, int number) {
  char digits[12];
  size_t at = sizeof(digits);
  do {
    digits[--at] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  WriteAll(file, {digits + at, sizeof(digits) - at});
}

void OnCrash(int signal_number) {
  CarryOutCrashPlan(signal_number);
  _exit(kOurBug);
}

void Install() {
  // A stack of its own: the crash may be the end of the other one.
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof(stack);
  if (sigaltstack(&alternative, nullptr) != 0) return;
  for (const auto& [number, name] : kSignals) {
    struct sigaction present = {}, action = {};
    if (sigaction(number, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    action.sa_handler = OnCrash;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
  }
}

void Uninstall() {
  for (const auto& [number, name] : kSignals) {
    struct sigaction present = {};
    if (sigaction(number, nullptr, &present) == 0 && present.sa_handler == OnCrash)
      signal(number, SIG_DFL);
  }
}

CrashPlan& Storage() {
  static CrashPlan* const storage = new CrashPlan;  // outlives whatever may still crash at the end
  return *storage;
}

}  // namespace

void CarryOutCrashPlan(int signal_number) {
  const CrashPlan* const plan = std::exchange(current_plan, nullptr);
  if (plan == nullptr) return;
  support::RemoveTemporaryFiles();
  for (const auto& [path, text] : plan->files) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) continue;
    WriteAll(file, text);
    if (plan->rest != nullptr && path == plan->files[0].first) WriteAll(file, *plan->rest);
    close(file);
  }
  WriteAll(STDERR_FILENO, plan->message);
  for (const auto& [number, name] : kSignals) {
    if (number == signal_number) WriteAll(STDERR_FILENO, name);
  }
  WriteAll(STDERR_FILENO, " (signal ");
  WriteNumber(STDERR_FILENO, signal_number);
  WriteAll(STDERR_FILENO, ")\n");
  WriteAll(STDERR_FILENO, plan->advice);
  _exit(kOurBug);
}

void PlanForCrash(CrashPlan plan) {
  current_plan = nullptr;
  Storage() = std::move(plan);
  current_plan = &Storage();
  Install();
}

void ForgetCrashPlan() {
  Uninstall();
  current_plan = nullptr;
}

}  // namespace tessera::cli
