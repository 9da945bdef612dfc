#include "passes/compression/pruning/filter_pruning.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "passes/compression/calibration/spread_samples.h"
#include "passes/compression/pruning/channel_order.h"
#include "passes/compression/pruning/channel_readers.h"
#include "passes/compression/pruning/couplings.h"
#include "passes/compression/pruning/multiply_adds.h"
#include "passes/compression/pruning/refit.h"
#include "passes/compression/pruning/removal.h"
#include "passes/compression/pruning/without.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/weights/matrix_walk.h"
#include "passes/compression/weights/targets.h"

namespace tessera::compression {
namespace {

using Kind = Key::Kind;

constexpr char kName[] = "filter_pruning";
constexpr char kOutputChange[] = "output_change";

constexpr Key kKeys[] = {
    {"target_scopes", Kind::kNames, "", "products that may lose channels; all by default"},
    {"ignored_scopes", Kind::kNames, "", "those that may not"},
    {"pruning_target", Kind::kNumber, "0.3",
     "part of the channels of each product, or of products whose channels go together, that are "
     "removed",
     "", 0, 1},
    {"pruning_flops_target", Kind::kNumber, "0",
     "in its place: part of the multiply-adds of products with constant weights that go, by the "
     "least `pruning_target` with which they do",
     "", 0, 1},
    {"filter_importance", Kind::kText, "output_change",
     "what a channel is worth: with samples, what products make of it that others cannot stand in "
     "for (`output_change`; without: L2), the norm of its weights, or their distance from all "
     "others' (`geometric_median`)",
     "output_change|L1|L2|geometric_median"},
    {"refit", Kind::kFlag, "true",
     "with samples: the channels that stay make up for those that go, layer by layer, by least "
     "squares"},
    {"match_statistics", Kind::kFlag, "true",
     "with samples: mean and variance of each channel become those that it has in the whole "
     "network, layer by layer, where weights are not refitted"},
    {"subset_size", Kind::kCount, "64", "samples that are used", "", 1, 1e6},
    kSchedule,
};

struct Settings {
  std::vector<std::string> targets, ignored;
  double part = 0.3;
  double flops = 0;  // part of the multiply-adds that decides in its place; 0: none
  std::string importance = kOutputChange;
  RefitOptions refit;
};

// The class that is worth least first.
using Group = ChannelGroup;

class FilterPruningBuilder : public Builder {
 public:
  explicit FilterPruningBuilder(Settings settings) : settings_(std::move(settings)) {}

  absl::StatusOr<std::vector<Command>> Build(const BuildContext& context) override {
    const absl::StatusOr<ScopeFilter> filter =
        ScopeFilter::Create(context.graph, context.addresses, settings_.targets, settings_.ignored);
    if (!filter.ok()) return filter.status();
    // What is ignored is looked at too: its channels stay, and with them those that go together.
    const absl::StatusOr<ScopeFilter> everything =
        ScopeFilter::Create(context.graph, context.addresses, {}, {});
    if (!everything.ok()) return everything.status();
    absl::StatusOr<WeightTargets> found = FindWeights(context, *everything);
    if (!found.ok()) return found.status();
    EntrySets sets = FindCouplings(context.graph, *context.context);
    PinWhatTheFileSays(context, sets);
    std::map<TensorAxis, const WeightTarget*> rows;
    for (const WeightTarget& target : found->targets) {
      if (target.table) continue;
      const TensorAxis axis{target.point.value->id(), target.axis};
      rows[axis] = &target;
      if (!filter->Contains(*target.op))
        sets.PinAxis(axis,
                     target.point.value->constant()->shape()[static_cast<size_t>(target.axis)],
                     absl::StrCat("`", target.point.scope, "` is not to be pruned"));
    }
    const std::map<TensorAxis, std::vector<double>> worth = Worth(rows);
    PlanOptions only_weights;
    only_weights.activations = false;
    const Plan plan = MakePlan(context, *everything, only_weights);
    const absl::StatusOr<MultiplyAdds> counted = MultiplyAdds::Create(context, plan.weights);
    if (settings_.flops > 0 && !counted.ok()) return counted.status();
    double part = settings_.part;
    std::vector<EntrySets::Class> classes;
    std::vector<Group> groups;
    bool recounts = false;
    while (true) {
      classes = sets.Classes();
      groups = Groups(classes, worth);
      if (settings_.flops > 0) {
        const absl::StatusOr<double> least = PartFor(groups, *counted);
        if (!least.ok()) return least.status();
        part = *least;
      }
      // How many go of each group is known before it is known which.
      const auto choose = [&](size_t first, size_t last) {
        return Choose(absl::MakeConstSpan(groups).subspan(first, last - first), part);
      };
      const Stays stays = WhatStays(context, groups.size(), choose, kName);
      recounts = stays.recounts;
      if (stays.groups.empty()) break;
      for (const auto& [group, reason] : stays.groups) {
        for (const EntrySets::Class* one : groups[group]) sets.Pin(*one, reason);
      }
    }
    if (settings_.importance == kOutputChange) {
      const absl::Status status = Sort(context, found->targets, groups);
      if (!status.ok()) return status;
    }
    if (settings_.flops > 0)
      absl::StrAppend(&note_, "; pruning_target ", absl::StrFormat("%.4f", part));
    const Removed removed = Choose(groups, part);
    if (counted.ok())
      note_ = absl::StrFormat("; %.4g million multiply-adds, now %.4g%s", counted->All() / 1e6,
                              counted->Without(removed) / 1e6, note_);
    FittedConstants changed;
    if (context.samples != nullptr && (settings_.refit.weights || settings_.refit.statistics) &&
        !removed.empty()) {
      absl::StatusOr<FittedConstants> refitted =
          Refit(context, found->targets, plan.biases, removed, settings_.refit);
      if (refitted.ok()) {
        changed = *std::move(refitted);
      } else if (absl::IsUnimplemented(refitted.status())) {
        absl::StrAppend(&note_, "; not refitted: ", refitted.status().message());
      } else {
        return refitted.status();
      }
    }
    absl::StatusOr<std::vector<Command>> commands =
        RemovalOf(context, removed, changed.constants, changed.terms, recounts, kName);
    if (!commands.ok()) return commands;
    Describe(rows, removed, classes, *commands);
    return commands;
  }

