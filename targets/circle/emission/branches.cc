#include "targets/circle/emission/branches.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

using ir::Operation;
using ir::Value;

// The op that a choice is written as.
const ir::OpInfo* InfoOfChoices() {
  static const ir::OpInfo* const info = [] {
    ir::Graph graph;
    ir::Rewriter rewriter(graph);
    const auto condition = rewriter.AddInput("condition", {ir::DType::kBool, {}});
    const auto x = rewriter.AddInput("x", {ir::DType::kF32, {}});
    const auto y = rewriter.AddInput("y", {ir::DType::kF32, {}});
    ir::TermBuilder terms(rewriter);
    const std::vector<Value*> made =
        terms.Create(kDialect, "BranchChoice", {*condition, *x, *y}, {});
    return made.empty() || made[0] == nullptr ? nullptr : &made[0]->producer()->info();
  }();
  return info;
}

// A tensor that stands for the same inside of a graph that is run as outside.
bool MayCross(const Value& value) {
  const ir::DType dtype = value.type().dtype;
  return ir::IsFloat(dtype) || dtype == ir::DType::kBool || ir::SizeOf(dtype) >= 4;
}

bool IsChoice(const Operation& op) {
  if (&op.info() != InfoOfChoices() || op.operands().size() != 3) return false;
  const std::vector<ir::Expr>& one = op.operand(0)->type().dims;
  const ir::TensorType& type = op.result(0)->type();
  return std::all_of(one.begin(), one.end(), [](const ir::Expr& d) { return d == ir::Expr(1); }) &&
         op.operand(0)->constant() == nullptr && MayCross(*op.result(0)) &&
         op.operand(1)->type().dims == type.dims && op.operand(2)->type().dims == type.dims;
}

constexpr int kOutside = -1;

class Finder {
 public:
  Finder(const std::vector<const Operation*>& steps, const std::vector<const Value*>& needed,
         const ir::LoopNest& nest, const MayBranch& may_branch)
      : nest_(nest), may_branch_(may_branch), needed_(needed.begin(), needed.end()) {
    for (const Operation* op : steps) {
      if (op->info().role == ir::Role::kConstant) continue;
      for (const Value* result : op->results()) computed_by_[result] = steps_.size();
      steps_.push_back(op);
      reads_.push_back(ReadBy(*op, nest));
    }
  }

  BranchedSteps Run() {
    for (const bool join : {true, false}) {
      Group(join);
      Assign();
      Keep();
      if (Order()) break;  // choices apart are always computed one after the other
    }
    return std::move(result_);
  }

 private:
  // The side of a branching that a step is on.
  struct Spot {
    int branching = kOutside;
    int side = 0;
    friend bool operator==(const Spot&, const Spot&) = default;
  };

  bool DependsOn(size_t step, const absl::flat_hash_set<size_t>& others) const {
    absl::flat_hash_set<size_t> seen;
    std::vector<size_t> left = {step};
    while (!left.empty()) {
      const size_t at = left.back();
      left.pop_back();
      for (const Value* read : reads_[at]) {
        const auto from = computed_by_.find(read);
        if (from == computed_by_.end() || !seen.insert(from->second).second) continue;
        if (others.contains(from->second)) return true;
        left.push_back(from->second);
      }
    }
    return false;
  }

