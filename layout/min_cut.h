// The cheapest assignment of one of two labels to each node, where nodes have costs of their own
// and pairs of nodes pay for labels that differ: a minimum s-t cut (Dinic's algorithm).
#ifndef TESSERA_LAYOUT_MIN_CUT_H_
#define TESSERA_LAYOUT_MIN_CUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::layout {

class MinCut {
 public:
  explicit MinCut(size_t nodes);

  // What the labels 0 and 1 of a node cost. Costs are not negative and their sum fits int64.
  void AddNodeCost(size_t node, int64_t zero, int64_t one);
  // What it costs that `a` has label 0 and `b` label 1, and the other way round.
  void AddPairCost(size_t a, size_t b, int64_t zero_one, int64_t one_zero);

  // Label 1 where the cheapest assignments leave a choice.
  std::vector<bool> Solve();

 private:
  struct Arc {
    size_t to;
    int64_t capacity;
  };
  void AddArc(size_t from, size_t to, int64_t forth, int64_t back);
  bool Layer();
  int64_t Push(size_t node, int64_t flow);

  size_t source_, sink_;
  std::vector<Arc> arcs_;  // an arc and, next to it, its reverse
  std::vector<std::vector<size_t>> leaving_;
  std::vector<int> layer_;
  std::vector<size_t> next_;
};

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_MIN_CUT_H_
