#include "solver/certificate/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::certificate {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Limits Modest() {
  return {20, int64_t{1} << 30, 4096, steady_clock::now() + std::chrono::minutes(2)};
}

Command Shell(const std::string& script, std::string input = "") {
  return {{"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin"}, std::move(input)};
}

Result RunOne(const Command& command, const Limits& limits) {
  const auto results = RunAll({command}, limits);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? results->front() : Result{};
}

TEST(Process, InputsAndOutputs) {
  const std::string input(100000, 'x');
  std::vector<Command> commands;
  for (int i = 0; i < 40; ++i)
    commands.push_back(Shell("echo " + std::to_string(i) + "; wc -c", input));
  const auto results = RunAll(commands, Modest());
  ASSERT_TRUE(results.ok()) << results.status();
  for (size_t i = 0; i < results->size(); ++i) {
    EXPECT_TRUE((*results)[i].succeeded());
    EXPECT_EQ((*results)[i].output, std::to_string(i) + "\n100000\n");
  }
}

TEST(Process, HowItEnded) {
  EXPECT_EQ(EndText(RunOne(Shell("exit 3"), Modest())), "ended with exit code 3");
  EXPECT_EQ(EndText(RunOne(Shell("kill -SEGV $$"), Modest())), "was ended by signal 11");
  EXPECT_THAT(RunOne(Shell("echo a; echo b >&2"), Modest()).output, "a\nb\n");
}

TEST(Process, NothingIsInherited) {
  setenv("LD_PRELOAD_OF_A_TEST", "x", 1);
  EXPECT_THAT(RunOne(Shell("env"), Modest()).output, testing::Not(testing::HasSubstr("OF_A_TEST")));
}

TEST(Process, Limited) {
  Limits limits = Modest();
  const Result flood = RunOne(Shell("while :; do echo flood; done"), limits);
  EXPECT_EQ(flood.end, End::kOutput);
  EXPECT_EQ(flood.output.size(), limits.output_bytes);
  const std::string file = std::string(getenv("TEST_TMPDIR")) + "/written";
  EXPECT_FALSE(RunOne(Shell("echo x > " + file), limits).succeeded()) << "no byte goes to a disk";
  limits.processor_seconds = 1;
  EXPECT_EQ(RunOne(Shell("while :; do :; done"), limits).end, End::kProcessor);
  limits.deadline = steady_clock::now() + milliseconds(300);
  EXPECT_EQ(RunOne(Shell("sleep 1000"), limits).end, End::kDeadline);
}

TEST(Process, ProgramsThatDoNotStart) {
  Command command = Shell("");
  command.arguments[0] = "no/such/program";
  EXPECT_THAT(std::string(RunAll({command}, Modest()).status().message()),
              testing::HasSubstr("cannot start `no/such/program`: "));
}

bool IsThere(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return (stat >> number >> name >> state) && state != "Z";
}

// A program that starts another which outlives it, unless the group is ended.
std::string Spawner(const std::string& file) {
  return "sleep 1000 <&- >&- 2>&- & echo $! > /dev/stdout; exec " + file;
}

TEST(Process, TheGroupGoesWithItsLeader) {
  const Result result = RunOne(Shell(Spawner("true")), Modest());
  const pid_t left = atoi(result.output.c_str());
  ASSERT_GT(left, 0);
  for (int i = 0; i < 2000 && IsThere(left); ++i) usleep(1000);
  EXPECT_FALSE(IsThere(left));
}

// A process of its own runs a long command; `signal` ends it, and with it the command.
void Ends(int signal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t tool = fork();
  if (tool == 0) {
    // The command says its number through the pipe, which it inherits.
    const std::string out = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(ends[1]);
    RunAll({Shell("echo $$ > " + out + "; exec sleep 1000")}, Modest()).IgnoreError();
    _exit(0);
  }
  close(ends[1]);
  std::string said(32, '\0');
  ASSERT_GT(read(ends[0], said.data(), said.size()), 0);
  close(ends[0]);
  const pid_t command = atoi(said.c_str());
  ASSERT_GT(command, 0);
  ASSERT_EQ(kill(tool, signal), 0);
  int status = 0;
  ASSERT_EQ(waitpid(tool, &status, 0), tool);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
  for (int i = 0; i < 5000 && IsThere(command); ++i) usleep(1000);
  EXPECT_FALSE(IsThere(command)) << "after signal " << signal;
}

TEST(Process, DiesWithWhoStartedIt) {
  for (const int signal : {SIGTERM, SIGINT, SIGKILL}) Ends(signal);
}

}  // namespace
}  // namespace tessera::certificate
