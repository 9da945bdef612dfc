#include "testing/sampling/checks.h"

#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "solver/remedy.h"
#include "testing/sampling/campaign.h"
#include "testing/sampling/rewrite_agreement.h"

namespace tessera::testing {
namespace {

Findings RunAgreement(const Subject& subject, const std::string& name, uint64_t seed, int count) {
  Seen seen;
  Findings findings = SampleInstances(subject, name, CheckAgreement, seed, count, seen);
  const auto expect = [&](const std::string& what, bool possible) {
    if (possible && seen.count(what) == 0)
      Note(subject, name, absl::StrCat("without ", what), findings);
  };
  expect("fast", subject.info->fast);
  expect("symbolic elements", subject.info->symbolic != nullptr);
  expect("symbolic sizes", subject.info->kernel != nullptr);
  return findings;
}

Findings RunRewrites(const Subject& subject, const std::string& name, uint64_t seed, int count) {
  Findings findings;
  std::map<std::string, RewriteCampaign> campaigns;
  for (const ops::RewriteExample& example : subject.examples->rewrites) {
    const RewriteCampaign campaign = SampleRewrite(*subject.signature, example, seed, count);
    absl::StrAppend(&findings.summary, findings.summary.empty() ? "" : "; ", example.rewrite, " ",
                    campaign.graphs, " graphs, ", campaign.fired, " rewritten");
    for (size_t i = 0; i < campaign.missed.size(); ++i)
      absl::StrAppend(&findings.summary, i == 0 ? ", refused " : "/", campaign.missed[i]);
    findings.failure += campaign.failure;
    RewriteCampaign& all = campaigns[example.rewrite];
    all.graphs += campaign.graphs;
    all.fired += campaign.fired;
    all.finite_only = all.finite_only || campaign.finite_only;
    all.missed.resize(campaign.missed.size());
    for (size_t i = 0; i < all.missed.size(); ++i) all.missed[i] += campaign.missed[i];
  }
  for (const ops::RewriteSignature& rewrite : subject.signature->rewrites) {
    const RewriteCampaign& campaign = campaigns[rewrite.name];
    const auto note = [&](const std::string& text) {
      Note(subject, name, absl::StrCat("`", rewrite.name, "` ", text), findings);
    };
    if (campaign.fired == 0) note("is never applied");
    if (campaign.finite_only) note("differs where a value is not finite");
    for (size_t i = 0; i < campaign.missed.size(); ++i) {
      if (campaign.missed[i] == 0)
        note(absl::StrCat("is never refused by `", rewrite.conjuncts[i], "`"));
    }
  }
  return findings;
}

}  // namespace

void Note(const Subject& subject, const std::string& name, const std::string& text,
          Findings& findings) {
  findings.notes.push_back(
      absl::StrCat(name, " ", subject.signature->dialect, ".", subject.signature->op, ": ", text));
}

Findings Run(const Check& check, const Subject& subject, uint64_t seed, int count) {
  // Refusals are counted.
  const solver::WithoutRemedies counted;
  Findings findings = check.run(subject, check.name, seed, count);
  if (!findings.summary.empty())
    findings.pin = absl::StrCat(check.name, " ", subject.signature->dialect, ".",
                                subject.signature->op, ": samples: ", findings.summary);
  return findings;
}

Findings SampleInstances(const Subject& subject, const std::string& name, const Property& property,
                         uint64_t seed, int count, Seen& seen) {
  const Campaign campaign = Sample(subject, property, seed, count);
  seen = campaign.seen;
  Findings findings{absl::StrCat(campaign.instances, " instances"), campaign.failure, {}};
  for (const auto& [what, times] : campaign.seen)
    absl::StrAppend(&findings.summary, "; ", what, " ", times);
  for (const auto& [what, times] : seen) {
    if (absl::StrContains(what, " differs where ")) Note(subject, name, what, findings);
  }
  if (campaign.instances < count && campaign.failure.empty())
    Note(subject, name, absl::StrCat("has ", campaign.instances, " instances"), findings);
  return findings;
}

const std::vector<Check>& CommonChecks() {
  static const auto* checks =
      new std::vector<Check>{{"agreement", 400, RunAgreement}, {"rewrites", 1500, RunRewrites}};
  return *checks;
}

}  // namespace tessera::testing