  // Choices by one condition that do not read one another are made together.
  void Group(bool join) {
    branching_of_.assign(steps_.size(), kOutside);
    members_.clear();
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (!IsChoice(*steps_[s])) continue;
      const auto fits = [&](const absl::flat_hash_set<size_t>& members) {
        return join && steps_[*members.begin()]->operand(0) == steps_[s]->operand(0) &&
               !DependsOn(s, members);
      };
      const auto found = std::find_if(members_.begin(), members_.end(), fits);
      branching_of_[s] = static_cast<int>(found - members_.begin());
      if (found == members_.end()) {
        members_.push_back({s});
      } else {
        found->insert(s);
      }
    }
  }

  void Assign() {
    place_.assign(steps_.size(), Spot{});
    absl::flat_hash_map<const Value*, std::optional<Spot>> read_from;  // null: several places
    const auto read = [&](const Value* value, const Spot& from) {
      const auto [known, added] = read_from.try_emplace(value, from);
      if (!added && known->second != from) known->second = std::nullopt;
    };
    for (const Value* value : needed_) read(value, {});
    for (size_t s = steps_.size(); s-- > 0;) {
      std::optional<Spot> place = Spot{};
      bool first = true;
      for (const Value* result : steps_[s]->results()) {
        const auto from = read_from.find(result);
        if (from == read_from.end()) continue;
        if (first) place = from->second;
        if (place != from->second) place = std::nullopt;
        first = false;
      }
      place_[s] = place.value_or(Spot{});
      const bool chooses = branching_of_[s] != kOutside && place_[s].branching == kOutside;
      if (!chooses) branching_of_[s] = kOutside;  // a side's own, if it is one
      for (size_t i = 0; i < reads_[s].size(); ++i) {
        // Of a choice: condition, x, y.
        read(reads_[s][i],
             chooses && i > 0 ? Spot{branching_of_[s], static_cast<int>(i) - 1} : place_[s]);
      }
    }
  }

  // Those that are worth it, in the order of their first choice.
  void Keep() {
    result_ = {};
    placed_.clear();
    std::vector<Branching> all(members_.size());
    std::vector<bool> loops(members_.size(), false);
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (const Spot& at = place_[s]; at.branching != kOutside) {
        Branching& branching = all[static_cast<size_t>(at.branching)];
        branching.sides[static_cast<size_t>(at.side)].steps.push_back(steps_[s]);
        if (nest_.ended_by.contains(steps_[s])) loops[static_cast<size_t>(at.branching)] = true;
      }
      if (branching_of_[s] == kOutside) continue;
      Branching& branching = all[static_cast<size_t>(branching_of_[s])];
      branching.condition = steps_[s]->operand(0);
      branching.choices.push_back(steps_[s]);
      for (size_t side = 0; side < 2; ++side)
        branching.sides[side].values.push_back(steps_[s]->operand(1 + side));
    }
    std::vector<int> kept(all.size(), kOutside);
    for (size_t b = 0; b < all.size(); ++b) {
      const size_t operators = all[b].sides[0].steps.size() + all[b].sides[1].steps.size();
      if (all[b].choices.empty() || (operators < kLeastOperators && !loops[b])) continue;
      if (!MayBranchAll(all[b].sides[0].steps) || !MayBranchAll(all[b].sides[1].steps)) continue;
      if (!Capture(all[b])) continue;
      kept[b] = static_cast<int>(result_.branchings.size());
      result_.branchings.push_back(std::move(all[b]));
    }
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (branching_of_[s] != kOutside)
        branching_of_[s] = kept[static_cast<size_t>(branching_of_[s])];
      if (place_[s].branching != kOutside)
        place_[s].branching = kept[static_cast<size_t>(place_[s].branching)];
    }
  }

  bool MayBranchAll(const std::vector<const Operation*>& steps) const {
    if (may_branch_ == nullptr) return true;
    return std::all_of(steps.begin(), steps.end(), [&](const Operation* step) {
      const auto loop = nest_.ended_by.find(step);
      return loop == nest_.ended_by.end()
                 ? may_branch_(*step)
                 : MayBranchAll(nest_.loops[static_cast<size_t>(loop->second)].steps);
    });
  }

  // False: it cannot be handed over.
  bool Capture(Branching& branching) const {
    absl::flat_hash_set<const Value*> seen;
    for (const Branching::Side& side : branching.sides) {
      for (const Operation* step : side.steps)
        seen.insert(step->results().begin(), step->results().end());
    }
    const auto read = [&](const Value* value) {
      if (value == nullptr || value->constant() != nullptr || !seen.insert(value).second)
        return true;
      branching.captured.push_back(value);
      return MayCross(*value);
    };
    for (const Branching::Side& side : branching.sides) {
      for (const Operation* step : side.steps) {
        for (const Value* value : ReadBy(*step, nest_)) {
          if (!read(value)) return false;
        }
      }
      for (const Value* value : side.values) {
        if (!read(value)) return false;
      }
    }
    return !branching.captured.empty();
  }

  // A branching comes where its last choice was, and what reads it behind it. False: branchings
  // would read one another.
  bool Order() {
    std::vector<size_t> last(result_.branchings.size());
    for (size_t s = 0; s < steps_.size(); ++s) {
      if (branching_of_[s] != kOutside) last[static_cast<size_t>(branching_of_[s])] = s;
    }
    std::vector<size_t> waiting;
    for (size_t s = 0; s < steps_.size(); ++s) {
      const int b = branching_of_[s];
      if (place_[s].branching != kOutside) continue;
      if (b != kOutside && last[static_cast<size_t>(b)] != s) continue;
      waiting.push_back(s);
      if (waiting.size() > 1 && b == kOutside) continue;  // for a branching
      for (bool any = true; any;) {
        any = false;
        std::vector<size_t> left;
        for (const size_t next : waiting) {
          if (IsReady(next)) {
            any = any || branching_of_[next] != kOutside;
            Place(next);
          } else {
            left.push_back(next);
          }
        }
        waiting = std::move(left);
      }
    }
    return waiting.empty();
  }

  bool IsReady(size_t s) const {
    const auto ready = [&](const Value* value) {
      const auto from = computed_by_.find(value);
      return from == computed_by_.end() || placed_.contains(value);
    };
    if (branching_of_[s] == kOutside) return std::all_of(reads_[s].begin(), reads_[s].end(), ready);
    const Branching& branching = result_.branchings[static_cast<size_t>(branching_of_[s])];
    return ready(branching.condition) &&
           std::all_of(branching.captured.begin(), branching.captured.end(), ready);
  }

  void Place(size_t s) {
    const int b = branching_of_[s];
    const auto results = [&](const Operation& op) {
      placed_.insert(op.results().begin(), op.results().end());
    };
    if (b == kOutside) {
      results(*steps_[s]);
    } else {
      for (const Operation* choice : result_.branchings[static_cast<size_t>(b)].choices)
        results(*choice);
    }
    result_.steps.push_back({b == kOutside ? steps_[s] : nullptr, b});
  }

  const ir::LoopNest& nest_;
  const MayBranch& may_branch_;
  const absl::flat_hash_set<const Value*> needed_;
  std::vector<const Operation*> steps_;
  std::vector<std::vector<const Value*>> reads_;  // by step
  absl::flat_hash_map<const Value*, size_t> computed_by_;
  std::vector<int> branching_of_;                     // by step, of choices
  std::vector<absl::flat_hash_set<size_t>> members_;  // by branching: its choices
  std::vector<Spot> place_;                           // by step
  BranchedSteps result_;
  absl::flat_hash_set<const Value*> placed_;  // computed by `result_.steps` so far
};

}  // namespace

std::vector<const Value*> ReadBy(const Operation& step, const ir::LoopNest& nest) {
  std::vector<const Value*> reads;
  const auto add = [&](const auto& values) {
    for (const Value* value : values) {
      if (value != nullptr) reads.push_back(value);
    }
  };
  const auto loop = nest.ended_by.find(&step);
  if (loop == nest.ended_by.end()) {
    add(step.operands());
  } else {
    add(nest.loops[static_cast<size_t>(loop->second)].begin->operands());
    add(nest.CapturedBy(loop->second));
  }
  return reads;
}

BranchedSteps FindBranches(const std::vector<const Operation*>& steps,
                           const std::vector<const Value*>& needed, const ir::LoopNest& nest,
                           const MayBranch& may_branch) {
  if (std::none_of(steps.begin(), steps.end(), [](const Operation* op) { return IsChoice(*op); })) {
    BranchedSteps in_order;
    for (const Operation* op : steps) {
      if (op->info().role != ir::Role::kConstant) in_order.steps.push_back({op, kOutside});
    }
    return in_order;
  }
  return Finder(steps, needed, nest, may_branch).Run();
}

}  // namespace tessera::circle
