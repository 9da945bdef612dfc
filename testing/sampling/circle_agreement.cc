#include "testing/sampling/circle_agreement.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "support/aligned_copy.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/writer.h"
#include "targets/reference/executor.h"
#include "targets/reference/run_op.h"
#include "testing/literals.h"
#include "testing/sampling/campaign.h"

namespace tessera::testing {
namespace {

// What is f16 or bf16 is rounded behind each operation, as the reference does it.
circle::CompileOptions Rounding() {
  circle::CompileOptions options;
  options.run.disabled = {"circle-widen-halves"};
  return options;
}

// Kernels of the artifact compute in another order than the definition says, and in f32.
constexpr double kTolerance = 1e-5;
// Where the reference has f64, and adds small numbers to large ones.
constexpr double kDoubleTolerance = 1e-3;
constexpr char kTarget[] = "circle";

bool IsWordPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// `OP at SCOPE: REASON` on the first line after the head: the reason, with `N` for numbers, lists
// and sizes, and `T` for the dtype that is not what it should be.
std::string Normalized(const std::string& message) {
  std::string line = message.substr(std::min(message.find('\n') + 1, message.size()));
  line = line.substr(0, line.find('\n'));
  const size_t place = line.find(" at `");
  const size_t reason = line.find("`: ", place == std::string::npos ? 0 : place);
  if (reason != std::string::npos) line = line.substr(reason + 3);
  const size_t inner = line.rfind("`: ");
  if (inner != std::string::npos) line = line.substr(inner + 3);
  std::string text;
  for (size_t i = 0; i < line.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(line[i])) != 0;
    const bool in_word = !text.empty() && IsWordPart(text.back()) && text.back() != 'N';
    if (!digit || in_word) {
      text += line[i];
    } else if (text.empty() || text.back() != 'N') {
      text += 'N';
    }
  }
  for (const char* const repeated : {"N, N", "-N"}) {
    for (size_t at = text.find(repeated); at != std::string::npos; at = text.find(repeated))
      text.replace(at, std::string(repeated).size(), "N");
  }
  const size_t is = text.find("` is "), comma = text.find(", not ");
  if (is != std::string::npos && comma != std::string::npos && is < comma)
    text.replace(is + 5, comma - is - 5, "T");
  return text;
}

// The artifact has f32 in the place of f64.
std::vector<ir::Tensor> InTheirRange(const std::vector<ir::Tensor>& tensors) {
  std::vector<ir::Tensor> narrow;
  for (const ir::Tensor& tensor : tensors) {
    if (tensor.dtype() != ir::DType::kF64) {
      narrow.push_back(tensor);
      continue;
    }
    std::vector<double> values;
    for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.AsDouble(i));
    narrow.push_back(ir::Tensor::Of<double>(ir::DType::kF32, tensor.shape(), values));
  }
  return narrow;
}

// Which clause the lowering takes, where the graph has the operation itself.
void NoteClause(const Subject& subject, ir::Graph& graph, Seen& seen) {
  const std::vector<ir::Operation*> ops = graph.TopologicalOrder();
  for (ir::Operation* op : ops) {
    if (&op->info() != subject.info) continue;
    for (const ir::LoweringInfo& lowering : subject.info->lowerings) {
      if (lowering.target != kTarget) continue;
      ir::Rewriter rewriter(graph);
      rewriter.SetInsertionPoint(op);
      ir::TermBuilder builder(rewriter);
      lowering.apply(*op, builder);
      if (builder.taken() >= 0) ++seen[absl::StrCat("clause ", builder.taken())];
      rewriter.EraseUnused();
    }
  }
}

// Whether anything that was done assumes that numbers are finite.
bool SaysSo(const std::vector<passes::PassReport>& reports) {
  return std::any_of(reports.begin(), reports.end(), [](const passes::PassReport& report) {
    return report.assuming + report.assuming_lowerings > 0;
  });
}

