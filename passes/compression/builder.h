// An algorithm at work on one graph.
#ifndef TESSERA_PASSES_COMPRESSION_BUILDER_H_
#define TESSERA_PASSES_COMPRESSION_BUILDER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/compression/calibration/kept_statistics.h"
#include "passes/compression/calibration/sample_source.h"
#include "passes/compression/command.h"
#include "passes/compression/controller.h"
#include "passes/compression/scopes/address.h"

namespace tessera::compression {

// The graph has all that stages of lower priority have committed, and nothing of this one.
struct BuildContext {
  const ir::Graph& graph;
  const Addresses& addresses;
  calibration::SampleSource* samples = nullptr;  // null: there are none
  // What earlier runs have seen of this graph's model, and what this one sees; null: nothing is
  // kept.
  calibration::KeptStatistics* kept = nullptr;
  // Of the graph: what is derived from its sizes is made there.
  solver::Context* context = nullptr;
  // What a user gives samples by, for a complaint that there are none.
  std::string_view samples_flag = "--data";
  // Stages before this one made weights zero.
  bool sparse = false;
  // Shows what the file is imported as once these commands, and no others, are applied. Errors of
  // either, or of whom it is shown to. Null: nobody can tell.
  using Shown = std::function<absl::Status(const ir::Graph&, const Addresses&)>;
  std::function<absl::Status(std::vector<Command>, const Shown&)> try_out = nullptr;
};

class Builder {
 public:
  virtual ~Builder() = default;
  // Errors name the operation and the reason, or the configuration's line.
  virtual absl::StatusOr<std::vector<Command>> Build(const BuildContext& context) = 0;
  // Once, after Build.
  virtual std::unique_ptr<Controller> MakeController() = 0;
};

// Error (InvalidArgument): `context` has no samples, by which `what` is done.
absl::Status SamplesAreMissing(const BuildContext& context, std::string_view what);

// Error (InvalidArgument): on the samples so many elements of what is there, or of what `op` reads
// there, are infinite or not a number; nothing can be chosen by them.
absl::Status NotFinite(const Point& point, int64_t elements);
absl::Status NotFinite(const BuildContext& context, const ir::Operation& op, int index,
                       int64_t elements);

// Whether weights of that constant that are 0 are so on purpose: what fits weights to data leaves
// them alone. Of a network that came sparse at least half of them are.
bool ZerosStay(const BuildContext& context, const ir::Tensor& constant);

// The points of a graph at which something may be changed in the file that it came from. Nullopt:
// what is there does not stand in the file (it is inside what one node was imported as).
std::optional<Point> PreHook(const BuildContext& context, const ir::Operation& op, int index);
std::optional<Point> PostHook(const BuildContext& context, const ir::Operation& op, int index);
// A constant that `op` reads, or reads transposed or reshaped by its own node.
std::optional<Point> WeightPoint(const BuildContext& context, const ir::Operation& op, int index);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_BUILDER_H_
