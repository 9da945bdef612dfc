#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/data/data_set.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "support/aligned_copy.h"
#include "targets/all/all.h"
#include "tools/verification/target.h"

namespace tessera::verification {
namespace {

class LinkedTarget : public Target {
 public:
  LinkedTarget(const targets::Target& target, targets::FlagValues flags,
               targets::Tolerance tolerance, std::optional<targets::ForeignRuntime> runtime,
               std::optional<std::string> artifact)
      : target_(target),
        flags_(std::move(flags)),
        tolerance_(tolerance),
        runtime_(std::move(runtime)),
        artifact_(std::move(artifact)) {}

  std::string_view name() const override { return target_.name(); }
  double tolerance() const override { return tolerance_.peir; }
  double least_snr() const override { return tolerance_.snr; }

  const std::string* artifact() const override { return artifact_ ? &*artifact_ : nullptr; }

  absl::StatusOr<std::string> Compile(ir::Graph& graph) const override {
    target_.Register();
    const absl::StatusOr<std::unique_ptr<targets::Compilation>> compilation =
        target_.Configure(flags_);
    if (!compilation.ok()) return compilation.status();
    if (absl::Status status = targets::TakesSizes(**compilation, graph); !status.ok())
      return status;
    passes::Pipeline pipeline = passes::CanonicalPipeline();
    for (const passes::Pass& pass : (*compilation)->pipeline()) pipeline.push_back(pass);
    std::vector<passes::PassReport> reports;
    absl::Status status = passes::Run(graph, pipeline, {}, reports);
    if (status.ok()) status = (*compilation)->Emit(graph, {});
    if (!status.ok()) return status;
    const absl::StatusOr<targets::Serialized> artifact = (*compilation)->Serialize();
    if (!artifact.ok()) return artifact.status();
    tolerance_ = (*compilation)->tolerance();
    return artifact->Join();
  }

  absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view bytes, absl::Span<const ir::Tensor> inputs) const override {
    absl::StatusOr<Execution> execution = ExecuteWithNotes(bytes, inputs);
    if (!execution.ok()) return execution.status();
    return std::move(execution->outputs);
  }

  absl::StatusOr<Execution> ExecuteWithNotes(std::string_view bytes,
                                             absl::Span<const ir::Tensor> inputs) const override {
    if (runtime_.has_value()) {
      absl::StatusOr<std::vector<ir::Tensor>> outputs = target_.RunIn(*runtime_, bytes, inputs);
      if (!outputs.ok()) return outputs.status();
      return Execution{*std::move(outputs), {absl::StrCat("executed by ", runtime_->name)}};
    }
    const support::AlignedCopy copy(bytes);
    const absl::StatusOr<std::unique_ptr<targets::Artifact>> artifact =
        target_.Open(copy.bytes, copy.owner);
    if (!artifact.ok()) return artifact.status();
    const absl::StatusOr<std::unique_ptr<targets::Executable>> executable = (*artifact)->Load();
    if (!executable.ok()) return executable.status();
    absl::StatusOr<std::vector<ir::Tensor>> outputs = (*executable)->RunLast(inputs);
    if (!outputs.ok()) return outputs.status();
    return Execution{*std::move(outputs), (*executable)->Notes()};
  }

 private:
  const targets::Target& target_;
  targets::FlagValues flags_;
  // Of what was compiled last: a network that computes on integers rounds in other places.
  mutable targets::Tolerance tolerance_;
  std::optional<targets::ForeignRuntime> runtime_;
  std::optional<std::string> artifact_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<const Target>> MakeTarget(
    const targets::Target& target, const targets::FlagValues& flags,
    std::optional<targets::ForeignRuntime> runtime, std::optional<GivenArtifact> given) {
  const absl::StatusOr<std::unique_ptr<targets::Compilation>> compilation = target.Configure(flags);
  if (!compilation.ok()) return compilation.status();
  targets::Tolerance tolerance = (*compilation)->tolerance();
  std::optional<std::string> artifact;
  if (given.has_value()) {
    target.Register();
    tolerance = given->read->ToleranceOr(tolerance);
    artifact = std::move(given->bytes);
  }
  return std::make_unique<const LinkedTarget>(target, flags, tolerance, std::move(runtime),
                                              std::move(artifact));
}

bool LacksCalibration(const targets::Target& target, const targets::FlagValues& flags) {
  if (flags.contains(targets::kCalibrationFlag)) return false;
  const std::vector<targets::Flag> own = target.flags();
  return std::any_of(own.begin(), own.end(), [](const targets::Flag& flag) {
    return flag.name == targets::kCalibrationFlag;
  });
}

void CalibrateWith(const std::string& data, const targets::Target& target,
                   targets::FlagValues& flags) {
  if (!LacksCalibration(target, flags)) return;
  const absl::StatusOr<std::vector<std::string>> sets = data::FindDataSets(data);
  if (sets.ok() && !sets->empty()) flags[std::string(targets::kCalibrationFlag)] = {data};
}

const Target* FindTarget(std::string_view name) {
  static const auto* const made = [] {
    auto* all = new std::map<std::string, std::unique_ptr<const Target>, std::less<>>();
    for (const targets::Target* target : targets::All()) {
      absl::StatusOr<std::unique_ptr<const Target>> one = MakeTarget(*target, {});
      if (one.ok()) all->emplace(target->name(), *std::move(one));
    }
    return all;
  }();
  const auto found = made->find(name);
  return found == made->end() ? nullptr : found->second.get();
}

}  // namespace tessera::verification
