// Loops (ir/loops.h) and branches as operators that run other graphs of the file.
#ifndef TESSERA_TARGETS_CIRCLE_EMISSION_EMIT_LOOPS_H_
#define TESSERA_TARGETS_CIRCLE_EMISSION_EMIT_LOOPS_H_

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/loops.h"
#include "targets/circle/emission/branches.h"
#include "targets/circle/emission/emit_graph.h"

namespace tessera::circle {

class LoopEmitter {
 public:
  // `graphs` are those of the file, of which the first is there.
  LoopEmitter(const ir::LoopNest& nest, std::vector<FileGraph>& graphs, MayBranch may_branch)
      : nest_(nest), graphs_(graphs), may_branch_(std::move(may_branch)) {}

  // What is computed in this order, of which `needed` is read by others. A loop is a WHILE: it
  // carries the position, the condition where there is one, the states, and what its body captures
  // but constants. What only one side of a choice needs is a graph that an IF runs.
  absl::Status AppendSteps(const std::vector<const ir::Operation*>& steps,
                           const std::vector<const ir::Value*>& needed, GraphEmitter& into);

 private:
  struct Variables;

  absl::Status AppendLoop(int index, GraphEmitter& into);
  absl::Status AppendBranching(const Branching& branching, GraphEmitter& into);
  absl::StatusOr<FileGraph> Condition(const ir::Loop& loop, const Variables& variables);
  absl::StatusOr<FileGraph> Body(const ir::Loop& loop, const Variables& variables);
  // The result of a builder of the dialect, of values that are in `into` or constant.
  absl::StatusOr<int32_t> AppendPiece(std::string_view builder,
                                      const std::vector<const ir::Value*>& operands,
                                      const ir::Location& location, GraphEmitter& into);

  const ir::LoopNest& nest_;
  std::vector<FileGraph>& graphs_;
  const MayBranch may_branch_;
  std::vector<std::unique_ptr<ir::Graph>> pieces_;  // values are known by their addresses
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_EMISSION_EMIT_LOOPS_H_
