#include "solver/certificate/solver.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace tessera::certificate {
namespace {

// A process takes about 20 ms to start, a query that is decided about 2 ms.
constexpr size_t kQueriesOfOneProcess = 8;
// A net under what cvc5 does not count as resources; 8 undecided queries take about 16 s.
constexpr int64_t kProcessorSeconds = 80;
constexpr int64_t kMemoryBytes = int64_t{2} << 30;
constexpr size_t kOutputBytes = size_t{16} << 20;
// So many in a row, and it is the solver that does not work, not a query that is too much for it.
constexpr size_t kMostFailures = 4;

// The answers, until the first line that is none; that one is `strange`.
std::vector<Answer> ReadAnswers(const std::string& output, std::string& strange) {
  std::vector<Answer> answers;
  for (const auto& line : absl::StrSplit(output, '\n', absl::SkipEmpty())) {
    if (line == "unsat") {
      answers.push_back(Answer::kUnsat);
    } else if (line == "sat") {
      answers.push_back(Answer::kSat);
    } else if (line == "unknown") {
      answers.push_back(Answer::kUnknown);
    } else {
      constexpr size_t kShown = 200;
      strange = std::string(line.substr(0, kShown));
      break;
    }
  }
  return answers;
}

// Of the query at which a process ended.
Reply ReplyOf(const Result& result, const std::string& strange) {
  if (result.end == End::kProcessor) return {Answer::kUnknown, ""};
  std::string failure = absl::StrCat("cvc5 ", EndText(result));
  if (!strange.empty()) absl::StrAppend(&failure, ", and said `", strange, "`");
  return {Answer::kFailed, std::move(failure)};
}

std::string PathOfThisProgram() {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length <= 0 || length >= static_cast<ssize_t>(sizeof self)) return "";
  return std::string(self, static_cast<size_t>(length));
}

}  // namespace

absl::StatusOr<Program> FindCvc5() {
  const std::string self = PathOfThisProgram();
  std::vector<std::string> roots = {self + ".runfiles/debian"};
  // A program among another's runfiles.
  constexpr char kRunfiles[] = ".runfiles/";
  if (const size_t at = self.find(kRunfiles); at != std::string::npos)
    roots.push_back(absl::StrCat(self.substr(0, at), kRunfiles, "debian"));
  // A program that has no runfiles because it is itself one of another's.
  if (const size_t at = self.find("/bazel-out/"); at != std::string::npos)
    roots.push_back(self.substr(0, at) + "/external/debian");
  for (const std::string& root : roots) {
    std::string path = root + "/usr/bin/cvc5";
    if (access(path.c_str(), X_OK) == 0)
      return Program{std::move(path), root + "/usr/lib/x86_64-linux-gnu"};
  }
  // Where it is installed: packaging/BUILD.
  const std::string folder = self.substr(0, self.rfind('/'));
  if (std::string path = folder + "/cvc5"; access(path.c_str(), X_OK) == 0)
    return Program{std::move(path), folder + "/../lib"};
  return absl::NotFoundError(
      absl::StrCat("there is no cvc5 beside `", self, "`; `--solver` names one"));
}

Command Cvc5::CommandFor(const Attempt& attempt, std::string input) const {
  Command command;
  command.arguments = {program_.path, "--lang=smt2", absl::StrCat("--force-logic=", attempt.logic),
                       absl::StrCat("--rlimit-per=", attempt.resources)};
  command.environment = {"LC_ALL=C", "PATH=/usr/bin:/bin"};
  if (!program_.libraries.empty())
    command.environment.push_back("LD_LIBRARY_PATH=" + program_.libraries);
  command.input = std::move(input);
  return command;
}

absl::StatusOr<std::vector<Result>> Cvc5::Run(absl::Span<const Command> commands) const {
  absl::StatusOr<std::vector<Result>> results =
      RunAll(commands, {kProcessorSeconds, kMemoryBytes, kOutputBytes, deadline_});
  if (!results.ok()) return results;
  for (const Result& result : *results) {
    if (result.end == End::kDeadline)
      return absl::DeadlineExceededError("cvc5 was not done when the time was over (`--timeout`)");
  }
  return results;
}

