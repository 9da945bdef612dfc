// From a graph of layers of any size, core movement and elementwise operations to stretches that
// the device and the host run (plan.h).
//
// A value on the device is memory: its elements in row-major order, at the front of one or several
// tensors, with padding behind. Reshapes are nothing there. An operation of the graph is at a
// level: even ones run on the host, odd ones on the device, each reads those below it.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_TRANSLATION_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_TRANSLATION_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/lower.h"
#include "solver/expr.h"
#include "targets/npu/device/device.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/limits.h"
#include "targets/npu/legalization/misfit.h"
#include "targets/npu/legalization/plan.h"

namespace tessera::npu {

struct Options {
  Widths widths;
  bool host_fallback = false;  // what the device lacks runs on the host, between its layers
  // A size of which `frame` entries come at once; empty: one by one, if there is such a size.
  std::string stream;
  int64_t frame = 1;
  // By scope: what the device is not to do, as an earlier plan showed.
  std::map<std::string, Misfit> misfits;
};

inline bool IsDeviceLevel(int level) { return level % 2 == 1; }
// What may stand before and after the layers without being asked for.
bool IsMovement(const ir::Operation& op);

class Translation {
 public:
  // `frames` is the symbol of which the plan runs one entry at a time, or empty. `states` are what
  // inputs of the graph are, and outputs become, from run to run. `reasons` says of operations that
  // no lowering was found for why not, by id. What the host does is counted by the
  // nests of its operations, as far as nests::Library has them.
  Translation(ir::Graph& graph, std::string frames, const std::vector<State>& states,
              const Device& device, const Options& options, std::map<int, std::string> reasons);

  // Error (Unimplemented): everything that has no place on the device, with its scope and reason.
  absl::StatusOr<Plan> Run();

 private:
  using Numbers = Layers::Numbers;
  using Shape = std::vector<int64_t>;

  struct Stored;
  // Weighted sums that are no layer yet: w [rows, x.count] for each term.
  struct Term {
    std::shared_ptr<const Stored> x;
    Numbers w;
  };
  struct Form {
    std::vector<Term> terms;
    Numbers bias;  // one per row
  };
  struct Stored {
    std::vector<ir::Value*> pieces;    // the elements of all, one after the other
    int64_t count = 0;                 // that mean something
    std::shared_ptr<const Form> form;  // in place of pieces
  };
  struct Level {
    std::unique_ptr<ir::Graph> graph;
    std::unique_ptr<Layers> layers;
    std::map<const ir::Value*, ir::Value*> values;                     // of a host level
    std::map<const ir::Value*, std::shared_ptr<const Stored>> stored;  // of a device level
    std::map<const ir::Value*, ir::Value*> materialized;   // forms, for readers without a table
    std::map<std::vector<ir::Value*>, ir::Value*> beside;  // columns that were joined
    std::map<std::vector<ir::Value*>, ir::Value*> whole;   // pieces in one place
  };
  using StoredPtr = std::shared_ptr<const Stored>;

  // The operation on the device, at `level_`. An error of code Unimplemented is the reason why not.
  absl::StatusOr<StoredPtr> OnDevice(const ir::Operation& op);
  absl::StatusOr<StoredPtr> LowerRows(const ir::Operation& op);
  absl::StatusOr<StoredPtr> LowerVector(const ir::Value* x, Numbers w, Numbers bias);
  absl::StatusOr<StoredPtr> LowerRowsAlong(const ir::Operation& op, int64_t vectors, Numbers w,
                                           Numbers bias);
  absl::StatusOr<StoredPtr> LowerSum(const ir::Operation& op);
  absl::StatusOr<StoredPtr> LowerProduct(const ir::Operation& op);
  absl::StatusOr<StoredPtr> LowerWithNumbers(const ir::Value* x, const ir::Tensor& numbers,
                                             bool product);
  absl::StatusOr<StoredPtr> LowerElementwise(const ir::Operation& op);
  absl::StatusOr<StoredPtr> LowerScaled(const ir::Operation& op);
  absl::StatusOr<StoredPtr> LowerPart(const ir::Operation& op);
  absl::StatusOr<StoredPtr> LowerPicked(const ir::Operation& op);
  absl::StatusOr<StoredPtr> LowerJoin(const ir::Operation& op);
  // As layers whose weights are 1 or 0; `why` it takes them is part of the error.
  absl::StatusOr<StoredPtr> ByWeights(const ir::Value* value, const std::vector<int64_t>& places,
                                      const std::string& why);
  absl::StatusOr<StoredPtr> JoinByWeights(const ir::Operation& op, const std::string& why);
  absl::StatusOr<StoredPtr> JoinByFilters(const ir::Operation& op);
  absl::StatusOr<StoredPtr> JoinScattered(const ir::Operation& op);
  struct Neighbours {  // neighbouring elements of one of several values
    size_t value;
    int64_t from, count;
  };
  static std::vector<Neighbours> RunsOf(const std::vector<int64_t>& places);
  absl::StatusOr<StoredPtr> ByCopies(const std::vector<const ir::Value*>& values,
                                     const std::vector<Neighbours>& runs);
  absl::StatusOr<StoredPtr> LowerFilter(const ir::Operation& op);
  absl::StatusOr<StoredPtr> LowerWindow(const ir::Operation& op);

  // Ways to convolve (filters.cc).
  struct Geometry;
  struct Way;
  Geometry GeometryOf(const ir::Operation& op) const;
  bool ReadByLayers(const ir::Value* value) const;
  Way AlongRow(const Geometry& g);
  Way OverRows(const Geometry& g);
  Way ByTaps(const Geometry& g);
  Way AsImage(const Geometry& g);
  Way ByShifts(const Geometry& g);
  // Filters over a row of samples, each of which goes on by `stride`.
  struct RowFilters {
    int64_t front = 0;  // zeros before the first sample
    int64_t taps = 0, stride = 1, positions = 1;
    std::function<void(Numbers&, int64_t taps)> fill;  // [bias.size(), taps]
    Numbers bias;

