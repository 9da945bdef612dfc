// A network turned into one that a frame of its stream goes through: what StreamOf does.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_STREAMER_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_STREAMER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/loops.h"
#include "passes/lower.h"
#include "solver/expr.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/stream.h"

namespace tessera::npu {

// What stands for a value of the network, and which of its entries a frame has.
struct Flow {
  ir::Value* value = nullptr;
  int axis = -1;  // of time; -1: it is the same for all frames
  // Entries in a frame, how late they come, and how many there are of `t` entries of the input:
  // floor((t + offset) / stride).
  int64_t entries = 0, delay = 0, stride = 1, offset = 0;
  // Without an axis: it is what the entries so far leave, of all of them when `delay` entries of
  // the input more have come.
  bool ends = false;
};

class Streamer {
 public:
  using Expr = ir::Expr;
  using Shape = std::vector<int64_t>;

  Streamer(const ir::Graph& graph, const std::string& symbol, int64_t frame)
      : graph_(graph), symbol_(symbol), frame_(frame), layers_(*stream_.graph) {}

  absl::StatusOr<Stream> Run();

 private:
  // Why not; empty: the results have flows.
  std::string Follow(const ir::Operation& op);
  std::string FollowLoop(const ir::Loop& loop);
  std::string FollowOver(const ir::Operation& op, const Flow& x);
  std::string FollowWindow(const ir::Operation& op, int d, const Flow& x);
  std::string FollowCutWindow(const ir::Operation& op, int d, const GateWindow& w, const Flow& x);
  Flow OfWindows(const ir::Operation& op, std::vector<ir::Value*> operands,
                 std::vector<ir::Attribute> attrs, int d, const GateWindow& w, const Flow& x);
  std::string FollowPart(const ir::Operation& op, const Flow& x);
  std::string Repeat(const ir::Operation& op, std::vector<std::optional<Flow>> operands);

  absl::StatusOr<int> AxisOf(const ir::Value& value) const;
  std::optional<Flow> FlowOf(ir::Value* value);
  std::string Align(std::vector<std::optional<Flow>>& operands);
  // The last `count` entries of earlier frames, then those of this one.
  ir::Value* WithEarlier(const Flow& x, int64_t count);
  // An input that keeps what Keep gives it from frame to frame; null after an error.
  ir::Value* NewState(const Shape& shape, ir::Tensor initial, size_t& index);
  void Keep(size_t state, ir::Value* next);
  ir::Value* Entries(ir::Value* value, int axis, int64_t from, int64_t count);
  ir::Value* EntryOf(ir::Value* value, int64_t at);  // of the first axis, which goes
  ir::Value* WhereThereIs(const Flow& time, int64_t at, ir::Value* value, ir::Value* otherwise);
  // An input that the run fills for each entry; null after an error.
  ir::Value* GateFor(const Flow& x, const Shape& shape, GateKind kind = GateKind::kExists,
                     const GateWindow& window = {});
  // What all entries of `x` leave, once there are no more.
  Flow EndOf(const Flow& x, ir::Value* value) const;
  // The mean of the entries so far, the greatest of them, and their sum.
  ir::Value* MeanSoFar(const Flow& x);
  ir::Value* GreatestSoFar(const Flow& x);
  ir::Value* SumSoFar(const Flow& x);
  // The entries of a frame, added up.
  ir::Value* Total(ir::Value* entries, const Flow& x);
  ir::Value* Negative(ir::Value* value);
  // Zeros in place of what is no entry of the stream.
  ir::Value* Gated(const Flow& x);
  std::string NameFor(const std::string& base);
  bool Mentions(const Expr& e) const;  // the symbol
  bool HasTime(const ir::Attribute& attr) const;
  // Of the result of an operation like `op` with other attributes.
  ir::Value* Like(const ir::Operation& op, std::vector<ir::Value*> operands,
                  std::vector<ir::Attribute> attrs);

  const ir::Graph& graph_;
  const std::string& symbol_;
  const int64_t frame_;
  Stream stream_ = {std::make_unique<ir::Graph>(), {}, {}, {}, {}};
  Layers layers_;
  std::map<const ir::Value*, Flow> flows_;
  std::vector<ir::Value*> gates_;                 // those of stream_.gates
  std::map<const ir::Value*, ir::Value*> gated_;  // by what is gated
  std::set<const ir::Value*> refused_;
  std::set<std::string> names_;
  std::vector<passes::Refusal> refusals_;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_STREAMER_H_
