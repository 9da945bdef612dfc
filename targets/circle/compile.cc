#include "targets/circle/compile.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "layout/place.h"
#include "passes/common_subexpressions.h"
#include "passes/pipeline.h"
#include "targets/circle/emission/emit.h"
#include "targets/circle/lowering/compute_shapes.h"
#include "targets/circle/lowering/fit_runtimes.h"
#include "targets/circle/lowering/fuse_activations.h"
#include "targets/circle/lowering/invariants.h"
#include "targets/circle/lowering/legalize.h"
#include "targets/circle/lowering/loop_buffers.h"
#include "targets/circle/lowering/separate_outputs.h"
#include "targets/circle/lowering/single_precision.h"
#include "targets/circle/lowering/sink_reshapes.h"
#include "targets/circle/lowering/use_integers.h"

namespace tessera::ops {
const ir::Dialect& CircleOps();
const ir::Dialect& CircleIntegersOps();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

using passes::kAllParts;
using passes::kContents;
using passes::kLinks;
using passes::kOperators;
using passes::kSizes;
using passes::kTypes;
using passes::Numerics;
using passes::PassContext;
using passes::PassResult;
using passes::Phase;

// All but the values of constants.
constexpr passes::Parts kGraph = kLinks | kOperators | kTypes;

// What computes shapes, what computes that one's, and so on.
constexpr int kMostRounds = 4;

template <absl::Status (*Lower)(ir::Graph&, PassContext&, std::vector<Refusal>&)>
absl::StatusOr<PassResult> Lowering(ir::Graph& graph, PassContext& context) {
  std::vector<Refusal> refusals;
  if (absl::Status status = Lower(graph, context, refusals); !status.ok()) return status;
  if (!refusals.empty()) return ErrorOf(refusals);
  PassResult result;
  result.unsure = true;
  return result;
}

// What goes in and out, before anything is made of it; what is inside may still be folded.
absl::StatusOr<PassResult> CheckElementTypes(ir::Graph& graph, PassContext&) {
  if (absl::Status status = TypesOfTheFormat().check(graph); !status.ok()) return status;
  return PassResult();
}

absl::StatusOr<PassResult> Layout(ir::Graph& graph, PassContext&) {
  const absl::StatusOr<bool> placed = layout::PlaceTransposes(graph, kDialect);
  if (!placed.ok()) return placed.status();
  PassResult result;
  result.unsure = true;
  return result;
}

absl::StatusOr<PassResult> Shapes(ir::Graph& graph, PassContext&) {
  if (absl::Status status = ComputeShapes(graph); !status.ok()) return status;
  PassResult result;
  result.unsure = true;
  return result;
}

}  // namespace

void RegisterOperators() {
  ir::Registry::Global().Add(ops::CircleOps());
  ir::Registry::Global().Add(ops::CircleIntegersOps());
}