absl::StatusOr<std::vector<Reply>> Cvc5::Decide(absl::Span<const std::string> queries,
                                                const Attempt& attempt) const {
  std::vector<Reply> replies(queries.size());
  // What is still to be asked: the parts of processes, each a range of queries.
  std::vector<std::pair<size_t, size_t>> parts;
  for (size_t first = 0; first < queries.size(); first += kQueriesOfOneProcess)
    parts.emplace_back(first, std::min(first + kQueriesOfOneProcess, queries.size()));
  size_t failures = 0;
  while (!parts.empty()) {
    std::vector<Command> commands;
    for (const auto& [first, last] : parts) {
      std::string input;
      for (size_t i = first; i < last; ++i) absl::StrAppend(&input, queries[i], "(reset)\n");
      commands.push_back(CommandFor(attempt, std::move(input)));
    }
    const absl::StatusOr<std::vector<Result>> results = Run(commands);
    if (!results.ok()) return results.status();
    std::vector<std::pair<size_t, size_t>> rest;
    for (size_t k = 0; k < parts.size(); ++k) {
      const Result& result = (*results)[k];
      std::string strange;
      const std::vector<Answer> read = ReadAnswers(result.output, strange);
      const auto [first, last] = parts[k];
      const size_t count = std::min(read.size(), last - first);
      if (count > 0) failures = 0;
      for (size_t i = 0; i < count; ++i) replies[first + i].answer = read[i];
      if (first + count == last) {
        // A process that answers all and then fails has shown that it is not to be trusted.
        if (result.succeeded() && strange.empty()) continue;
        for (size_t i = first; i < last; ++i) replies[i] = ReplyOf(result, strange);
      } else {
        replies[first + count] = ReplyOf(result, strange);
      }
      const Reply& reply = replies[std::min(first + count, last - 1)];
      if (reply.answer == Answer::kFailed && ++failures >= kMostFailures) {
        return absl::UnavailableError(
            absl::StrCat("the solver fails again and again: ", reply.failure));
      }
      // Those after the query that ended the process are asked anew.
      if (first + count + 1 < last) rest.emplace_back(first + count + 1, last);
    }
    parts = std::move(rest);
  }
  return replies;
}

std::vector<int64_t> Cvc5::Model(const std::string& query, absl::Span<const std::string> names,
                                 const Attempt& attempt) const {
  if (names.empty()) return {};
  Command command = CommandFor(attempt, query);
  command.arguments.push_back("--produce-models");
  for (const std::string& name : names)
    absl::StrAppend(&command.input, "(get-value (", name, "))\n");
  const absl::StatusOr<std::vector<Result>> results = Run(absl::MakeConstSpan(&command, 1));
  if (!results.ok()) return {};
  // `sat`, then `((NAME 5))` or `((NAME (- 5)))` for each.
  const std::vector<std::string> lines =
      absl::StrSplit((*results)[0].output, '\n', absl::SkipEmpty());
  if (lines.size() != names.size() + 1 || lines[0] != "sat") return {};
  std::vector<int64_t> values;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string start = absl::StrCat("((", names[i], " ");
    if (lines[i + 1].compare(0, start.size(), start) != 0) return {};
    const std::string number =
        absl::StrReplaceAll(lines[i + 1].substr(start.size()), {{"(- ", "-"}, {")", ""}});
    int64_t value;
    if (!absl::SimpleAtoi(number, &value)) return {};
    values.push_back(value);
  }
  return values;
}

absl::StatusOr<std::vector<std::string>> Cvc5::Proofs(absl::Span<const std::string> queries,
                                                      const Attempt& attempt) const {
  std::vector<Command> commands;
  for (const std::string& query : queries) {
    Command& command = commands.emplace_back(CommandFor(attempt, query));
    for (const char* option : {"--produce-proofs", "--dump-proofs", "--proof-format-mode=alethe"})
      command.arguments.emplace_back(option);
  }
  const absl::StatusOr<std::vector<Result>> results = Run(commands);
  if (!results.ok()) return results.status();
  std::vector<std::string> proofs;
  for (const Result& result : *results) {
    constexpr char kAnswer[] = "unsat\n(";
    const bool proved = result.succeeded() && absl::StartsWith(result.output, kAnswer);
    proofs.push_back(proved ? result.output.substr(result.output.find('\n') + 1) : "");
  }
  return proofs;
}

}  // namespace tessera::certificate