    int64_t filters() const { return static_cast<int64_t>(bias.size()); }
  };
  // The same with `count` positions at once.
  static RowFilters Together(const RowFilters& row, int64_t count);
  Way RowWay(const Geometry& g, RowFilters row);
  // By affine layers, one for some positions that lie beside each other.
  Way ByPositions(const Geometry& g, RowFilters row);
  // The device's layer for rows of samples.
  const char* RowLayer() const;
  struct RowRuns {  // positions of one layer, and samples that it reads
    int64_t each, read;
  };
  RowRuns RunsOfRow(int64_t positions, int64_t taps, int64_t stride, int64_t filters) const;
  ir::Value* RowRun(ir::Value* all, int64_t begin, int64_t from, int64_t positions,
                    const RowRuns& runs, int64_t stride, const Numbers& weights,
                    const Numbers& bias);
  // The greatest number of taps that a layer takes, of `filters` that go on by `stride`.
  int64_t MostTaps(const char* layer, int64_t filters, int64_t stride) const;
  absl::StatusOr<StoredPtr> Convolved(const Geometry& g);
  Geometry FilterOf(const ir::Operation& op) const;  // whose filters are constants
  // Before anything is placed: images that no layer takes as a whole (split.cc).
  struct ImagePart;
  class Splitter;
  std::optional<ImagePart> PartOfImage(const Geometry& g) const;
  std::optional<ImagePart> MoreFilters(const Geometry& g);
  absl::Status SplitImages();

  // Why the device has no place for it, whatever it computes; null: it may have.
  const std::string* ObjectionTo(const ir::Operation& op) const;
  // Of one operation, whatever its level.
  void Place(const ir::Operation& op);
  const ir::Value* ShownBy(const ir::Operation& op) const;
  bool PlaceView(const ir::Operation& op);
  bool PlaceLoop(const ir::Operation& op);
  // What is kept in the place of `value`, of which `initial` is the first.
  size_t KeepFor(const ir::Value* value, const ir::Tensor& initial, std::string name);
  absl::Status WriteStates();
  void PlaceOnHost(const ir::Operation& op, const std::string& reason);
  int LevelOf(const ir::Value* value) const;  // -1: an input of the network, a constant
  int HighestOperand(const ir::Operation& op) const;
  Level& At(int level);
  Layers& layers() { return *At(level_).layers; }

  // What stands for a value in a host level, and on the device at `level_`.
  ir::Value* OnHost(const ir::Value* value, int level);
  StoredPtr StoredOf(const ir::Value* value);
  // In memory of its own: [n, 1], n at least the count.
  ir::Value* Flat(const ir::Value* value);
  ir::Value* FlatOf(const Stored& stored);
  ir::Value* Materialized(const Form& form);  // a new layer each time
  ir::Value* Added(ir::Value* x, ir::Value* sum);
  // The elements in a place of their own of `size`, with zeros behind.
  ir::Value* CopyOf(ir::Value* flat, int64_t size);
  // Columns beside each other, each in a place of its own of `sizes` elements.
  ir::Value* Beside(const std::vector<ir::Value*>& parts, const std::vector<int64_t>& sizes);
  // The first `size` elements as [size, 1]; null after an error.
  ir::Value* Fitted(ir::Value* flat, int64_t size);
  // With zeros around it; on the host where the value comes from there. What is behind need not be
  // zero where it is read with weights of zero alone, and is not `counted`.
  absl::StatusOr<ir::Value*> Widened(const ir::Value* value, int64_t front, int64_t back,
                                     bool counted);
  // A tensor that a lower level yields, as an input of this one.
  ir::Value* Crossing(int from, ir::Value* value, int to, const ir::Value* named);
  ir::Value* Given(const ir::Value* value, int level);
  std::string NameFor(const ir::Value* value);
  absl::Status Refusals() const;

  StoredPtr Make(std::vector<ir::Value*> pieces, int64_t count) const;
  ir::Expr OfOneFrame(const ir::Expr& dim) const;
  Shape ShapeOf(const ir::Value* value) const;  // with one frame
  int64_t CountOf(const ir::Value* value) const;
  const ir::Value* Root(const ir::Value* value) const;  // behind views
  int Readers(const ir::Value* value) const;
  int64_t WorkOf(const ir::Operation& op) const;
  // What `x` elements of memory begin at multiples of.
  int64_t Alignment() const { return device_.alignment / SizeOf(options_.widths.input); }
  int64_t Multiple() const;
  int64_t MostElements() const;

  ir::Graph& graph_;
  std::string frames_;
  const Device& device_;
  Options options_;
  std::map<int, std::string> reasons_;
  int level_ = 0;  // of the operation that is being placed
  std::vector<Level> levels_;
  std::map<const ir::Value*, int> level_of_;
  std::map<const ir::Value*, const ir::Value*> views_;  // to what they show
  std::map<const ir::Value*, std::string> crossings_;   // names, by the value in its level
  std::map<std::pair<const ir::Value*, int>, ir::Value*> crossed_;
  std::map<std::pair<const ir::Value*, int>, ir::Value*> given_;  // inputs by level
  std::map<const ir::Value*, size_t> state_of_;                   // into plan_.states
  std::vector<std::pair<size_t, const ir::Value*>> next_states_;
  std::set<std::string> names_;
  struct Left {  // on the host
    const ir::Operation* op;
    std::string reason;
    int level;
  };
  std::vector<Left> left_;
  Plan plan_;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_TRANSLATION_H_
