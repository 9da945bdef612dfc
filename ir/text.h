// The text form of a graph. Printing, parsing and printing again is the identity.
//
//   ir 1
//   symbol H : 1..4096 mod 8 = 0 "dim 2 of input `x`"
//   assume "origin" : H >= 2*W
//   input %0 "x" : f32[1,3,H,H]
//   %1 = ir.Constant [0,2,3,1] : i64[4]
//   %2 "w" = ir.Constant digest 8f...e1 : f32[16,3,3,3]
//   %3 "y" = core.Conv(%0, %2, _) {strides=[1,1], pads_begin=[0,0]} : f32[1,16,H - 2,H - 2] at
//   "net/conv"
//     requires "Conv" "size.Y" "..." : H - 2 >= 1
//   output "y" = %3
//   obligations 1
//
// Values are numbered by their place; what stands in quotes after a number is the value's name. `_`
// is an absent operand, `barrier %N` among results and `after %N` are barriers. Types are checked
// against what is inferred, and may be left out when written by hand; so may `obligations`, which
// says that the open obligations are those listed and not what inference leaves open. `requires`
// lists an obligation under its operation (`owes` one that survives a new inference), `obligation`
// one that belongs to none. `//` starts a comment.
#ifndef TESSERA_IR_TEXT_H_
#define TESSERA_IR_TEXT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "ir/graph.h"
#include "ir/tensor.h"

namespace tessera::ir {

struct PrintOptions {
  bool locations = true;
  // Constants of more elements are printed as digests.
  int64_t inline_elements = 16;
  // By which digest, of a constant that has one; null: that of what it holds.
  std::function<Digest(const Operation&)> digest_of = nullptr;
};

std::string Print(const Graph& graph, const PrintOptions& options = {});

// Finds the constants that a text names by digest.
using ConstantSource = std::function<absl::StatusOr<Tensor>(const Digest& digest)>;

// Error: the line and a caret at the place. Ops are looked up in the global registry.
absl::StatusOr<std::unique_ptr<Graph>> Parse(std::string_view text,
                                             const ConstantSource& constants = nullptr);

}  // namespace tessera::ir

#endif  // TESSERA_IR_TEXT_H_
