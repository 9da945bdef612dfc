// The layers of a network on its way to the device, created and told apart.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_LAYERS_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_LAYERS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/rewriter.h"
#include "ir/tensor.h"
#include "ir/term_builder.h"

namespace tessera::npu {

// The dialect of the layers, and the target's name in `lower` clauses.
inline constexpr char kDialect[] = "npu";

// What the definitions in targets/npu/layers are.
enum class Step : uint8_t {
  kNone,
  // Layers of the device.
  kAffine,
  kDiagonal,
  kAccumulate,
  kProductLayer,
  kRow,
  kImage,
  kPool,
  kCopy,
  kInterleave,
  kDeinterleave,
  // Steps on the way to them, of any size.
  kRows,
  kFilter,
  kWindow,
  kScaled,
  kOver,
  kSum,
  kProduct,
  // Views of memory, and what is one if the entries are neighbours.
  kJoin,
  kPart,
  kPicked,
  // A table that says the range of what it yields.
  kRounded,
  // A table that windows are made of.
  kPositive,
};
Step StepOf(const ir::Operation& op);
// Those that a network is made of before there is a plan, all but kNone and the layers.
std::vector<Step> StepsBeforeThePlan();
std::string_view NameOf(Step kind);

// Whether it computes each element of the result from one element of one operand, next to numbers:
// what a table of the device can do.
bool IsTable(const ir::Operation& op);

// The range of a result of kRounded whose operands but the first are numbers.
struct RoundedRange {
  double low, high, step;
};
std::optional<RoundedRange> RoundedRangeOf(const ir::Value& value);

// Whether the result is a sum that the device keeps in 32 bits until a table follows.
bool IsSum(Step step);

// Creates operations at the end of a graph. The first error sticks: after it every call returns
// null. Values are floats; weights and biases are given as numbers, row-major.
class Layers {
 public:
  using Numbers = std::vector<float>;

  explicit Layers(ir::Graph& graph) : rewriter_(graph), builder_(rewriter_) {}

  ir::Rewriter& rewriter() { return rewriter_; }
  const absl::Status& status() const { return builder_.status(); }
  void Fail(absl::Status status) { builder_.Fail(std::move(status)); }

  ir::Value* Constant(Numbers numbers, std::vector<int64_t> shape);
  ir::Value* Reshaped(ir::Value* x, const std::vector<int64_t>& shape);
  // Of x[K, N]: w [rows, K], bias [rows].
  ir::Value* Affine(ir::Value* x, Numbers w, Numbers bias);
  // w, bias [K].
  ir::Value* Diagonal(ir::Value* x, Numbers w, Numbers bias);
  ir::Value* Accumulate(ir::Value* x, Numbers w, ir::Value* y0);
  ir::Value* Product(ir::Value* x, ir::Value* z);
  // Of any size.
  ir::Value* DataProduct(ir::Value* x, ir::Value* z);
  // Of x[1, W]: filters [bias.size(), taps].
  ir::Value* Row(ir::Value* x, Numbers filters, Numbers bias, int64_t stride);
  // Of x[1, H, W, C]: filters [bias.size(), rows, columns, C].
  ir::Value* Image(ir::Value* x, Numbers filters, Numbers bias, const std::vector<int64_t>& kernel,
                   const std::vector<int64_t>& stride, const std::vector<int64_t>& padding);
  ir::Value* MaxPool(ir::Value* x, const std::vector<int64_t>& window,
                     const std::vector<int64_t>& stride);
  // All of x[1, n] in a place of its own, [1, size], with zeros behind.
  ir::Value* Copied(ir::Value* x, int64_t size);
  ir::Value* Join(const std::vector<ir::Value*>& xs, int64_t axis);
  ir::Value* Part(ir::Value* x, const std::vector<int64_t>& starts,
                  const std::vector<int64_t>& sizes);
  // A step with those attributes; the others are left out.
  ir::Value* Of(Step step, std::vector<ir::Value*> operands,
                const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs = {});
  // The same operation with other operands, whose first result has the shape of the first. Error:
  // it does not take them.
  absl::StatusOr<ir::Value*> Like(const ir::Operation& op, std::vector<ir::Value*> operands);

 private:
  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;
};

// Sizes of a value all of whose dims are known.
std::vector<int64_t> ShapeOf(const ir::Value& value);
int64_t ElementCountOf(const ir::Value& value);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_LAYERS_H_
