// Finds out what a runtime of others can hold: one-operator files, each run in it and by our own
// executor.
//
//   bazel run //targets/circle/runtimes:probe -- onert [PACKAGES]
//
// writes targets/circle/runtimes/onert.tsv. PACKAGES: the folder with the runtime's Python package;
// default: where `python3` finds it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "support/aligned_copy.h"
#include "support/file.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/runtimes/cast_probes.h"
#include "targets/circle/runtimes/computed_probes.h"
#include "targets/circle/runtimes/control_flow_probes.h"
#include "targets/circle/runtimes/integer_probes.h"
#include "targets/circle/runtimes/launch.h"
#include "targets/circle/runtimes/probe_case.h"
#include "targets/circle/runtimes/probes_text.h"
#include "targets/circle/runtimes/results_probes.h"
#include "targets/circle/runtimes/results_use.h"
#include "targets/circle/runtimes/size_probes.h"
#include "targets/circle/runtimes/table.h"

namespace tessera::circle {
namespace {

constexpr double kTolerance = 1e-4;  // of the range of what is right
constexpr size_t kLongestText = 120;
constexpr int64_t kImageRank = 4;
constexpr int kMostSeconds = 2;  // of processor time: some operators do not end on nothing

struct Attempt {
  Use use;
  std::vector<std::string> own_forms;  // as the case says
  std::vector<std::string> forms;  // in which it differs from the plain use; the last one names it
  std::vector<ir::Tensor> expected;
  std::string outcome;
  ProbeFile file;
  size_t first_given = 0;         // of its inputs: numbers by which the operator goes
  std::vector<size_t> positions;  // of its inputs: those that are positions of entries
};

bool IsCode(ir::DType dtype) {
  return dtype == ir::DType::kI8 || dtype == ir::DType::kU8 || dtype == ir::DType::kI16;
}

std::string OutcomeOf(const std::vector<ir::Tensor>& actual,
                      const std::vector<ir::Tensor>& expected) {
  if (actual.size() != expected.size()) return absl::StrCat("wrong: ", actual.size(), " results");
  for (size_t i = 0; i < actual.size(); ++i) {
    if (actual[i].dtype() != expected[i].dtype()) return "wrong: another element type";
    if (actual[i].shape() != expected[i].shape()) return "wrong: another shape";
    double low = 0, high = 0, difference = 0;
    for (int64_t k = 0; k < expected[i].size(); ++k) {
      const double right = expected[i].AsDouble(k), here = actual[i].AsDouble(k);
      low = k == 0 ? right : std::min(low, right);
      high = k == 0 ? right : std::max(high, right);
      difference = std::isnan(here) != std::isnan(right) ? HUGE_VAL
                   : std::isnan(right)                   ? difference
                                       : std::max(difference, std::abs(here - right));
    }
    // Kernels over integers round in other places.
    const double step = IsCode(expected[i].dtype()) ? 1 : 0;
    if (difference > std::max(step, kTolerance * std::max(high - low, 1e-3)))
      return "wrong: other values";
  }
  return kRuns;
}

std::string Shortened(std::string text) {
  text = absl::StrReplaceAll(text, {{"\t", " "}, {"\n", " "}});
  if (text.size() > kLongestText) text.resize(kLongestText);
  return text;
}

std::vector<size_t> PositionsOf(const ProbeCase& probe) {
  std::vector<size_t> positions;
  size_t input = 0;
  for (const ProbeOperand& operand : probe.operands) {
    if (!operand.present || operand.constant) continue;
    if (operand.below > 0) positions.push_back(input);
    ++input;
  }
  return positions;
}

// Without entries the form names all in which it differs, but that its sizes are not known.
std::string RowForm(const Attempt& attempt) {
  if (attempt.forms.empty()) return kEveryForm;
  if (!absl::StartsWith(attempt.forms.back(), kEmpty)) return attempt.forms.back();
  std::vector<std::string> forms = attempt.forms;
  forms.erase(std::remove(forms.begin(), forms.end(), kDynamic), forms.end());
  return absl::StrJoin(forms, ",");
}

class Probe {
 public:
  Probe(std::string runtime, std::string packages)
      : runtime_(std::move(runtime)), packages_(std::move(packages)) {}

