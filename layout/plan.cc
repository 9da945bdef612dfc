#include "layout/plan.h"

#include <algorithm>
#include <utility>

#include "layout/min_cut.h"

namespace tessera::layout {
namespace {

template <class T>
void SortUnique(std::vector<T>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

LayoutPlan::Source LayoutPlan::SourceOf(ir::Value* value) {
  Source source{value, Identity(value->type().rank())};
  while (const std::optional<Permutation> p = PermutationOf(source.root->producer())) {
    source.order = Then(*p, source.order);
    source.root = source.root->producer()->operand(0);
  }
  return source;
}

LayoutPlan::LayoutPlan(const ir::Graph& graph, MoveCost cost) : cost_(std::move(cost)) {
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (PermutationOf(op).has_value()) continue;
    Step step{op, CommutingOf(*op), {}};
    if (step.commuting.has_value()) step.order = Identity(step.commuting->rank);
    index_[op] = static_cast<int>(steps_.size());
    steps_.push_back(std::move(step));
  }
  edges_of_.resize(steps_.size());
  const auto add = [&](ir::Value* value, int step, Wants wants) {
    Source source = SourceOf(value);
    const auto producer = index_.find(source.root->producer());
    Edge edge{source.root, std::move(source.order),
              producer == index_.end() ? -1 : producer->second, step, wants};
    const bool from_fixed =
        edge.producer < 0 || !steps_[static_cast<size_t>(edge.producer)].commuting.has_value();
    const bool to_fixed = step < 0 || wants == Wants::kOwn;
    if (from_fixed && to_fixed) fixed_readers_[edge.root].insert(edge.order);
    edges_from_[edge.root].push_back(edges_.size());
    if (edge.producer >= 0) edges_of_[static_cast<size_t>(edge.producer)].push_back(edges_.size());
    if (step >= 0 && step != edge.producer)
      edges_of_[static_cast<size_t>(step)].push_back(edges_.size());
    edges_.push_back(std::move(edge));
  };
  for (size_t s = 0; s < steps_.size(); ++s) {
    const ir::Operation& op = *steps_[s].op;
    for (size_t i = 0; i < op.operands().size(); ++i) {
      if (op.operand(i) == nullptr) continue;
      Wants wants = Wants::kOwn;
      if (steps_[s].commuting.has_value()) {
        const Commuting& commuting = *steps_[s].commuting;
        const auto has = [i](const std::vector<size_t>& list) {
          return std::find(list.begin(), list.end(), i) != list.end();
        };
        if (has(commuting.moved)) wants = Wants::kMoved;
        if (has(commuting.broadcast)) wants = Wants::kBroadcast;
      }
      add(op.operand(i), static_cast<int>(s), wants);
    }
  }
  for (ir::Value* output : graph.outputs()) add(output, -1, Wants::kOwn);
}

Permutation LayoutPlan::ResultOrder(int producer, const Permutation& order) const {
  return *steps_[static_cast<size_t>(producer)].commuting->ResultOrder(order);
}

bool LayoutPlan::Admits(int step, const Permutation& order) const {
  return steps_[static_cast<size_t>(step)].commuting->ResultOrder(order).has_value();
}

Permutation LayoutPlan::Wanted(const Edge& edge, const Permutation& step) const {
  return edge.wants == Wants::kMoved ? Then(edge.order, step) : edge.order;
}

int64_t LayoutPlan::CostOfMove(const Edge& edge, const std::vector<ir::Expr>& dims,
                               const Permutation& order) const {
  if (edge.root->constant() != nullptr || IsIdentity(order)) return 0;
  if (KeepsOrder(order, dims)) return 1;
  return cost_({dims, edge.root->producer() == nullptr, edge.step < 0});
}

int64_t LayoutPlan::CostOf(const Edge& edge, const Permutation& producer, const Permutation& step,
                           bool shared) const {
  const bool fixed =
      edge.producer < 0 || !steps_[static_cast<size_t>(edge.producer)].commuting.has_value();
  const Permutation have =
      fixed ? Identity(edge.root->type().rank()) : ResultOrder(edge.producer, producer);
  const Permutation want = Wanted(edge, step);
  int64_t cost = 0;
  // What a fixed reader asks for anyway costs nothing more.
  const auto readers = fixed_readers_.find(edge.root);
  if (shared || readers == fixed_readers_.end() || readers->second.count(want) == 0 ||
      edge.wants == Wants::kOwn) {
    cost = CostOfMove(edge, Permuted(edge.root->type().dims, have), Then(Inverse(have), want));
  }
  if (edge.wants == Wants::kBroadcast) {
    std::vector<ir::Expr> dims(step.size() - edge.order.size(), ir::Expr(1));
    const std::vector<ir::Expr> own = Permuted(edge.root->type().dims, edge.order);
    dims.insert(dims.end(), own.begin(), own.end());
    cost += CostOfMove(edge, dims, step);
  }
  return cost;
}

int64_t LayoutPlan::CostOf(absl::Span<const ir::Value* const> roots) const {
  int64_t total = 0;
  for (const ir::Value* root : roots) {
    std::vector<Permutation> moved;  // a few, however many readers there are
    for (size_t e : edges_from_.at(root)) {
      const Edge& edge = edges_[e];
      const Permutation producer =
          edge.producer < 0 ? Permutation{} : steps_[static_cast<size_t>(edge.producer)].order;
      const Permutation step =
          edge.step < 0 ? Permutation{} : steps_[static_cast<size_t>(edge.step)].order;
      // Readers that want a tensor in the same order share one move.
      if (edge.wants != Wants::kBroadcast) {
        Permutation wanted = Wanted(edge, step);
        if (std::find(moved.begin(), moved.end(), wanted) != moved.end()) continue;
        moved.push_back(std::move(wanted));
      }
      total += CostOf(edge, producer, step, true);
    }
  }
  return total;
}

LayoutPlan::Orders LayoutPlan::Carry(int first, const Permutation& order) const {
  Orders orders{{first, order}};
  std::vector<int> queue{first};
  for (size_t at = 0; at < queue.size(); ++at) {
    const int step = queue[at];
    for (size_t e : edges_of_[static_cast<size_t>(step)]) {
      const Edge& edge = edges_[e];
      if (edge.wants != Wants::kMoved || edge.producer < 0 || edge.root->constant() != nullptr)
        continue;
      const Step& producer = steps_[static_cast<size_t>(edge.producer)];
      if (!producer.commuting.has_value()) continue;
      int other = -1;
      std::optional<Permutation> carried;
      if (edge.producer == step) {
        other = edge.step;
        carried = Then(Inverse(edge.order), ResultOrder(step, orders[step]));
      } else {
        other = edge.producer;
        carried = producer.commuting->OperandOrder(Then(edge.order, orders[step]));
      }
      if (!carried.has_value() || orders.count(other) != 0 || !Admits(other, *carried)) continue;
      orders[other] = *std::move(carried);
      queue.push_back(other);
    }
  }
  return orders;
}

std::vector<std::pair<int, Permutation>> LayoutPlan::Seeds() const {
  std::vector<std::pair<int, Permutation>> seeds;
  for (const Edge& edge : edges_) {
    const bool from_fixed =
        edge.producer < 0 || !steps_[static_cast<size_t>(edge.producer)].commuting.has_value();
    const auto seed = [&](int step, const std::optional<Permutation>& order) {
      if (order.has_value() && Admits(step, *order)) seeds.push_back({step, *order});
    };
    if (from_fixed && edge.wants == Wants::kMoved) {
      seed(edge.step, Inverse(edge.order));
      const auto readers = fixed_readers_.find(edge.root);
      if (readers == fixed_readers_.end()) continue;
      for (const Permutation& p : readers->second) seed(edge.step, Then(Inverse(edge.order), p));
    } else if (!from_fixed && edge.wants == Wants::kOwn) {
      const Commuting& commuting = *steps_[static_cast<size_t>(edge.producer)].commuting;
      seed(edge.producer, commuting.OperandOrder(edge.order));
    }
  }
  return seeds;
}

bool LayoutPlan::Try(const Orders& candidate) {
  std::map<int, size_t> nodes;
  for (const auto& [step, order] : candidate) {
    if (order != steps_[static_cast<size_t>(step)].order) nodes.emplace(step, nodes.size());
  }
  if (nodes.empty()) return false;
  MinCut cut(nodes.size());
  const auto order = [&](int step, bool changed) {
    if (step < 0) return Permutation{};
    return changed ? candidate.at(step) : steps_[static_cast<size_t>(step)].order;
  };
  std::vector<size_t> touched;
  for (const auto& [step, node] : nodes) {
    touched.insert(touched.end(), edges_of_[static_cast<size_t>(step)].begin(),
                   edges_of_[static_cast<size_t>(step)].end());
  }
  SortUnique(touched);
  for (size_t e : touched) {
    const Edge& edge = edges_[e];
    const auto a = nodes.find(edge.producer);
    const auto b = nodes.find(edge.step);
    const auto cost = [&](bool first, bool second) {
      return CostOf(edge, order(edge.producer, first), order(edge.step, second), false);
    };
    if (b == nodes.end()) {
      cut.AddNodeCost(a->second, cost(false, false), cost(true, false));
    } else if (a == nodes.end()) {
      cut.AddNodeCost(b->second, cost(false, false), cost(false, true));
    } else {
      // E(a, b) = E00 + a (E10 - E00) + b (E11 - E10) + (1 - a) b (E01 + E10 - E00 - E11).
      const int64_t e00 = cost(false, false), e01 = cost(false, true), e10 = cost(true, false),
                    e11 = cost(true, true);
      cut.AddNodeCost(a->second, 0, e10 - e00);
      cut.AddNodeCost(b->second, 0, e11 - e10);
      cut.AddPairCost(a->second, b->second, std::max<int64_t>(0, e01 + e10 - e00 - e11), 0);
    }
  }
  const std::vector<bool> labels = cut.Solve();
  // What is not touched costs the same before and after.
  std::vector<const ir::Value*> roots;
  for (size_t e : touched) roots.push_back(edges_[e].root);
  SortUnique(roots);
  const int64_t before = CostOf(roots);
  std::vector<std::pair<int, Permutation>> previous;
  for (const auto& [step, node] : nodes) {
    if (!labels[node]) continue;
    previous.push_back({step, steps_[static_cast<size_t>(step)].order});
    steps_[static_cast<size_t>(step)].order = candidate.at(step);
  }
  if (CostOf(roots) < before) return true;
  for (auto& [step, old] : previous) steps_[static_cast<size_t>(step)].order = std::move(old);
  return false;
}

// The cost is a non-negative integer that each round but the last lowers.
void LayoutPlan::Improve() {
  const std::vector<std::pair<int, Permutation>> seeds = Seeds();
  bool improved = true;
  while (improved) {
    improved = false;
    std::set<std::pair<int, Permutation>> tried;
    for (const auto& seed : seeds) {
      if (tried.count(seed) != 0) continue;
      const Orders candidate = Carry(seed.first, seed.second);
      tried.insert(candidate.begin(), candidate.end());
      if (!Try(candidate)) continue;
      improved = true;
      tried.clear();
    }
  }
}

const Commuting* LayoutPlan::CommutingFor(const ir::Operation* op) const {
  const auto at = index_.find(op);
  if (at == index_.end()) return nullptr;
  const Step& step = steps_[static_cast<size_t>(at->second)];
  return step.commuting.has_value() ? &*step.commuting : nullptr;
}

Permutation LayoutPlan::OrderOf(const ir::Operation* op) const {
  const auto at = index_.find(op);
  return at == index_.end() ? Permutation{} : steps_[static_cast<size_t>(at->second)].order;
}

}  // namespace tessera::layout
