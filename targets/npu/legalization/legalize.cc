#include "targets/npu/legalization/legalize.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/loops.h"
#include "ir/registry.h"
#include "layout/place.h"
#include "passes/fold.h"
#include "passes/lower.h"
#include "passes/pipeline.h"
#include "targets/npu/legalization/batches.h"
#include "targets/npu/legalization/frames.h"
#include "targets/npu/legalization/integers.h"
#include "targets/npu/legalization/invariants.h"
#include "targets/npu/legalization/movement.h"
#include "targets/npu/legalization/stream.h"
#include "targets/npu/legalization/windows.h"

namespace tessera::ops {
const ir::Dialect& NpuLayersOps();
}  // namespace tessera::ops

namespace tessera::npu {
namespace {

using passes::kAllParts;
using passes::kContents;
using passes::Numerics;
using passes::PassContext;
using passes::PassResult;
using passes::Phase;

// What is neither a layer, nor a view or a table of one, nor a transposition that may vanish.
bool IsForeign(const ir::Operation& op) {
  const ir::Role role = op.info().role;
  const auto is_empty = [](const ir::Value* value) {
    return value != nullptr && std::any_of(value->type().dims.begin(), value->type().dims.end(),
                                           [](const ir::Expr& dim) { return dim == ir::Expr(0); });
  };
  // Lowerings are not asked what they make of nothing.
  const auto operands = op.operands();
  if (std::any_of(operands.begin(), operands.end(), is_empty)) return false;
  return role == ir::Role::kNone && op.info().dialect != kDialect && !ir::IsLoopOp(op) &&
         !IsTable(op);
}

absl::StatusOr<PassResult> LowerToLayers(ir::Graph& graph, PassContext& context) {
  // Lowerings are stated in operations that are lowered in turn.
  constexpr int kMostRounds = 24;
  for (int round = 0; round < kMostRounds; ++round) {
    const uint64_t at_start = graph.Fingerprint();
    std::vector<passes::Refusal> refusals;  // asked for again in the end
    absl::Status status = passes::LowerOnce(graph, kDialect, IsForeign, context, refusals);
    if (status.ok()) status = passes::FoldConstants(graph, context).status();
    if (!status.ok()) return status;
    if (graph.Fingerprint() == at_start) break;
  }
  PassResult result;
  result.unsure = true;
  return result;
}

// What is moved before the first layer or behind the last one is the host's, and cheap.
int64_t CostOfMove(const layout::Move& move) {
  const int64_t elements = layout::ElementsMoved(move);
  return move.from_input || move.to_output ? elements : 1024 * elements;
}

absl::StatusOr<PassResult> PlaceTransposes(ir::Graph& graph, PassContext&) {
  const absl::StatusOr<bool> placed = layout::PlaceTransposes(graph, "core", CostOfMove);
  if (!placed.ok()) return placed.status();
  PassResult result;
  result.unsure = true;
  return result;
}

}  // namespace

void RegisterLayers() { ir::Registry::Global().Add(ops::NpuLayersOps()); }

passes::Pipeline LegalizationPipeline() {
  const passes::Pass core = passes::CanonicalizePass("core");
  const passes::Pass layers = passes::CanonicalizePass(kDialect);
  const passes::Invariant* const steps = &StepsOfAnySize();
  return {
      layers,  // what the network says of its scales
      {"npu-integers-as-floats",
       "computes in floats what quantized values are computed with",
       Phase::kLegalize,
       Numerics::kLastBits,
       {kContents, kContents},
       IntegersAsFloats},
      core,
      layers,
      {"npu-lower",
       "lowers operations to layers of any size",
       Phase::kLegalize,
       Numerics::kLastBits,
       {kAllParts, kContents},
       LowerToLayers,
       {},
       {steps}},
      core,
      layers,
      core,  // what moved past each other meets
      layers,
      passes::CommonSubexpressionPass(),
      {"npu-part-neighbours",
       "takes neighbouring entries of an axis as a part, whatever the order of axes",
       Phase::kOptimize,
       Numerics::kExact,
       {passes::kAllParts, passes::kContents},
       PartNeighbours,
       {steps}},
      {"npu-place-transposes",
       "moves transpositions to the ends of the network",
       Phase::kOptimize,
       Numerics::kExact,
       {kAllParts, kContents},
       PlaceTransposes,
       {steps},
       {&TransposesMove()}},
      core,
      {"npu-sink-to-weights",
       "moves transpositions into the weights behind them",
       Phase::kOptimize,
       Numerics::kExact,
       {kAllParts, kContents},
       SinkToWeights,
       {steps, &TransposesMove()}},
      {"npu-sink-gathers",
       "moves choices of entries into the weights before or behind them",
       Phase::kOptimize,
       Numerics::kLastBits,
       {kAllParts, kContents},
       SinkGathers,
       {steps},
       {&ChoicesChoose()},
       {&TransposesMove()}},
      {"npu-settle-transposes",
       "makes one transposition of several, and views of those that move nothing",
       Phase::kOptimize,
       Numerics::kExact,
       {kAllParts, kContents},
       SettleTransposes,
       {steps},
       {&TransposesMove()}},
      {"npu-means-of-rows",
       "computes means of rows where they stand",
       Phase::kOptimize,
       Numerics::kLastBits,
       {passes::kAllParts, passes::kContents},
       MeansOfRows,
       {steps, &TransposesMove()}},
      {"npu-cut-early",
       "cuts before tables, so that weighted sums are cut into their rows",
       Phase::kOptimize,
       Numerics::kExact,
       {kAllParts, kContents},
       CutEarly,
       {steps},
       {&CutsBeforeTables()}},
      {"npu-join-filters",
       "makes one convolution of several whose channels lie beside each other",
       Phase::kOptimize,
       Numerics::kLastBits,
       {kAllParts, kContents},
       JoinFilters,
       {steps}},
      layers,
      passes::CommonSubexpressionPass(),
      passes::DeadCodePass(),
  };
}

absl::StatusOr<Plan> Legalize(ir::Graph& network, const Device& device, const Options& options) {
  RegisterLayers();
  Stream stream;
  if (!options.stream.empty()) {
    absl::StatusOr<Stream> made = StreamOf(network, options.stream, options.frame);
    if (!made.ok()) return made.status();
    stream = *std::move(made);
  }
  ir::Graph& graph = stream.graph != nullptr ? *stream.graph : network;
  std::vector<passes::Refusal> refusals;
  passes::PassContext context;
  absl::Status status;
  status = SplitBatches(graph);
  if (status.ok()) status = ExpandWindows(graph, device, options.widths, options.host_fallback);
  if (status.ok()) status = passes::LowerOnce(graph, kDialect, IsForeign, context, refusals);
  if (!status.ok()) return status;
  std::map<int, std::string> reasons;
  for (passes::Refusal& refusal : refusals) reasons[refusal.id] = std::move(refusal.reason);
  Frames frames;
  if (stream.graph == nullptr) {
    absl::StatusOr<Frames> found = FramesOf(graph);
    if (!found.ok()) return found.status();
    frames = *std::move(found);
  } else {
    frames.inputs = stream.inputs;
    frames.outputs = stream.outputs;
  }
  absl::StatusOr<Plan> plan =
      Translation(graph, frames.symbol, stream.states, device, options, std::move(reasons)).Run();
  if (!plan.ok()) return plan.status();
  if (stream.graph != nullptr) {
    plan->frames = options.stream;
    plan->inputs.clear();
    for (const ir::Value* input : network.inputs()) plan->inputs.push_back(input->name());
    plan->gates = std::move(stream.gates);
  }
  plan->frame_inputs = frames.inputs;
  plan->frame_outputs = frames.outputs;
  return plan;
}

}  // namespace tessera::npu