  absl::Status Run() {
    const absl::StatusOr<std::vector<ProbeCase>> cases = ParseProbes(ProbesText());
    if (!cases.ok()) return cases.status();
    for (const bool dynamic : {false, true}) {
      for (const ProbeCase& one : *cases) {
        if (absl::Status status = Prepare(one, dynamic); !status.ok()) return status;
      }
    }
    for (const auto& files : {MakeIntegerProbes(), MakeControlFlowProbes(), MakeResultsProbes()}) {
      if (!files.ok()) return files.status();
      for (const ProbeFile& file : *files) {
        if (absl::Status status = Add(file, {}, file.inputs.size()); !status.ok()) return status;
      }
    }
    if (absl::Status status = RunFrom(0); !status.ok()) return status;
    // What runs, once more without entries.
    const size_t plain = attempts_.size();
    for (size_t i = 0; i < plain; ++i) AddWithoutEntries(i);
    if (absl::Status status = RunFrom(plain); !status.ok()) return status;
    // What is plain first: a form has a row only where it differs.
    std::stable_sort(attempts_.begin(), attempts_.end(), [](const Attempt& a, const Attempt& b) {
      return a.forms.size() < b.forms.size();
    });
    for (Attempt& attempt : attempts_) {
      const std::string known = table_.WhyNot(attempt.use);
      const bool tried = known.rfind(kNotTried, 0) != 0;
      // Where a constant always comes first, as weights of transposed convolutions do, or where
      // several axes alone are tried, that is no form.
      for (const char* form : {kConstantLeft, kSeveralAxes}) {
        if (!tried)
          attempt.forms.erase(std::remove(attempt.forms.begin(), attempt.forms.end(), form),
                              attempt.forms.end());
      }
      const std::string outcome = known.empty() ? kRuns : known;
      if (tried && (outcome != kRuns || attempt.outcome == kRuns)) continue;
      table_.Add(attempt.use.op,
                 {attempt.use.types, RowForm(attempt), {attempt.use.rank}, attempt.outcome});
    }
    return absl::OkStatus();
  }

  std::string Text() const { return table_.ToText(); }
  size_t size() const { return attempts_.size(); }

