#include "nests/expressions.h"

#include <utility>

#include "absl/container/flat_hash_set.h"

namespace tessera::nests {
namespace {

class Collector {
 public:
  void Add(const std::vector<TensorInfo>& tensors) {
    for (const TensorInfo& tensor : tensors) Add(tensor.dims);
  }
  void Add(const std::vector<Expr>& list) {
    expressions_.insert(expressions_.end(), list.begin(), list.end());
  }
  void Add(const std::vector<Axis>& axes) {
    for (const Axis& axis : axes) {
      expressions_.push_back(axis.symbol);
      expressions_.push_back(axis.extent);
    }
  }
  void Add(const Scalar& scalar) {
    if (scalar.IsNone() || !seen_.insert(&*scalar).second) return;
    expressions_.push_back(scalar->index);
    for (const Index& index : scalar->at) {
      expressions_.push_back(index.expr);
      Add(index.data);
    }
    Add(scalar->axes);
    for (const Scalar& arg : scalar->args) Add(arg);
  }
  std::vector<Expr> Take() { return std::move(expressions_); }

 private:
  absl::flat_hash_set<const ScalarNode*> seen_;
  std::vector<Expr> expressions_;
};

}  // namespace

std::vector<Expr> ExpressionsOf(const Computation& computation) {
  Collector collector;
  collector.Add(computation.operands);
  collector.Add(computation.temps);
  collector.Add(computation.results);
  collector.Add(computation.requirements);
  for (const Nest& nest : computation.nests) {
    collector.Add(nest.axes);
    collector.Add(nest.at);
    collector.Add(nest.body);
  }
  return collector.Take();
}

}  // namespace tessera::nests
