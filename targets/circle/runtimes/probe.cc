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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "support/aligned_copy.h"
#include "support/file.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/runtimes/computed_probes.h"
#include "targets/circle/runtimes/control_flow_probes.h"
#include "targets/circle/runtimes/integer_probes.h"
#include "targets/circle/runtimes/launch.h"
#include "targets/circle/runtimes/probe_case.h"
#include "targets/circle/runtimes/probes_text.h"
#include "targets/circle/runtimes/size_probes.h"
#include "targets/circle/runtimes/table.h"

namespace tessera::circle {
namespace {

constexpr double kTolerance = 1e-4;  // of the range of what is right
constexpr size_t kLongestText = 120;
constexpr int64_t kImageRank = 4;

struct Attempt {
  Use use;
  std::vector<std::string> forms;  // in which it differs from the plain use; the last one names it
  std::vector<ir::Tensor> expected;
  std::string outcome;
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
    for (const auto& files : {MakeIntegerProbes(), MakeControlFlowProbes()}) {
      if (!files.ok()) return files.status();
      for (const ProbeFile& file : *files) {
        if (absl::Status status = Add(file, {}); !status.ok()) return status;
      }
    }
    const absl::StatusOr<std::vector<LaunchOutputs>> results =
        RunIn(runtime_, packages_, launches_);
    if (!results.ok()) return results.status();
    for (size_t i = 0; i < attempts_.size(); ++i) {
      const LaunchOutputs& outputs = (*results)[i];
      attempts_[i].outcome =
          outputs.ok()
              ? OutcomeOf(*outputs, attempts_[i].expected)
              : Shortened(absl::StrCat("refused: ", std::string(outputs.status().message())));
    }
    // What is plain first: a form has a row only where it differs.
    std::stable_sort(attempts_.begin(), attempts_.end(), [](const Attempt& a, const Attempt& b) {
      return a.forms.size() < b.forms.size();
    });
    for (const Attempt& attempt : attempts_) {
      const std::string known = table_.WhyNot(attempt.use);
      const bool tried = known.rfind(kNotTried, 0) != 0;
      const std::string outcome = known.empty() ? kRuns : known;
      if (tried && (outcome != kRuns || attempt.outcome == kRuns)) continue;
      table_.Add(attempt.use.op, {attempt.use.types,
                                  attempt.forms.empty() ? kEveryForm : attempt.forms.back(),
                                  {attempt.use.rank},
                                  attempt.outcome});
    }
    return absl::OkStatus();
  }

  std::string Text() const { return table_.ToText(); }
  size_t size() const { return attempts_.size(); }

 private:
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
      const absl::StatusOr<std::optional<ProbeFile>> computed = WithComputed(*file);
      if (!computed.ok()) return computed.status();
      if (computed->has_value()) {
        if (absl::Status status = Add(**computed, one.forms); !status.ok()) return status;
      }
    }
    // What a runtime does with sizes that it learns late differs between operators, not element
    // types and ranks.
    if (dynamic && one.type == "f32" && file->use.rank == kImageRank) {
      const absl::StatusOr<std::optional<ProbeFile>> behind = BehindComputedShapes(*file);
      if (!behind.ok()) return behind.status();
      if (behind->has_value()) {
        if (absl::Status status = Add(**behind, one.forms); !status.ok()) return status;
      }
    }
    return Add(*file, one.forms);
  }

  absl::Status Add(const ProbeFile& file, std::vector<std::string> forms) {
    const support::AlignedCopy copy(file.circle);
    const absl::StatusOr<Executor> executor = Executor::Create(copy.bytes, copy.owner);
    if (!executor.ok()) return executor.status();
    absl::StatusOr<std::vector<ir::Tensor>> expected = executor->Run(file.inputs);
    if (!expected.ok()) return expected.status();
    for (const char* form : {kBroadcast, kDynamic, kComputed, kUnknownResults}) {
      if (file.use.forms.count(form) != 0) forms.emplace_back(form);
    }
    attempts_.push_back({file.use, std::move(forms), *std::move(expected), ""});
    launches_.push_back({file.circle, file.inputs});
    return absl::OkStatus();
  }

  std::string runtime_, packages_;
  std::vector<Attempt> attempts_;
  std::vector<Launch> launches_;
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
