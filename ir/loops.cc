#include "ir/loops.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/registry.h"

namespace tessera::ir {
namespace {

const OpInfo* BeginInfo() {
  static const OpInfo* const info = Registry::Global().Find("ir", "LoopBegin");
  return info;
}
const OpInfo* EntryInfo() {
  static const OpInfo* const info = Registry::Global().Find("ir", "LoopEntry");
  return info;
}
const OpInfo* EndInfo() {
  static const OpInfo* const info = Registry::Global().Find("ir", "LoopEnd");
  return info;
}

using LoopSet = std::vector<int>;  // sorted indices of loops

LoopSet Union(const LoopSet& a, const LoopSet& b) {
  LoopSet both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

template <class... Parts>
absl::Status Wrong(const Operation& op, const Parts&... parts) {
  return absl::InternalError(absl::StrCat("loop at `", op.location().ToString(), "`: ", parts...));
}

class Finder {
 public:
  explicit Finder(const Graph& graph) : graph_(graph), order_(graph.TopologicalOrder()) {}

  absl::StatusOr<LoopNest> Run() {
    for (auto step : {&Finder::Pair, &Finder::Vary, &Finder::Nest, &Finder::Settle}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    return std::move(nest_);
  }

 private:
  absl::Status Pair() {
    for (const Operation* op : order_) {
      if (!IsLoopBegin(*op)) continue;
      const int index = static_cast<int>(nest_.loops.size());
      Loop& loop = nest_.loops.emplace_back();
      loop.begin = op;
      begun_by_[op] = index;
      for (const Use& use : op->result(0)->UsesUnsorted()) {
        if (!IsLoopEnd(*use.op) || use.index != 0) continue;
        if (loop.end != nullptr) return Wrong(*op, "has two ends");
        loop.end = use.op;
      }
      if (loop.end == nullptr) return Wrong(*op, "has no end");
      nest_.ended_by[loop.end] = index;
      if (absl::Status status = CheckEnd(loop); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  static absl::Status CheckEnd(const Loop& loop) {
    if (std::get<int64_t>(loop.end->attr(0)) != static_cast<int64_t>(loop.states()))
      return Wrong(*loop.begin, "its end has another number of states");
    for (size_t i = 0; i < loop.states(); ++i) {
      if (loop.end->operand(2 + i) != loop.state(i))
        return Wrong(*loop.begin, "its end has another state ", i);
    }
    if ((loop.first() == nullptr) != (loop.again() == nullptr))
      return Wrong(*loop.begin, "one of its ends has a condition");
    if (loop.collected_count() > 0) return CheckLength(loop, std::get<Expr>(loop.end->attr(1)));
    return absl::OkStatus();
  }

  static absl::Status CheckLength(const Loop& loop, const Expr& length) {
    const std::vector<Expr>* trips = loop.trips()->elements();
    if (trips == nullptr || trips->front() != length || loop.first() != nullptr)
      return Wrong(*loop.begin, "has not always `", length.ToString(), "` positions");
    return absl::OkStatus();
  }

  // Which loops each operation's operands vary with.
  absl::Status Vary() {
    around_.resize(nest_.loops.size());
    for (const Operation* op : order_) {
      LoopSet loops;
      for (const Value* operand : op->operands()) {
        if (operand == nullptr || operand->producer() == nullptr) continue;
        loops = Union(loops, ResultsOf(*operand->producer()));
      }
      if (IsLoopEntry(*op)) {
        const auto loop = begun_by_.find(op->operand(0)->producer());
        if (loop == begun_by_.end()) return Wrong(*op, "an entry at what is no position");
        absl::Status status = CheckLength(nest_.loops[static_cast<size_t>(loop->second)],
                                          std::get<Expr>(op->attr(0)));
        if (!status.ok()) return status;
      }
      if (const auto begun = begun_by_.find(op); begun != begun_by_.end())
        loops = Union(loops, {begun->second});
      if (const auto ended = nest_.ended_by.find(op); ended != nest_.ended_by.end()) {
        std::erase(loops, ended->second);
        around_[static_cast<size_t>(ended->second)] = loops;
      } else if (IsLoopEnd(*op)) {
        return Wrong(*op, "an end of no loop");
      }
      varies_[op] = std::move(loops);
    }
    for (const Value* output : graph_.outputs()) {
      if (output->producer() != nullptr && !ResultsOf(*output->producer()).empty())
        return Wrong(*output->producer(), "an output varies with the position");
    }
    return absl::OkStatus();
  }

  const LoopSet& ResultsOf(const Operation& op) const { return varies_.at(&op); }

  // The innermost of loops that contain one another; an error where two of them do not.
  absl::StatusOr<int> Innermost(const Operation& op, const LoopSet& loops) const {
    int innermost = -1;
    size_t depth = 0;
    for (int loop : loops) {
      const size_t around = around_[static_cast<size_t>(loop)].size();
      if (innermost < 0 || around > depth) std::tie(innermost, depth) = std::pair(loop, around);
    }
    if (innermost < 0) return -1;
    const LoopSet inside = Union(around_[static_cast<size_t>(innermost)], {innermost});
    if (!std::includes(inside.begin(), inside.end(), loops.begin(), loops.end()))
      return Wrong(op, "it overlaps another one");
    return innermost;
  }

  absl::Status Nest() {
    // What is inside of a loop is inside of those around it.
    for (bool grows = true; grows;) {
      grows = false;
      for (LoopSet& around : around_) {
        LoopSet all = around;
        for (int loop : around) all = Union(all, around_[static_cast<size_t>(loop)]);
        grows |= all.size() != around.size();
        around = std::move(all);
      }
    }
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      Loop& loop = nest_.loops[i];
      if (std::binary_search(around_[i].begin(), around_[i].end(), static_cast<int>(i)))
        return Wrong(*loop.begin, "it overlaps another one");
      const absl::StatusOr<int> parent = Innermost(*loop.begin, around_[i]);
      if (!parent.ok()) return parent.status();
      loop.parent = *parent;
    }
    return absl::OkStatus();
  }

  absl::Status Settle() {
    for (const Operation* op : order_) {
      const auto begun = begun_by_.find(op);
      absl::StatusOr<int> home = begun == begun_by_.end()
                                     ? Innermost(*op, varies_.at(op))
                                     : nest_.loops[static_cast<size_t>(begun->second)].parent;
      if (!home.ok()) return home.status();
      nest_.home[op] = *home;
      if (begun != begun_by_.end()) continue;
      (*home < 0 ? nest_.steps : nest_.loops[static_cast<size_t>(*home)].steps).push_back(op);
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  const std::vector<Operation*> order_;
  LoopNest nest_;
  absl::flat_hash_map<const Operation*, int> begun_by_;
  absl::flat_hash_map<const Operation*, LoopSet> varies_;  // what the results vary with
  std::vector<LoopSet> around_;                            // by loop: those that contain it
};

}  // namespace

bool IsLoopBegin(const Operation& op) { return &op.info() == BeginInfo(); }
bool IsLoopEntry(const Operation& op) { return &op.info() == EntryInfo(); }
bool IsLoopEnd(const Operation& op) { return &op.info() == EndInfo(); }
bool IsLoopOp(const Operation& op) { return IsLoopBegin(op) || IsLoopEntry(op) || IsLoopEnd(op); }

int64_t NextLoop(const Graph& graph) {
  int64_t next = 0;
  for (const Operation* op : graph.TopologicalOrder()) {
    if (IsLoopBegin(*op)) next = std::max(next, std::get<int64_t>(op->attr(0)) + 1);
  }
  return next;
}

bool LoopNest::IsInside(const Operation* op, int loop) const {
  for (int at = home.at(op); at >= 0; at = loops[static_cast<size_t>(at)].parent) {
    if (at == loop) return true;
  }
  return false;
}

std::vector<Value*> LoopNest::CapturedBy(int loop) const {
  std::vector<Value*> captured;
  absl::flat_hash_set<const Value*> seen;
  const auto read = [&](Value* value) {
    if (value == nullptr) return;
    const Operation* const producer = value->producer();
    if (producer != nullptr &&
        (producer == loops[static_cast<size_t>(loop)].begin || IsInside(producer, loop))) {
      return;
    }
    if (seen.insert(value).second) captured.push_back(value);
  };
  const auto read_all = [&](const Operation& op) {
    for (Value* operand : op.operands()) read(operand);
  };
  const auto walk = [&](auto&& self, const Loop& at) -> void {
    for (const Operation* step : at.steps) {
      if (const auto ended = ended_by.find(step); ended != ended_by.end()) {
        const Loop& inner = loops[static_cast<size_t>(ended->second)];
        read_all(*inner.begin);
        self(self, inner);
      } else {
        read_all(*step);
      }
    }
    read_all(*at.end);
  };
  walk(walk, loops[static_cast<size_t>(loop)]);
  return captured;
}

absl::StatusOr<LoopNest> FindLoops(const Graph& graph) { return Finder(graph).Run(); }

}  // namespace tessera::ir