std::string CheckAt(const Subject& subject, const Instance& instance, Sizes sizes, Seen& seen) {
  const std::string where = sizes == Sizes::kKnown ? "circle" : "circle, symbolic sizes";
  const auto failed = [&](const absl::Status& status) {
    return absl::StrCat(where, ": ", std::string(status.message()));
  };
  Network network;
  const absl::Status built = BuildNetwork(subject, instance, Constants::kChosen, sizes, network);
  if (sizes == Sizes::kSymbols && !built.ok()) {
    ++seen["sizes that it rests on"];
    return "";
  }
  if (!built.ok()) return failed(built);
  absl::StatusOr<reference::Executor> reference = reference::Executor::Create(network.graph);
  if (!reference.ok()) return failed(reference.status());
  const absl::StatusOr<std::vector<ir::Tensor>> expected = reference->Run(network.inputs);
  if (!expected.ok()) return failed(expected.status());
  NoteClause(subject, network.graph, seen);
  std::vector<passes::PassReport> reports;
  const absl::StatusOr<circle::CompileResult> compiled =
      circle::Compile(network.graph, Rounding(), &reports);
  if (!compiled.ok()) {
    // A refusal says so; anything else is a defect.
    if (!absl::IsUnimplemented(compiled.status())) return failed(compiled.status());
    ++seen[absl::StrCat("refused: ", Normalized(std::string(compiled.status().message())))];
    return "";
  }
  const absl::StatusOr<std::string> bytes = circle::WriteCircle(compiled->model);
  if (!bytes.ok()) return failed(bytes.status());
  const support::AlignedCopy copy(*bytes);
  const absl::StatusOr<circle::Executor> executor =
      circle::Executor::Create(copy.bytes, copy.owner);
  if (!executor.ok()) return failed(executor.status());
  const absl::StatusOr<std::vector<ir::Tensor>> actual = executor->Run(network.inputs);
  if (!actual.ok()) return failed(actual.status());
  const auto tolerance_of = [&](size_t i) {
    return (*expected)[i].dtype() == ir::DType::kF64 ? kDoubleTolerance : kTolerance;
  };
  const std::string difference =
      Difference(InTheirRange(*actual), InTheirRange(*expected), tolerance_of);
  if (!difference.empty())
    return absl::StrCat(SaysSo(reports) ? "circle says that it" : "circle",
                        where.substr(std::string("circle").size()), ", ", difference);
  ++seen[where];
  return "";
}

// With a zero in each input of integers, where the definition refuses that of constants alone (a
// divisor): the kernel has results.
std::optional<Instance> WithZeros(const Subject& subject, Instance instance) {
  bool changed = false;
  std::vector<const ir::Tensor*> inputs;
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    Operand& operand = instance.operands[i];
    inputs.push_back(operand.present ? &operand.tensor : nullptr);
    if (!operand.present || operand.constant || operand.tensor.size() == 0 ||
        ir::IsFloat(operand.tensor.dtype()) || !ir::OperandSpecAt(*subject.info, i)->data)
      continue;
    std::vector<int64_t> values;
    for (int64_t e = 0; e < operand.tensor.size(); ++e) values.push_back(operand.tensor.AsInt(e));
    values.front() = 0;
    operand.tensor =
        ir::Tensor::Of<int64_t>(operand.tensor.dtype(), operand.tensor.shape(), values);
    changed = true;
  }
  Network constants;
  if (!changed || subject.info->kernel == nullptr ||
      !absl::IsInvalidArgument(
          BuildNetwork(subject, instance, Constants::kAll, Sizes::kKnown, constants)) ||
      !reference::RunOp(*subject.info, inputs, instance.attrs).ok())
    return std::nullopt;
  return instance;
}

Findings RunCircle(const Subject& subject, const std::string& name, uint64_t seed, int count) {
  Seen seen;
  Findings findings = SampleInstances(subject, name, CheckCircle, seed, count, seen);
  for (const auto& [what, times] : seen) {
    if (absl::StartsWith(what, "refused: ")) Note(subject, name, what, findings);
  }
  for (const ops::LoweringSignature& lowering : subject.signature->lowerings) {
    if (lowering.target != kTarget) continue;
    for (size_t i = 0; i < lowering.clauses.size(); ++i) {
      if (seen.count(absl::StrCat("clause ", i)) != 0) continue;
      const std::string& guard = lowering.clauses[i].guard;
      Note(subject, name,
           absl::StrCat("no instance takes ",
                        guard.empty() ? "`otherwise`" : absl::StrCat("`when ", guard, "`")),
           findings);
    }
  }
  return findings;
}

}  // namespace

const Check& CircleCheck() {
  static const auto* check = new Check{"circle", 120, RunCircle};
  return *check;
}

std::string CheckCircle(const Subject& subject, const Instance& instance, Seen& seen) {
  std::string problem = CheckAt(subject, instance, Sizes::kKnown, seen);
  if (problem.empty()) problem = CheckAt(subject, instance, Sizes::kSymbols, seen);
  if (!problem.empty()) return problem;
  const std::optional<Instance> zeros = WithZeros(subject, instance);
  if (!zeros.has_value()) return "";
  ++seen["zeros that data bring"];
  return CheckAt(subject, *zeros, Sizes::kKnown, seen);
}

void CollectOperators(const Subject& subject, uint64_t seed, int count,
                      std::set<std::string>& operators) {
  const Property collect = [&](const Subject&, const Instance& instance, Seen&) {
    for (const Sizes sizes : {Sizes::kKnown, Sizes::kSymbols}) {
      Network network;
      if (!BuildNetwork(subject, instance, Constants::kChosen, sizes, network).ok()) continue;
      if (!circle::Compile(network.graph, Rounding()).ok()) continue;
      for (const ir::Operation* op : network.graph.TopologicalOrder())
        operators.insert(std::string(op->info().name));
    }
    return std::string();
  };
  (void)Sample(subject, collect, seed, count);
}

}  // namespace tessera::testing
