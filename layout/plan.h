// The choice that `place.h` describes, without changing the graph.
#ifndef TESSERA_LAYOUT_PLAN_H_
#define TESSERA_LAYOUT_PLAN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "layout/commuting.h"
#include "layout/cost.h"
#include "layout/permutation.h"

namespace tessera::layout {

class LayoutPlan {
 public:
  LayoutPlan(const ir::Graph& graph, MoveCost cost);

  // What a value is, seen through transposes: T(root, order).
  struct Source {
    ir::Value* root;
    Permutation order;
  };
  static Source SourceOf(ir::Value* value);

  // Lowers the cost as far as it can.
  void Improve();

  // nullptr for operations that keep their order.
  const Commuting* CommutingFor(const ir::Operation* op) const;
  // The order in which `op` runs; the identity of its rank where it has none to choose.
  Permutation OrderOf(const ir::Operation* op) const;

 private:
  struct Step {
    const ir::Operation* op;
    std::optional<Commuting> commuting;
    Permutation order;  // in which it runs, if it commutes
  };
  enum class Wants : uint8_t { kOwn, kMoved, kBroadcast };
  // A reader of a tensor; `step` < 0 is an output of the graph.
  struct Edge {
    ir::Value* root;
    Permutation order;  // reads T(root, order)
    int producer;       // the step that yields `root`, -1 for an input of the graph
    int step;
    Wants wants;
  };
  using Orders = std::map<int, Permutation>;  // by step

  // Of an order that the step admits.
  Permutation ResultOrder(int producer, const Permutation& order) const;
  bool Admits(int step, const Permutation& order) const;
  // Given the orders in which both ends run.
  int64_t CostOf(const Edge& edge, const Permutation& producer, const Permutation& step,
                 bool shared) const;
  // Of the edge's tensor, of these dims, into another order.
  int64_t CostOfMove(const Edge& edge, const std::vector<ir::Expr>& dims,
                     const Permutation& order) const;
  // The order of `root` that the edge reads.
  Permutation Wanted(const Edge& edge, const Permutation& step) const;
  // Of all moves of these tensors.
  int64_t CostOf(absl::Span<const ir::Value* const> roots) const;
  // Carries the order of one step through its region.
  Orders Carry(int step, const Permutation& order) const;
  bool Try(const Orders& candidate);
  std::vector<std::pair<int, Permutation>> Seeds() const;

  MoveCost cost_;
  std::vector<Step> steps_;
  absl::flat_hash_map<const ir::Operation*, int> index_;
  std::vector<Edge> edges_;
  std::vector<std::vector<size_t>> edges_of_;                              // by step, both ends
  absl::flat_hash_map<const ir::Value*, std::vector<size_t>> edges_from_;  // by root
  // Of tensors in fixed order.
  absl::flat_hash_map<const ir::Value*, std::set<Permutation>> fixed_readers_;
};

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_PLAN_H_