 private:
  // In processes that files share, and what does not run there once more in one of its own: what
  // another one wrote over memory may be why.
  absl::Status RunFrom(size_t first) {
    std::vector<size_t> all(attempts_.size() - first);
    std::iota(all.begin(), all.end(), first);
    if (absl::Status status = Run(all, Processes::kShared); !status.ok()) return status;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](size_t i) { return attempts_[i].outcome == kRuns; }),
              all.end());
    if (absl::Status status = Run(all, Processes::kOneEach); !status.ok()) return status;
    for (const size_t i : all) {
      // Without entries chance decides which.
      constexpr absl::string_view kEnded = "refused: the process was ended";
      if (first > 0 && absl::StartsWith(attempts_[i].outcome, kEnded))
        attempts_[i].outcome = absl::StrCat(kEnded, " by a signal");
    }
    return absl::OkStatus();
  }

  absl::Status Run(const std::vector<size_t>& which, Processes processes) {
    std::vector<Launch> launches;
    for (const size_t i : which)
      launches.push_back({attempts_[i].file.circle, attempts_[i].file.inputs});
    const absl::StatusOr<std::vector<LaunchOutputs>> results =
        RunIn(runtime_, packages_, launches, kMostSeconds, processes);
    if (!results.ok()) return results.status();
    for (size_t k = 0; k < which.size(); ++k) {
      const LaunchOutputs& outputs = (*results)[k];
      Attempt& attempt = attempts_[which[k]];
      attempt.outcome =
          outputs.ok()
              ? OutcomeOf(*outputs, attempt.expected)
              : Shortened(absl::StrCat("refused: ", std::string(outputs.status().message())));
    }
    return absl::OkStatus();
  }

  void AddWithoutEntries(size_t of) {
    if (attempts_[of].outcome != kRuns || attempts_[of].use.types == kAnyTypes) return;
    const std::vector<ir::Tensor> before = attempts_[of].file.inputs;
    const std::vector<size_t> positions = attempts_[of].positions;
    const size_t first_given = attempts_[of].first_given;
    const std::vector<std::string> forms = attempts_[of].own_forms;
    for (const ProbeFile& file : WithoutEntries(attempts_[of].file, first_given)) {
      // Of what has no entries there are no positions.
      if (std::any_of(positions.begin(), positions.end(),
                      [&](size_t i) { return file.inputs[i].shape() == before[i].shape(); }))
        continue;
      // What is not allowed is no probe.
      if (!Add(file, forms, first_given).ok()) continue;
      if (file.use.forms.count(kEmpty) != 0) continue;
      Attempt& last = attempts_.back();
      const auto none = [](const ir::Tensor& tensor) { return tensor.size() == 0; };
      if (std::none_of(last.expected.begin(), last.expected.end(), none)) {
        attempts_.pop_back();
      } else {
        last.use.forms.insert(kEmptyResults);
        last.forms.emplace_back(kEmptyResults);
      }
    }
  }

  absl::Status Prepare(const ProbeCase& one, bool dynamic) {
    absl::StatusOr<ProbeFile> file = MakeProbe(one, dynamic ? Sizes::kUnknown : Sizes::kKnown);
    if (!file.ok() && dynamic) file = MakeProbe(one, Sizes::kUnknownButLast);
    if (!file.ok() && dynamic) file = MakeProbe(one, Sizes::kUnknownFirst);
    // With unknown sizes some are not allowed.
    if (!file.ok() && dynamic) return absl::OkStatus();
    if (!file.ok())
      return absl::Status(file.status().code(), absl::StrCat(one.op, " of ", one.type, ": ",
                                                             std::string(file.status().message())));
    if (dynamic && file->use.forms.count(kDynamic) == 0) return absl::OkStatus();
    if (!dynamic) {
      const absl::StatusOr<std::optional<ProbeFile>> between = BetweenCasts(*file);
      if (!between.ok()) return between.status();
      if (between->has_value()) {
        if (absl::Status status = Add(**between, one.forms, (*between)->inputs.size());
            !status.ok())
          return status;
        attempts_.back().positions = PositionsOf(one);
      }
      const absl::StatusOr<std::optional<ProbeFile>> computed = WithComputed(*file);
      if (!computed.ok()) return computed.status();
      if (computed->has_value()) {
        if (absl::Status status = Add(**computed, one.forms, file->inputs.size()); !status.ok())
          return status;
        attempts_.back().positions = PositionsOf(one);
      }
    }
    // What a runtime does with sizes that it learns late differs between operators, not element
    // types and ranks.
    if (dynamic && one.type == "f32" && file->use.rank == kImageRank) {
      const absl::StatusOr<std::optional<ProbeFile>> behind = BehindComputedShapes(*file);
      if (!behind.ok()) return behind.status();
      if (behind->has_value()) {
        if (absl::Status status = Add(**behind, one.forms, (*behind)->inputs.size()); !status.ok())
          return status;
        attempts_.back().positions = PositionsOf(one);
      }
    }
    if (absl::Status status = Add(*file, one.forms, file->inputs.size()); !status.ok())
      return status;
    attempts_.back().positions = PositionsOf(one);
    return absl::OkStatus();
  }

  absl::Status Add(const ProbeFile& file, std::vector<std::string> forms, size_t first_given) {
    const support::AlignedCopy copy(file.circle);
    const absl::StatusOr<Executor> executor = Executor::Create(copy.bytes, copy.owner);
    if (!executor.ok()) return executor.status();
    absl::StatusOr<std::vector<ir::Tensor>> expected = executor->Run(file.inputs);
    if (!expected.ok()) return expected.status();
    const std::vector<std::string> own_forms = forms;
    // Ahead of those of the case, of which a row is about the last: reductions with several axes.
    if (file.use.forms.count(kSeveralAxes) != 0) forms.emplace(forms.begin(), kSeveralAxes);
    for (const char* form : {kCast, kBroadcast, kConstantLeft, kDynamic, kComputed, kUnknownResults,
                             kTakenElsewhere, kLateIntegers, kCovered, kEmpty}) {
      if (file.use.forms.count(form) != 0) forms.emplace_back(form);
    }
    attempts_.push_back(
        {file.use, own_forms, std::move(forms), *std::move(expected), "", file, first_given});
    return absl::OkStatus();
  }

  std::string runtime_, packages_;
  std::vector<Attempt> attempts_;
  RuntimeTable table_;
};

int Main(int argc, char** argv) {
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (argc < 2 || argc > 3 || workspace == nullptr) {
    std::cerr << "usage: bazel run //targets/circle/runtimes:probe -- RUNTIME [PACKAGES]\n";
    return 2;
  }
  RegisterOperators();
  Probe probe(argv[1], argc > 2 ? argv[2] : "");
  absl::Status status = probe.Run();
  const std::string path = absl::StrCat(workspace, "/targets/circle/runtimes/", argv[1], ".tsv");
  if (status.ok()) {
    // The first line names what was probed.
    const std::string old = support::ReadFile(path).value_or("");
    const std::string title = old.substr(0, old.find('\n'));
    status = support::WriteFile(
        path, absl::StrCat(title,
                           "\n# Operator, types, form, ranks and outcome: written by `bazel run "
                           "//targets/circle/runtimes:probe -- ",
                           argv[1], "`.\n", probe.Text()));
  }
  if (!status.ok()) {
    std::cerr << status.message() << "\n";
    return 1;
  }
  std::cout << probe.size() << " files were run in " << argv[1] << ", wrote " << path << "\n";
  return 0;
}

}  // namespace
}  // namespace tessera::circle

int main(int argc, char** argv) { return tessera::circle::Main(argc, argv); }
