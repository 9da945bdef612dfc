// What a crash of this process leaves: files made ready beforehand, a message, the exit code of a
// bug of ours.
#ifndef TESSERA_TOOLS_CLI_CRASH_HANDLER_H_
#define TESSERA_TOOLS_CLI_CRASH_HANDLER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::cli {

struct CrashPlan {
  // Goes to stderr, followed by the signal's name and ` (signal N)`.
  std::string message;
  // Comes after that, on lines of its own.
  std::string advice;
  // Paths and contents. Their folders exist.
  std::vector<std::pair<std::string, std::string>> files;
  // What the first of them goes on with, which many plans have in common; null: nothing.
  std::shared_ptr<const std::string> rest;
};

// From now on a fatal signal (segmentation fault, abort, arithmetic, illegal instruction, bus
// error) carries out `plan` and ends the process with kOurBug. Replaces the plan before it. A
// signal that somebody else handles (a sanitizer) stays theirs.
void PlanForCrash(CrashPlan plan);
// Ends the process so, if there is a plan. For a handler of a signal that turns out to be a crash.
void CarryOutCrashPlan(int signal_number);
// Crashes are what they were before the first plan.
void ForgetCrashPlan();

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_CRASH_HANDLER_H_
