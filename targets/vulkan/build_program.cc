#include "targets/vulkan/build_program.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/vulkan/program/arrange.h"
#include "targets/vulkan/program/distribute.h"
#include "targets/vulkan/program/flatten.h"
#include "targets/vulkan/program/fuse.h"
#include "targets/vulkan/program/half.h"
#include "targets/vulkan/program/lower.h"
#include "targets/vulkan/program/split.h"
#include "targets/vulkan/program/stage_reductions.h"
#include "targets/vulkan/selection/layouts.h"

namespace tessera::vulkan {

std::string PartsText(const Reach& reach) {
  int64_t before = 0, after = 0;
  for (const Reach::Output& output : reach.outputs) {
    before = std::max(before, output.before);
    after = std::max(after, output.after);
  }
  return absl::StrCat("by parts along `", reach.symbol, "`: at multiples of ", reach.step,
                      ", with ", before, " before and ", after, " behind what is wanted");
}

namespace {

// The sizes of inputs along which parts are exact. Error: there are none.
absl::Status FindParts(ir::Graph& graph, const Program& program, Parts& parts) {
  std::vector<std::string> reasons;
  for (const std::string& symbol : SizesOf(graph)) {
    absl::StatusOr<Reach> reach = ReachAlong(program, graph.context(), symbol);
    if (reach.ok())
      parts.along.push_back(*std::move(reach));
    else
      reasons.emplace_back(reach.status().message());
  }
  if (!parts.along.empty()) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat(
      "`--arena`: no input can be run by parts: ",
      reasons.empty() ? "all of its sizes are numbers" : absl::StrJoin(reasons, "; ")));
}

}  // namespace

absl::StatusOr<Program> ProgramOf(ir::Graph& graph, Axes& axes, bool half, int64_t most_steps,
                                  Parts& parts) {
  absl::StatusOr<Program> program = LowerToProgram(graph, axes);
  if (!program.ok()) return program.status();
  if (parts.arena_limit > 0) {
    if (absl::Status status = FindParts(graph, *program, parts); !status.ok()) return status;
  }
  DistributeOverParts(*program, axes);
  Fuse(*program, axes);
  if (most_steps > 0) StageReductions(*program, axes, most_steps);
  ChooseLayouts(*program, graph.context());
  SplitAxes(*program, axes);
  FlattenElementwise(*program, axes);
  ArrangeConstants(*program);
  if (half) StoreInHalf(*program);
  return program;
}

}  // namespace tessera::vulkan
