// What algorithms ask for. An algorithm changes nothing: it looks at a graph and returns commands,
// and one commit applies those of all algorithms of a priority (commit.h).
#ifndef TESSERA_PASSES_COMPRESSION_COMMAND_H_
#define TESSERA_PASSES_COMPRESSION_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/tensor.h"
#include "passes/compression/point.h"

namespace tessera::compression {

// Stages run in this order; each sees what those before it have committed. Quantization comes after
// what makes zeros, or the sparsity that a threshold yields would jump (NNCF's order and reason).
enum class Priority : uint8_t {
  kPruning = 2,
  kSparsification = 3,
  kScales = 8,        // the same network, weights that rounding takes less of
  kEqualization = 9,  // the same, easier to quantize: by its constants alone
  kSmoothing = 10,    // the same, with nodes where constants do not suffice
  kQuantization = 11,
};

// x ~ (code - zero_point) * scale.
struct Grid {
  ir::DType storage = ir::DType::kI8;
  // f32. Of shape [] for all of x; [n] for the entries of `axis`; with `block`, x's shape with
  // `axis` divided by it (rounded up).
  ir::Tensor scale;
  std::optional<ir::Tensor> zero_point;  // i32, of the same shape; none: 0
  int64_t axis = -1, block = 0;
  // Codes in use; of symmetric weights one fewer than the type has.
  int64_t low = -128, high = 127;
  ir::DType scale_storage = ir::DType::kF32;  // how the file has the scales
  // What is rounded gets a scale and a zero point of u8 by its own range whenever it is computed;
  // those here mean nothing then.
  bool dynamic = false;
};

// A pre or post hook rounds to the grid; a weight is stored as codes.
struct Quantize {
  Grid grid;
  // Of a weight: what was chosen, i32, or of a narrow float its numbers, f32; none: the nearest.
  std::optional<ir::Tensor> codes;
};
// The constant becomes this, of any shape.
struct SetConstant {
  ir::Tensor tensor;
};
// An operand that the node leaves out becomes this (a bias).
struct AddOperand {
  ir::Tensor tensor;
};
// Nodes of two inputs before the nodes that read something there: each applies its operator to that
// and a constant, one after the other.
struct ApplyBefore {
  struct Step {
    std::string op_type;
    ir::Tensor constant;  // broadcast to what is read
  };
  std::vector<Step> steps;
};
// An attribute of the node.
struct SetAttribute {
  std::string name;
  std::vector<int64_t> values;
  bool list = true;
};
// Other nodes in place of the point's; the last one has its results.
struct ReplaceNode {
  struct Input {
    std::string tensor;                  // of the file; empty with no constant: absent
    std::optional<ir::Tensor> constant;  // or a new initializer, called after `tensor`
    int node = -1, result = 0;           // or what an earlier one of these nodes makes
  };
  struct Attribute {
    std::string name;
    int64_t value = 0;
  };
  struct Node {
    std::string op_type, domain;
    int domain_version = 1;  // of `domain`, unless that is ONNX's own
    std::vector<Input> inputs;
    std::vector<Attribute> attributes;
    int results = 1;
    bool same_attributes = false;  // and those of the node that it replaces
    bool shared = false;           // one for all that ask for it with the same inputs
  };
  std::vector<Node> nodes;
};
using Change =
    std::variant<Quantize, SetConstant, AddOperand, ApplyBefore, SetAttribute, ReplaceNode>;

struct Command {
  Point point;
  Priority priority = Priority::kQuantization;
  Change change;
  std::string algorithm;
  std::string why;  // for people; may be empty

  // `11 quantization: pre conv/Conv_0[0] `x`: to i8, scale 0.0123, zero point -7`.
  std::string ToString() const;
};

// One line per grid: `i8, scale 0.5, zero point 3`, `i8, 64 scales along axis 0`.
std::string Describe(const Grid& grid);
bool operator==(const Grid& a, const Grid& b);
bool operator==(const ApplyBefore& a, const ApplyBefore& b);

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_COMMAND_H_
