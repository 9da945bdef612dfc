#include "solver/certificate/solver.h"

#include <sys/stat.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/certificate/check.h"
#include "solver/certificate/smtlib.h"
#include "support/file.h"

namespace tessera::certificate {
namespace {

using testing::HasSubstr;

const std::string kYes = "(set-logic ALL)\n(assert false)\n(check-sat)\n";
const std::string kNo = "(set-logic ALL)\n(check-sat)\n";

Cvc5::Deadline Soon() { return std::chrono::steady_clock::now() + std::chrono::minutes(5); }

// A solver that is a script.
std::string Script(const std::string& name, const std::string& text) {
  const std::string path = std::string(getenv("TEST_TMPDIR")) + "/" + name;
  EXPECT_TRUE(support::WriteFile(path, "#!/bin/sh\n" + text + "\n").ok());
  EXPECT_EQ(chmod(path.c_str(), 0755), 0);
  return path;
}

TEST(Solver, AProcessThatEndsEarlyLosesOneQuery) {
  std::vector<std::string> queries(20, kYes);
  queries[3] = "(nonsense)\n";
  queries[4] = queries[17] = kNo;
  queries[19] = "(exit)\n";
  const auto replies = Cvc5(FindCvc5().value(), Soon()).Decide(queries, kAttempts[0]);
  ASSERT_TRUE(replies.ok()) << replies.status();
  for (size_t i = 0; i < queries.size(); ++i) {
    const Answer wanted = i == 3 || i == 19   ? Answer::kFailed
                          : queries[i] == kNo ? Answer::kSat
                                              : Answer::kUnsat;
    EXPECT_EQ((*replies)[i].answer, wanted) << i;
  }
  EXPECT_THAT((*replies)[3].failure, HasSubstr("nonsense"));
}

TEST(Solver, TheEnvironmentDoesNotChooseIt) {
  const std::string folder = std::string(getenv("TEST_TMPDIR")) + "/other";
  ASSERT_TRUE(mkdir(folder.c_str(), 0755) == 0);
  for (const char* part : {"/debian", "/debian/usr", "/debian/usr/bin"})
    ASSERT_EQ(mkdir((folder + part).c_str(), 0755), 0);
  for (const char* name : {"other/debian/cvc5", "other/debian/usr/bin/cvc5", "cvc5"})
    Script(name, "echo unsat");
  const auto found = FindCvc5();
  ASSERT_TRUE(found.ok()) << found.status();
  for (const char* variable : {"RUNFILES_DIR", "TEST_SRCDIR", "PATH"}) {
    setenv(variable, variable == std::string("PATH") ? getenv("TEST_TMPDIR") : folder.c_str(), 1);
    EXPECT_EQ(FindCvc5()->path, found->path) << variable;
  }
}

// One statement that cvc5 decides.
CheckOptions With(const std::string& solver) {
  CheckOptions options;
  options.cvc5 = solver;
  return options;
}
absl::StatusOr<CheckReport> CheckWith(const CheckOptions& options, int statements = 1) {
  Certificate c;
  c.model = {"m.onnx", 0, std::string(64, '0')};
  c.symbols = {{"N", "", 1, {}, 1, 0}, {"H", "", 1, {}, 1, 0}, {"W", "", 1, {}, 1, 0}};
  c.witness = {{"N", 1}, {"H", 1}, {"W", 1}};
  for (int i = 0; i < statements; ++i) {
    Obligation o;
    o.statement = "mod(N*" + std::to_string(i + 2) + ", " + std::to_string(i + 2) + ") == 0";
    c.obligations.push_back(o);
  }
  EXPECT_TRUE(FillSmtLib(c).ok());
  c.sha256 = Seal(c);
  return Check(c, options);
}

TEST(Solver, OneThatFailsProvesNothing) {
  for (const auto& [name, text] : {std::pair{"crashes", "kill -SEGV $$"},
                                   {"silent", "exit 0"},
                                   {"babbles", "echo perhaps"},
                                   {"contradicts", "cat >/dev/null; echo unsat; exit 1"}}) {
    const auto report = CheckWith(With(Script(name, text)));
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_FALSE(report->passed()) << name;
    EXPECT_THAT(report->obligations[0].failure, HasSubstr("cvc5 ")) << name;
  }
  EXPECT_THAT(
      std::string(CheckWith(With(Script("always", "kill -SEGV $$")), 100).status().message()),
      HasSubstr("the solver fails again and again: cvc5 was ended by signal 11"));
  const auto flood = CheckWith(With(Script("flood", "exec yes unknown")));
  ASSERT_TRUE(flood.ok()) << flood.status();
  EXPECT_THAT(flood->obligations[0].failure, HasSubstr("cvc5 wrote too much"));
}

TEST(Solver, TheTimeIsLimited) {
  CheckOptions options = With(Script("sleeps", "sleep 1000"));
  options.seconds = 1;
  EXPECT_THAT(std::string(CheckWith(options).status().message()), HasSubstr("`--timeout`"));
}

TEST(Solver, WritesProofs) {
  CheckOptions options;
  options.proofs = getenv("TEST_TMPDIR");
  const auto report = CheckWith(options, 2);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->proofs, 2);
  const auto query = support::ReadFile(options.proofs + "/1.smt2");
  const auto proof = support::ReadFile(options.proofs + "/1.alethe");
  ASSERT_TRUE(query.ok() && proof.ok());
  EXPECT_THAT(*query, HasSubstr("(check-sat)"));
  EXPECT_THAT(*proof, testing::StartsWith("(assume "));
  EXPECT_THAT(*proof, HasSubstr("(cl)"));
}

}  // namespace
}  // namespace tessera::certificate