  std::unique_ptr<Controller> MakeController() override {
    return std::make_unique<RecordedController>(std::move(layers_), std::move(summary_));
  }

 private:
  // Of each row of each product's weights, as a part of the mean.
  std::map<TensorAxis, std::vector<double>> Worth(
      const std::map<TensorAxis, const WeightTarget*>& rows) const {
    std::map<TensorAxis, std::vector<double>> worth;
    for (const auto& [axis, target] : rows) {
      const Matrix weights = WeightsOf(*target);
      std::vector<double> all;
      double sum = 0;
      for (int64_t r = 0; r < weights.rows(); ++r) {
        double one = 0;
        if (settings_.importance == "L1") {
          one = weights.row(r).cwiseAbs().sum();
        } else if (settings_.importance == "L2" || settings_.importance == kOutputChange) {
          one = weights.row(r).norm();
        } else {
          for (int64_t other = 0; other < weights.rows(); ++other)
            one += (weights.row(r) - weights.row(other)).norm();
        }
        all.push_back(one);
        sum += one;
      }
      for (double& one : all) one = sum > 0 ? one * static_cast<double>(all.size()) / sum : 0;
      worth[axis] = std::move(all);
    }
    return worth;
  }

  static std::vector<Group> Groups(const std::vector<EntrySets::Class>& classes,
                                   const std::map<TensorAxis, std::vector<double>>& worth) {
    std::map<std::vector<TensorAxis>, std::vector<std::pair<double, const EntrySets::Class*>>>
        members;
    for (const EntrySets::Class& one : classes) {
      if (!one.pinned.empty()) continue;
      double sum = 0;
      bool product = false;
      std::vector<TensorAxis> axes;
      for (const EntrySets::Entry& entry : one.entries) {
        axes.push_back(entry.axis);
        const auto row = worth.find(entry.axis);
        if (row == worth.end()) continue;
        product = true;
        sum += row->second[static_cast<size_t>(entry.index)];
      }
      if (product) members[axes].emplace_back(sum, &one);
    }
    std::vector<Group> groups;
    for (auto& [axes, sorted] : members) {
      std::stable_sort(sorted.begin(), sorted.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      Group& group = groups.emplace_back();
      for (const auto& [sum, one] : sorted) group.push_back(one);
    }
    return groups;
  }

  // By what those that stay could make up for.
  absl::Status Sort(const BuildContext& context, const std::vector<WeightTarget>& targets,
                    std::vector<Group>& groups) {
    if (context.samples == nullptr) {
      note_ = "; channels by L2, without samples";
      return absl::OkStatus();
    }
    const calibration::SpreadSamples samples(*context.samples, settings_.refit.samples);
    absl::StatusOr<std::vector<std::vector<ChannelReader>>> readers =
        FindReaders(context.graph, samples, targets, groups);
    if (!readers.ok()) return readers.status();
    for (size_t g = 0; g < groups.size(); ++g) {
      // They are in the order of their worth; the number says no more.
      std::vector<double> ranks(groups[g].size());
      for (size_t c = 0; c < ranks.size(); ++c) ranks[c] = static_cast<double>(c);
      Group sorted;
      for (const int64_t channel : OrderChannels(std::move((*readers)[g]), ranks))
        sorted.push_back(groups[g][static_cast<size_t>(channel)]);
      groups[g] = std::move(sorted);
    }
    return absl::OkStatus();
  }

  // That part of each group, but for one channel that stays.
  static Removed Choose(absl::Span<const Group> groups, double part) {
    Removed removed;
    for (const Group& group : groups) {
      const auto size = static_cast<int64_t>(group.size());
      const int64_t gone =
          std::min(size - 1, static_cast<int64_t>(std::floor(part * static_cast<double>(size))));
      for (int64_t i = 0; i < gone; ++i) {
        for (const EntrySets::Entry& entry : group[static_cast<size_t>(i)]->entries)
          removed[entry.axis].insert(entry.index);
      }
    }
    return removed;
  }

  // The least part with which as many multiply-adds go as are to. Error: there is none.
  absl::StatusOr<double> PartFor(const std::vector<Group>& groups,
                                 const MultiplyAdds& counted) const {
    const auto gone = [&](double part) {
      return counted.All() == 0 ? 0 : 1 - counted.Without(Choose(groups, part)) / counted.All();
    };
    if (gone(1) < settings_.flops)
      return absl::InvalidArgumentError(absl::StrFormat(
          "`pruning_flops_target` is %g; with all channels gone that may go, the multiply-adds "
          "fall by %.3f",
          settings_.flops, gone(1)));
    constexpr int kParts = 10000;  // what is told is what is done
    int low = 0, high = kParts;
    while (low + 1 < high) {
      const int middle = (low + high) / 2;
      (gone(static_cast<double>(middle) / kParts) < settings_.flops ? low : high) = middle;
    }
    return static_cast<double>(high) / kParts;
  }

  void Describe(const std::map<TensorAxis, const WeightTarget*>& rows, const Removed& removed,
                const std::vector<EntrySets::Class>& classes,
                const std::vector<Command>& commands) {
    std::map<TensorAxis, std::string> pinned;
    for (const EntrySets::Class& one : classes) {
      for (const EntrySets::Entry& entry : one.entries) {
        if (!one.pinned.empty()) pinned.emplace(entry.axis, one.pinned);
      }
    }
    std::map<const ir::Value*, int64_t> after;
    int64_t bytes_before = 0, bytes_after = 0;
    for (const Command& command : commands) {
      const auto* change = std::get_if<SetConstant>(&command.change);
      if (change == nullptr || command.point.value == nullptr) continue;
      const auto size = static_cast<int64_t>(change->tensor.bytes().size());
      if (!after.emplace(command.point.value, size).second) continue;
      bytes_before += static_cast<int64_t>(command.point.value->constant()->bytes().size());
      bytes_after += size;
    }
    int64_t products = 0;
    for (const auto& [axis, target] : rows) {
      const ir::Tensor& weight = *target->point.value->constant();
      const int64_t all = weight.shape()[static_cast<size_t>(target->axis)];
      const auto gone = removed.find(axis);
      LayerReport layer;
      layer.scope = target->point.scope;
      if (gone == removed.end() && pinned.contains(axis)) {
        layer.reason = absl::StrCat("channels stay: one ", pinned[axis]);
      } else if (gone == removed.end()) {
        layer.reason = "too few channels";
      } else {
        layer.what = absl::StrCat(all - static_cast<int64_t>(gone->second.size()), " of ", all,
                                  " channels stay");
        ++products;
      }
      const auto now = after.find(target->point.value);
      if (now != after.end()) {
        layer.bytes_before = static_cast<int64_t>(weight.bytes().size());
        layer.bytes_after = now->second;
      }
      layers_.push_back(std::move(layer));
    }
    summary_ = absl::StrCat(kName, ": ", products, " of ", rows.size(),
                            " products lose channels, what they touch has ", bytes_before,
                            " bytes, now ", bytes_after, note_);
  }

  Settings settings_;
  std::vector<LayerReport> layers_;
  std::string summary_, note_;
};

absl::StatusOr<std::unique_ptr<Builder>> Configure(const Section& section) {
  Settings settings;
  settings.targets = section.Names("target_scopes");
  settings.ignored = section.Names("ignored_scopes");
  settings.part = section.Number("pruning_target");
  settings.flops = section.Number("pruning_flops_target");
  if (settings.flops > 0 && section.Has("pruning_target"))
    return section.Error("pruning_flops_target", "decides in place of `pruning_target`: name one");
  if (settings.flops > 0 && section.Text(kScheduleKey) == kBoundSchedule)
    return section.Error("pruning_flops_target",
                         "is no level that `schedule: bound` could lower; `pruning_target` is");
  settings.refit.weights = section.Flag("refit");
  settings.refit.statistics = section.Flag("match_statistics");
  settings.refit.samples = static_cast<size_t>(section.Number("subset_size"));
  settings.importance = section.Text("filter_importance");
  if (!settings.refit.weights && !settings.refit.statistics &&
      settings.importance != kOutputChange && section.Has("subset_size"))
    return section.Error("subset_size",
                         absl::StrCat("means nothing with `refit: false`, `match_statistics: "
                                      "false` and `filter_importance: ",
                                      settings.importance, "`"));
  return std::make_unique<FilterPruningBuilder>(std::move(settings));
}

}  // namespace

const Algorithm& FilterPruning() {
  static const Algorithm kFilterPruning = {
      kName, Priority::kPruning, "channels that matter least are removed from the network",
      kKeys, Configure,          "pruning_target"};
  return kFilterPruning;
}

}  // namespace tessera::compression