passes::Pipeline CirclePipeline(std::shared_ptr<IntegersReport> integers,
                                std::optional<Places> places) {
  const passes::Pass canonicalize = passes::CanonicalizePass(kDialect);
  const passes::Invariant* const types = &TypesOfTheFormat();
  const passes::Invariant* const no_core = &passes::NoneOf("core");
  const passes::Invariant* const coded = &Coded();
  const passes::Invariant* const sizes = &SizesComputed();
  const passes::Invariant* const apart = &OutputsApart();
  passes::Pipeline pipeline = {
      {"circle-check-types",
       "refuses inputs and outputs of types that the format has not",
       Phase::kLegalize,
       Numerics::kExact,
       {kTypes, passes::kNoParts},
       CheckElementTypes,
       {},
       {types}},
      {"circle-narrow-doubles",
       "computes in f32 what is f64, which the format has no operators for",
       Phase::kLegalize,
       Numerics::kPrecision,
       {kContents, kContents},
       NarrowDoubles},
      {"circle-widen-halves",
       "computes in f32 what is f16 or bf16, which the format has no operators for",
       Phase::kLegalize,
       Numerics::kPrecision,
       {kContents, kContents},
       WidenHalves},
      {"circle-legalize",
       "lowers every operation to operators of the format",
       Phase::kLegalize,
       Numerics::kExact,
       {kAllParts, kContents},
       Lowering<Legalize>,
       {types},
       {no_core}},
      {"circle-buffer-loops",
       "spells out what loops read and collect at each position",
       Phase::kLegalize,
       Numerics::kExact,
       {kAllParts, kContents},
       BufferLoops},
      canonicalize,
      passes::CommonSubexpressionPass(),
      // Weights must be constants again before it: a constant costs nothing to transpose.
      {"circle-place-transposes",
       "chooses the order of axes in which each operator runs",
       Phase::kOptimize,
       Numerics::kExact,
       {kAllParts, kContents},
       Layout,
       {no_core}},
      canonicalize,
      {"circle-sink-reshapes",
       "moves reshapes behind elementwise operators",
       Phase::kOptimize,
       Numerics::kExact,
       {kGraph | kSizes, kContents},
       SinkReshapes},
      canonicalize,
      {"circle-fuse-activations",
       "makes activations part of the operators before them",
       Phase::kOptimize,
       Numerics::kExact,
       {kContents, kLinks | kOperators},
       FuseActivations},
      {"circle-use-integers",
       "computes on integers between tensors that are quantized",
       Phase::kQuantize,
       Numerics::kPrecision,
       {kAllParts, kContents},
       [integers = std::move(integers), places](ir::Graph& graph, PassContext& context) {
         return UseIntegers(graph, context, integers.get(),
                            places.has_value() ? &*places : nullptr);
       }},
      // After the patterns that speak of them.
      {"circle-expand-uncoded",
       "spells out what the format has no operator for",
       Phase::kFinalLegalize,
       Numerics::kExact,
       {kAllParts, kContents},
       Lowering<ExpandUncoded>,
       {no_core},
       {coded}},
      {"circle-compute-shapes",
       "computes shapes that depend on the inputs' sizes",
       Phase::kFinalLegalize,
       Numerics::kExact,
       {kGraph | kSizes, kContents},
       Shapes,
       {no_core},
       {sizes}},
      canonicalize,
      passes::CommonSubexpressionPass(),
      passes::DeadCodePass(),
      {"circle-separate-outputs",
       "gives every output a tensor of its own",
       Phase::kFinalLegalize,
       Numerics::kExact,
       {kGraph, kContents},
       SeparateOutputs,
       {coded},
       {apart},
       {sizes}},
      {"circle-compute-copied-shapes",
       "computes the shapes of the copies made for outputs",
       Phase::kFinalLegalize,
       Numerics::kExact,
       {kGraph | kSizes, kContents},
       Shapes,
       {apart},
       {sizes}},
  };
  if (!places.has_value()) return pipeline;
  const auto fit = [places = *places](ir::Graph& graph,
                                      PassContext& context) -> absl::StatusOr<PassResult> {
    absl::StatusOr<PassResult> result = FitRuntimes(graph, context, places);
    if (!result.ok() || !result->changed) return result;
    // Loops may take the place of operators.
    const absl::StatusOr<PassResult> buffers = BufferLoops(graph, context);
    if (!buffers.ok() || !buffers->changed) return buffers.ok() ? result : buffers;
    const absl::StatusOr<PassResult> coded = Lowering<ExpandUncoded>(graph, context);
    if (!coded.ok()) return coded;
    result->rewrites += buffers->rewrites + coded->rewrites;
    return result;
  };
  // Folding takes away the copies of constants that are outputs.
  const auto fit_apart = [fit](ir::Graph& graph,
                               PassContext& context) -> absl::StatusOr<PassResult> {
    absl::StatusOr<PassResult> result = fit(graph, context);
    if (!result.ok() || !result->changed) return result;
    const absl::StatusOr<PassResult> apart = SeparateOutputs(graph, context);
    if (!apart.ok()) return apart;
    result->rewrites += apart->rewrites;
    return result;
  };
  // What takes the place of operators that compute shapes may go by computed shapes itself.
  const auto fit_shapes = [fit_apart](ir::Graph& graph,
                                      PassContext& context) -> absl::StatusOr<PassResult> {
    PassResult all;
    for (int round = 0; round < kMostRounds; ++round) {
      absl::StatusOr<PassResult> result = fit_apart(graph, context);
      if (!result.ok() || !result->changed) return result.ok() ? all : result;
      all.changed = true;
      all.rewrites += result->rewrites;
      if (absl::Status status = ComputeShapes(graph); !status.ok()) return status;
    }
    return all;
  };
  const auto check = [places = *places](ir::Graph& graph,
                                        PassContext& context) -> absl::StatusOr<PassResult> {
    if (absl::Status status = CheckRuntimes(graph, context, places); !status.ok()) return status;
    return PassResult();
  };
  // Before shapes are computed and weights take up what they can, such as factors.
  const auto shapes = std::find_if(pipeline.begin(), pipeline.end(), [](const passes::Pass& pass) {
    return pass.name == "circle-compute-shapes";
  });
  pipeline.insert(shapes, {"circle-compose",
                           "composes what the runtimes do not have of what they have",
                           Phase::kFinalLegalize,
                           Numerics::kExact,
                           {kAllParts, kContents},
                           fit,
                           {coded}});
  // Behind all that could put together again what is taken apart here.
  pipeline.insert(pipeline.end(), {{"circle-fit-runtimes",
                                    "puts what the runtimes have in place of what they do not",
                                    Phase::kFinalLegalize,
                                    Numerics::kExact,
                                    {kAllParts, kContents},
                                    fit_apart,
                                    {coded, apart},
                                    {},
                                    {sizes}},
                                   {"circle-compute-fitted-shapes",
                                    "computes the shapes that this needs",
                                    Phase::kFinalLegalize,
                                    Numerics::kExact,
                                    {kGraph | kSizes, kContents},
                                    Shapes,
                                    {},
                                    {sizes}},
                                   {"circle-fit-shapes",
                                    "does the same for the operators that compute shapes",
                                    Phase::kFinalLegalize,
                                    Numerics::kExact,
                                    {kAllParts, kContents},
                                    fit_shapes},
                                   {"circle-cse",
                                    "one operation for equal operations that yield no outputs",
                                    Phase::kFinalLegalize,
                                    Numerics::kExact,
                                    {kContents, kLinks},
                                    passes::MergeBesidesOutputs},
                                   passes::DeadCodePass(),
                                   {"circle-check-runtimes",
                                    "refuses what the runtime that is named cannot hold",
                                    Phase::kFinalLegalize,
                                    Numerics::kExact,
                                    {kAllParts, passes::kNoParts},
                                    check,
                                    {coded, sizes, apart}}});
  return pipeline;
}

absl::StatusOr<CompileResult> Compile(ir::Graph& graph, const CompileOptions& options,
                                      std::vector<passes::PassReport>* reports) {
  RegisterOperators();
  CompileResult result;
  passes::Pipeline pipeline = options.first;
  for (const passes::Pass& pass : CirclePipeline()) pipeline.push_back(pass);
  std::vector<passes::PassReport> unwanted;
  absl::Status status =
      passes::Run(graph, pipeline, options.run, reports == nullptr ? unwanted : *reports);
  if (status.ok() && options.before_emission) status = options.before_emission(graph);
  if (!status.ok()) return status;
  absl::StatusOr<FileModel> model = Emit(graph, options.configuration);
  if (!model.ok()) return model.status();
  result.model = *std::move(model);
  return result;
}

}  // namespace tessera::circle
