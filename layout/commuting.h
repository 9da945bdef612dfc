// Operations that may run on transposed operands instead, as their definitions say: elementwise
// ones, those with a `permute` clause, and those of role reshape, as far as axes that become one,
// or come from one, stay together.
#ifndef TESSERA_LAYOUT_COMMUTING_H_
#define TESSERA_LAYOUT_COMMUTING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/rewriter.h"
#include "layout/permutation.h"

namespace tessera::layout {

// How one operation commutes: run on T(x, p) for each x of `moved`, it yields T(y, ResultOrder(p)).
struct Commuting {
  // Neighbouring axes of the operand that a reshape turns into neighbouring axes of the result.
  struct Block {
    int64_t operand_begin, operand_end, result_begin, result_end;
  };

  int64_t rank = 0;           // of the operands that are transposed
  std::vector<size_t> moved;  // operands of full rank
  std::vector<size_t>
      broadcast;                 // operands of lower rank with more than one element: to be brought
                                 // to full rank by unit axes in front, then transposed likewise
  std::vector<int64_t> dropped;  // axes that the result does not have
  std::vector<Block> blocks;     // of a reshape

  // nullopt where p tears a block apart.
  std::optional<Permutation> ResultOrder(const Permutation& p) const;
  // The p for which ResultOrder(p) is `order`; nullopt where there is none, or several.
  std::optional<Permutation> OperandOrder(const Permutation& order) const;
};

// nullopt where `op` does not commute, or what would have to follow is known only at run time.
std::optional<Commuting> CommutingOf(const ir::Operation& op);

// `op` on operands that have the order p: attributes and small operands that speak of axes follow.
// `operands` are those of `op`, the moved and broadcast ones replaced.
absl::StatusOr<ir::Operation*> Recreate(const ir::Operation& op, const Permutation& p,
                                        std::vector<ir::Value*> operands, ir::Rewriter& rewriter);

}  // namespace tessera::layout

#endif  // TESSERA_LAYOUT_COMMUTING_H_
