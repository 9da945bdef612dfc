#include "testing/sampling/sampler.h"

#include <algorithm>
#include <utility>

#include "targets/reference/executor.h"
#include "targets/reference/run_op.h"

namespace tessera::testing {
namespace {

constexpr int64_t kMostElements = 1500;  // of one tensor
constexpr int64_t kMostRank = 6;
constexpr int kProposals = 300;  // for one instance
constexpr size_t kPool = 48;

}  // namespace

bool IsSmall(const std::vector<int64_t>& shape) {
  if (static_cast<int64_t>(shape.size()) > kMostRank) return false;
  int64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0 || size > kMostElements) return false;
    count *= size;
    if (count > kMostElements) return false;
  }
  return true;
}

bool IsPositions(const Subject& subject, size_t operand) {
  constexpr ir::DTypeSet kPositions = ir::SetOf(ir::DType::kI32) | ir::SetOf(ir::DType::kI64);
  return (SignatureAt(subject, operand).dtypes & ~kPositions) == 0;
}

bool IsSmall(const Instance& instance) {
  return std::all_of(instance.operands.begin(), instance.operands.end(), [](const auto& operand) {
    return !operand.present || IsSmall(operand.tensor.shape());
  });
}

bool IsLegal(const Subject& subject, const Instance& instance) {
  if (!IsSmall(instance)) return false;
  std::vector<ir::ResultInfo<int64_t>> results;
  if (!Infer(subject, instance, results).ok()) return false;
  return std::all_of(results.begin(), results.end(),
                     [](const auto& result) { return IsSmall(result.dims); });
}

bool HasValues(const Subject& subject, const Instance& instance) {
  // A kernel may be total (x / 0 of integers is 0) where the definition asks more of its operands.
  Network known;
  if (absl::IsInvalidArgument(
          BuildNetwork(subject, instance, Constants::kAll, Sizes::kKnown, known)))
    return false;
  if (subject.info->kernel != nullptr) {
    std::vector<const ir::Tensor*> inputs;
    for (const Operand& operand : instance.operands)
      inputs.push_back(operand.present ? &operand.tensor : nullptr);
    return reference::RunOp(*subject.info, inputs, instance.attrs).ok();
  }
  Network network;
  if (!BuildNetwork(subject, instance, Constants::kNeeded, Sizes::kKnown, network).ok())
    return false;
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(network.graph);
  return executor.ok() && executor->Run(network.inputs).ok();
}

Sampler::Sampler(const Subject& subject, uint64_t seed)
    : subject_(subject), random_(seed, subject.signature->op), editor_(subject, random_) {
  for (const ops::Example& example : subject.examples->examples) {
    if (example.reject) continue;
    absl::StatusOr<Instance> instance = InstanceOf(subject, example, seed);
    if (instance.ok() && IsLegal(subject, *instance)) examples_.push_back(*std::move(instance));
  }
}

std::optional<Instance> Sampler::Next() {
  for (int tried = 0; tried < kProposals && !examples_.empty(); ++tried) {
    ++proposals_;
    Instance instance = random_.Of(pool_.empty() || random_.OneIn(3) ? examples_ : pool_);
    const int64_t edits = 1 + (random_.OneIn(2) ? random_.Below(4) : 0);
    for (int64_t i = 0; i < edits; ++i) editor_.Edit(instance);
    if (!IsLegal(subject_, instance)) continue;
    if (!Finish(instance)) continue;
    if (pool_.size() < kPool) {
      pool_.push_back(instance);
    } else {
      pool_[static_cast<size_t>(random_.Below(kPool))] = instance;
    }
    return instance;
  }
  return std::nullopt;
}

// Chooses values and what is constant. False: the kernel has no result for any that were tried.
bool Sampler::Finish(Instance& instance) {
  const ir::OpInfo& info = *subject_.info;
  constexpr int kAttempts = 4;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int64_t choice = random_.Below(4);
    const Style style = choice < 2                        ? Style::kPlain
                        : choice == 3 && info.elementwise ? Style::kExtreme
                                                          : Style::kSpecial;
    int64_t limit = 8;
    for (const Operand& operand : instance.operands) {
      if (!operand.present) continue;
      // Anything at first, then what lies in every axis.
      for (const int64_t size : operand.tensor.shape())
        limit = attempt == 0 && random_.OneIn(2) ? limit : std::min(limit, size);
    }
    for (size_t i = 0; i < instance.operands.size(); ++i) {
      Operand& operand = instance.operands[i];
      operand.constant = random_.OneIn(4);
      if (!operand.present || NeedsElements(subject_, i)) continue;
      const ir::Tensor& tensor = operand.tensor;
      operand.tensor =
          IsPositions(subject_, i)
              ? RandomPositions(tensor.dtype(), tensor.shape(),
                                attempt + 1 == kAttempts ? 1 : std::max<int64_t>(1, limit),
                                attempt < 2, random_)
              : RandomValues(tensor.dtype(), tensor.shape(), style, random_);
    }
    if (HasValues(subject_, instance)) return true;
  }
  return false;
}

}  // namespace tessera::testing
