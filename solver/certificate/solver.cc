#include "solver/certificate/solver.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "solver/certificate/process.h"

namespace tessera::certificate {
namespace {

// A process takes about 20 ms to start, a query that is decided about 2 ms.
constexpr size_t kQueriesOfOneProcess = 8;
// A net under what cvc5 does not count as resources; 8 undecided queries take about 16 s.
constexpr int64_t kSecondsOfOneProcess = 80;
constexpr int64_t kMaxMemory = int64_t{2} << 30;

std::vector<std::string> Arguments(const std::string& program, const Attempt& attempt) {
  return {program, "--lang=smt2", absl::StrCat("--force-logic=", attempt.logic),
          absl::StrCat("--rlimit-per=", attempt.resources)};
}

// The answers, until the first line that is none.
std::vector<Answer> ReadAnswers(const std::string& output) {
  std::vector<Answer> answers;
  for (const auto& line : absl::StrSplit(output, '\n', absl::SkipEmpty())) {
    if (line == "unsat") {
      answers.push_back(Answer::kUnsat);
    } else if (line == "sat") {
      answers.push_back(Answer::kSat);
    } else if (line == "unknown") {
      answers.push_back(Answer::kUnknown);
    } else {
      break;
    }
  }
  return answers;
}

}  // namespace

std::string FindCvc5() {
  std::vector<std::string> folders;
  for (const char* variable : {"RUNFILES_DIR", "TEST_SRCDIR"}) {
    if (const char* folder = getenv(variable)) folders.push_back(folder);
  }
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  if (length > 0 && length < static_cast<ssize_t>(sizeof self))
    folders.push_back(std::string(self, static_cast<size_t>(length)) + ".runfiles");
  for (const std::string& folder : folders) {
    const std::string program = folder + "/debian/cvc5";
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return "cvc5";
}

absl::StatusOr<std::vector<Answer>> Cvc5::Decide(absl::Span<const std::string> queries,
                                                 const Attempt& attempt) const {
  std::vector<Answer> answers(queries.size(), Answer::kUnknown);
  // What is still to be asked: the parts of processes, each a range of queries.
  std::vector<std::pair<size_t, size_t>> parts;
  for (size_t first = 0; first < queries.size(); first += kQueriesOfOneProcess)
    parts.emplace_back(first, std::min(first + kQueriesOfOneProcess, queries.size()));
  while (!parts.empty()) {
    std::vector<Command> commands;
    for (const auto& [first, last] : parts) {
      Command command{Arguments(program_, attempt), ""};
      for (size_t i = first; i < last; ++i)
        absl::StrAppend(&command.input, queries[i], "(reset)\n");
      commands.push_back(std::move(command));
    }
    const absl::StatusOr<std::vector<Result>> results =
        RunAll(commands, kSecondsOfOneProcess, kMaxMemory);
    if (!results.ok()) return results.status();
    std::vector<std::pair<size_t, size_t>> rest;
    for (size_t k = 0; k < parts.size(); ++k) {
      const std::vector<Answer> read = ReadAnswers((*results)[k].output);
      const auto [first, last] = parts[k];
      const size_t count = std::min(read.size(), last - first);
      std::copy_n(read.begin(), count, answers.begin() + static_cast<ptrdiff_t>(first));
      // The query that ended the process stays unknown; those after it are asked anew.
      if (first + count + 1 < last) rest.emplace_back(first + count + 1, last);
    }
    parts = std::move(rest);
  }
  return answers;
}

std::vector<int64_t> Cvc5::Model(const std::string& query, absl::Span<const std::string> names,
                                 const Attempt& attempt) const {
  if (names.empty()) return {};
  Command command{Arguments(program_, attempt), query};
  command.arguments.push_back("--produce-models");
  for (const std::string& name : names)
    absl::StrAppend(&command.input, "(get-value (", name, "))\n");
  const absl::StatusOr<std::vector<Result>> results =
      RunAll(absl::MakeConstSpan(&command, 1), kSecondsOfOneProcess, kMaxMemory);
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

}  // namespace tessera::certificate
