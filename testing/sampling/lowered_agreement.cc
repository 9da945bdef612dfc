#include "testing/sampling/lowered_agreement.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/graph.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "targets/reference/executor.h"
#include "testing/literals.h"
#include "testing/sampling/sampler.h"
#include "testing/sampling/some_place.h"

namespace tessera::testing {
namespace {

// Sums are taken in another order, and a maximum is a difference added again.
constexpr double kTolerance = 2e-4;
constexpr ir::DTypeSet kFloats = ir::SetOf(ir::DType::kF16) | ir::SetOf(ir::DType::kBF16) |
                                 ir::SetOf(ir::DType::kF32) | ir::SetOf(ir::DType::kF64);
constexpr int kPlaces = 3;  // the first one holds everything

// Artifacts of core ops for Circle are executed by another check, behind all its passes; without
// them a lowering may have element types that the format has not.
bool IsLookedAt(const Subject& subject, const ir::LoweringInfo& lowering) {
  return subject.signature->dialect != "core" || lowering.target != "circle";
}

// `refused`: it is not lowered, other than because its sizes are symbols.
std::string CheckOne(const Subject& subject, const Instance& instance,
                     const ir::LoweringInfo& lowering, Sizes sizes, int number, Seen& seen,
                     bool& refused) {
  const std::string where(lowering.target);
  const auto failed = [&](const absl::Status& status) {
    return absl::StrCat(where, ": ", std::string(status.message()));
  };
  Network network;
  // What rests on sizes has no symbols for them.
  if (!BuildNetwork(subject, instance, Constants::kChosen, sizes, network).ok()) return "";
  absl::StatusOr<reference::Executor> before = reference::Executor::Create(network.graph);
  if (!before.ok()) return failed(before.status());
  const absl::StatusOr<std::vector<ir::Tensor>> expected = before->Run(network.inputs);
  if (!expected.ok()) return failed(expected.status());
  ir::Operation* op = nullptr;
  for (ir::Operation* each : network.graph.TopologicalOrder())
    op = &each->info() == subject.info ? each : op;
  if (op == nullptr) return "";
  ir::Rewriter rewriter(network.graph);
  rewriter.SetInsertionPoint(op);
  ir::TermBuilder builder(rewriter);
  const SomePlace place(number);
  if (number != 0) builder.SetCapabilities(&place);
  const std::vector<ir::Value*> made = lowering.apply(*op, builder);
  if (!builder.ok()) return failed(builder.status());
  if (builder.taken() >= 0) ++seen[absl::StrCat(where, " clause ", builder.taken())];
  refused = made.empty();
  if (refused) return "";
  const std::vector<ir::Value*> results(op->results().begin(), op->results().end());
  for (size_t i = 0; i < made.size() && i < results.size(); ++i) {
    if (made[i] == nullptr) continue;
    const absl::Status status = rewriter.ReplaceAllUses(results[i], made[i]);
    if (!status.ok()) return failed(status);
  }
  rewriter.EraseUnused();
  absl::StatusOr<reference::Executor> after = reference::Executor::Create(network.graph);
  if (!after.ok()) return failed(after.status());
  const absl::StatusOr<std::vector<ir::Tensor>> actual = after->Run(network.inputs);
  if (!actual.ok()) return failed(actual.status());
  const std::string difference = Difference(*actual, *expected, kTolerance);
  if (!difference.empty())
    return absl::StrCat(where, builder.assumed_finite() ? " says that it" : "", ": ", difference);
  ++seen[where];
  return "";
}

// Networks reach the devices in f32.
Instance InTheirFloats(Instance instance) {
  for (Operand& operand : instance.operands) {
    const ir::DType dtype = operand.tensor.dtype();
    if (operand.present && ir::Contains(kFloats, dtype) && dtype != ir::DType::kF32)
      operand.tensor = operand.tensor.CastTo(ir::DType::kF32);
  }
  return instance;
}

bool HasFloats(const Instance& instance) {
  return std::any_of(instance.operands.begin(), instance.operands.end(), [](const auto& operand) {
    return operand.present && operand.tensor.dtype() == ir::DType::kF32;
  });
}

std::string CheckLowered(const Subject& subject, const Instance& sampled, Seen& seen) {
  const bool core = subject.signature->dialect == "core";
  const Instance instance = core ? InTheirFloats(sampled) : sampled;
  if (core &&
      (!HasFloats(instance) || !IsLegal(subject, instance) || !HasValues(subject, instance)))
    return "";
  const Instance weighted = WithWeights(instance);
  for (const ir::LoweringInfo& lowering : subject.info->lowerings) {
    if (!IsLookedAt(subject, lowering)) continue;
    for (const Sizes sizes : {Sizes::kKnown, Sizes::kSymbols}) {
      for (int number = 0; number < kPlaces; ++number) {
        // Only operators ask what a place holds.
        if (number > 0 && core) continue;
        bool refused = false;
        std::string problem = CheckOne(subject, instance, lowering, sizes, number, seen, refused);
        if (problem.empty() && refused && core)
          problem = CheckOne(subject, weighted, lowering, sizes, number, seen, refused);
        if (!problem.empty()) return problem;
      }
    }
  }
  return "";
}

Findings RunLowered(const Subject& subject, const std::string& name, uint64_t seed, int count) {
  bool any = false;
  for (const ir::LoweringInfo& lowering : subject.info->lowerings)
    any = any || IsLookedAt(subject, lowering);
  if (!any) return {};
  Seen seen;
  Findings findings = SampleInstances(subject, name, CheckLowered, seed, count, seen);
  for (const ops::LoweringSignature& lowering : subject.signature->lowerings) {
    for (size_t i = 0; i < lowering.clauses.size(); ++i) {
      if (subject.signature->dialect == "core" && lowering.target == "circle") continue;
      if (seen.count(absl::StrCat(lowering.target, " clause ", i)) != 0) continue;
      const std::string& guard = lowering.clauses[i].guard;
      Note(subject, name,
           absl::StrCat("no instance takes ", lowering.target, "'s ",
                        guard.empty() ? "`otherwise`" : absl::StrCat("`when ", guard, "`")),
           findings);
    }
  }
  return findings;
}

}  // namespace

const Check& LoweredCheck() {
  static const auto* check = new Check{"lowered", 120, RunLowered};
  return *check;
}

}  // namespace tessera::testing
