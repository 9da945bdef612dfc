// Entries of a network that can go, and what a file must become without them.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_REMOVAL_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_REMOVAL_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/compression/builder.h"
#include "passes/compression/pruning/entry_sets.h"
#include "solver/expr.h"

namespace tessera::compression {

// Entries that go, by axis of a value.
using Removed = std::map<TensorAxis, std::set<int64_t>>;

// Constants with other numbers, of the same shapes.
using Constants = std::map<const ir::Value*, ir::Tensor>;

// Pins what the file says by number: sizes in shapes that nodes are given as tensors, constants
// that stand in no tensor of the file.
void PinWhatTheFileSays(const BuildContext& context, EntrySets& sets);

// What nodes alone read at a point, of the size that it has without the entries.
using OwnConstants = std::vector<std::pair<Point, ir::Tensor>>;

// The constants, or what is in `changed` for them, without the entries, or at a point what is in
// `own`, and attributes that count them (a convolution's groups); with `recounts` also those that
// are a size which shrinks, of nodes whose parts list sizes (heads). Error: Internal, an operation
// that would not accept what is left.
absl::StatusOr<std::vector<Command>> RemovalOf(const BuildContext& context, const Removed& removed,
                                               const Constants& changed, const OwnConstants& own,
                                               bool recounts, const std::string& algorithm);

// A tensor that tells the node from all others; empty: it makes none.
std::string FirstMadeBy(const SourceNode& node);

std::vector<solver::Expr> DimsWithout(const ir::Value& value, const Removed& removed);
// Sizes of the operands that become less, and to what.
std::map<int64_t, int64_t> SizesThatShrink(const ir::Operation& op, const Removed& removed);
// What a number may become that counts entries of such a size, or groups of them that shrink in
// proportion.
std::set<int64_t> CountsLeft(int64_t number, const std::map<int64_t, int64_t>& sizes);

ir::Tensor Without(const ir::Tensor& tensor, int64_t axis, const std::set<int64_t>& entries);
// A constant's numbers, or others in their place, without what goes of it.
ir::Tensor WithoutRemoved(const ir::Value& constant, const ir::Tensor& numbers,
                          const Removed& removed);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_REMOVAL_H_
