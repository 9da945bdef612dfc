#include "testing/sampling/rewrite_agreement.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "targets/reference/executor.h"
#include "testing/literals.h"
#include "testing/pattern_builder.h"
#include "testing/sampling/pattern_sampler.h"
#include "testing/sampling/shrink.h"

namespace tessera::testing {
namespace {

// Sides may round in another order.
double SlackOf(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kF16:
      return 2e-2;
    case ir::DType::kBF16:
      return 1e-1;
    case ir::DType::kF64:
      return 1e-5;  // guards take numbers that are nearly those they name
    default:
      return 1e-4;
  }
}

struct Outcome {
  bool legal = true;  // the left side has values
  bool fired = false;
  int missed = -1;
  std::string difference;
};

Outcome Try(const PatternSampler& sampler, const ir::RewriteInfo& rewrite, const Match& match) {
  Outcome outcome;
  LeftSide left;
  if (!sampler.Build(match, left).ok()) return {false};
  const auto failed = [&](const std::string& what, const absl::Status& status) {
    outcome.difference = absl::StrCat(what, ": ", std::string(status.message()));
    return outcome;
  };
  absl::StatusOr<reference::Executor> before = reference::Executor::Create(left.graph);
  if (!before.ok()) return {false};
  const absl::StatusOr<std::vector<ir::Tensor>> expected = before->Run(left.inputs);
  if (!expected.ok()) return {false};
  ir::Rewriter rewriter(left.graph);
  rewriter.SetInsertionPoint(left.root);
  ir::TermBuilder builder(rewriter);
  const std::vector<ir::Value*> right = rewrite.apply(*left.root, builder);
  if (!builder.ok()) return failed("right side", builder.status());
  if (right.empty()) {
    outcome.missed = builder.missed();
    return outcome;
  }
  outcome.fired = true;
  for (size_t i = 0; i < right.size(); ++i) {
    const absl::Status status = rewriter.ReplaceAllUses(left.results[i], right[i]);
    if (!status.ok()) return failed("right side", status);
  }
  if (const absl::Status status = ir::Verify(left.graph); !status.ok())
    return failed("right side", status);
  absl::StatusOr<reference::Executor> after = reference::Executor::Create(left.graph);
  if (!after.ok()) return failed("right side", after.status());
  const absl::StatusOr<std::vector<ir::Tensor>> actual = after->Run(left.inputs);
  if (!actual.ok()) return failed("right side", actual.status());
  for (size_t i = 0; i < actual->size(); ++i) {
    const std::string difference =
        Difference((*actual)[i], (*expected)[i], SlackOf((*expected)[i].dtype()));
    if (!difference.empty()) {
      outcome.difference = absl::StrCat("right side, output ", i, ": ", difference);
      return outcome;
    }
  }
  return outcome;
}

}  // namespace

RewriteCampaign SampleRewrite(const ops::Signature& signature, const ops::RewriteExample& example,
                              uint64_t seed, int count) {
  RewriteCampaign campaign;
  for (const ops::RewriteSignature& known : signature.rewrites) {
    if (known.name == example.rewrite) campaign.missed.resize(known.conjuncts.size());
  }
  const ir::RewriteInfo* rewrite = FindRewrite(example.rewrite, example.pattern.text);
  if (rewrite == nullptr) {
    campaign.failure = absl::StrCat(example.rewrite, ": not in the registry\n");
    return campaign;
  }
  PatternSampler sampler(signature, example, seed);
  Match match;
  while (campaign.graphs < count && sampler.Next(match)) {
    const Outcome outcome = Try(sampler, *rewrite, match);
    if (!outcome.legal) {
      if (++campaign.without_values > 4 * count) break;
      continue;
    }
    ++campaign.graphs;
    campaign.fired += outcome.fired ? 1 : 0;
    if (outcome.missed >= 0) ++campaign.missed[static_cast<size_t>(outcome.missed)];
    if (outcome.difference.empty()) continue;
    if (match.style != Style::kPlain) {
      // Is it the values?
      sampler.ChoosePlain(match);
      const Outcome plain = Try(sampler, *rewrite, match);
      if (!plain.legal || plain.difference.empty()) {
        campaign.finite_only = true;
        continue;
      }
    }
    const Fails fails = [&](const Instance& leaves) {
      Match smaller = match;
      smaller.leaves = leaves;
      const Outcome again = Try(sampler, *rewrite, smaller);
      return again.legal && !again.difference.empty();
    };
    match.leaves = Shrink(sampler.subject(), match.leaves, fails);
    campaign.failure = absl::StrCat(example.rewrite, ": ", Try(sampler, *rewrite, match).difference,
                                    "\n  in ", signature.file, ":\n  ", sampler.Text(match), "\n");
    break;
  }
  return campaign;
}

}  // namespace tessera::testing
