// The exact network and the quantized one side by side, operation by operation over some samples.
//
// As many samples are on their way as fit into a bound on memory: few where values are large, more
// behind that, for which the operations before are then computed with all that was decided there.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_SIDE_BY_SIDE_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_SIDE_BY_SIDE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/compression/calibration/sample_source.h"
#include "passes/compression/quantization/plan.h"
#include "solver/expr.h"

namespace tessera::compression {

class SideBySide {
 public:
  struct Limits {
    int64_t max_bytes = int64_t{64} << 20;  // of values kept; at least the fewest samples are
    size_t fewest = 8, most = 256;
  };
  // By value: elements that its grid cuts off, and all of them.
  using Cut = std::map<const ir::Value*, std::pair<int64_t, int64_t>>;
  // One sample on its way. Those of different lanes may be read and computed at the same time.
  struct Lane {
    size_t sample = 0;
    solver::Assignment assignment;
    std::vector<std::optional<ir::Tensor>> exact, rounded;  // by id
    std::map<const ir::Value*, ir::Tensor> on_grid;         // rounded ones, as readers see them
    Cut cut;
  };

  // `grids`: by ActivationSite::range. All must outlive this.
  SideBySide(const ir::Graph& graph, const calibration::SampleSource& samples, const Plan& plan,
             const std::vector<Grid>& grids, const Limits& limits);

  // Unimplemented: the network has loops. Errors of samples.
  absl::Status Start();
  const std::vector<ir::Operation*>& order() const { return order_; }
  std::vector<Lane>& lanes() { return lanes_; }
  const std::vector<Lane>& lanes() const { return lanes_; }

  // The steps of `order()`, one after the other: more samples, the exact results, the rounded ones,
  // and letting go of what nothing reads any more.
  absl::Status Grow(size_t step);
  absl::Status RunExact(size_t step);
  absl::Status RunRounded(size_t step);
  void RoundResults(size_t step);
  void Release(size_t step);

  // What the operation alone reads there in the rounded network, from here on.
  void Supply(const ir::Operation& op, int operand, ir::Tensor tensor);
  // Adds to each entry of `axis` of the operation's rounded results.
  void Shift(const ir::Operation& op, int64_t axis, std::vector<float> by);

  // What the operation reads there in the rounded network.
  const ir::Tensor& Read(const ir::Operation& op, size_t operand, Lane& lane);
  // Of all lanes.
  Cut cut() const;

 private:
  absl::StatusOr<Lane> Begin(size_t index);
  absl::Status Bound(const solver::Assignment& assignment);
  absl::Status CatchUp(size_t step, Lane& lane);
  absl::Status Exact(const ir::Operation& op, Lane& lane);
  absl::Status Rounded(const ir::Operation& op, Lane& lane);
  void RoundResultsOf(const ir::Operation& op, Lane& lane);
  void ReleaseOf(size_t step, Lane& lane) const;
  const ir::Tensor& OnItsGrid(const ir::Value& value, Lane& lane);

  const ir::Graph& graph_;
  const calibration::SampleSource& samples_;
  Limits limits_;
  std::vector<ir::Operation*> order_;
  std::vector<int> last_;                   // step of the last use, by value
  std::vector<std::vector<int>> released_;  // by step
  std::vector<int64_t> widest_;             // by step: bytes of values from there on, of one lane
  std::map<const ir::Value*, const Grid*> grids_;
  std::set<std::pair<const ir::Operation*, int>> rounds_;
  std::set<const ir::Value*> rounded_results_;
  std::map<std::pair<const ir::Operation*, int>, ir::Tensor> supplied_;
  std::map<const ir::Operation*, std::pair<int64_t, std::vector<float>>> shifts_;
  std::vector<Lane> lanes_;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_SIDE_BY_SIDE_H_
