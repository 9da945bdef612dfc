#include "targets/npu/quantization/memory_view.h"

#include <algorithm>
#include <numeric>

#include "nests/library.h"
#include "targets/reference/run_op.h"

namespace tessera::npu {
namespace {

std::vector<int64_t> ShapeOf(const ir::Value& value) {
  std::vector<int64_t> shape;
  for (const ir::Expr& dim : value.type().dims) shape.push_back(dim.Constant().value_or(0));
  return shape;
}

bool OnlyReads(const nests::Computation& computation) {
  return std::all_of(
      computation.nests.begin(), computation.nests.end(), [](const nests::Nest& nest) {
        return nest.body->kind == nests::ScalarNode::kRead && nest.body->args.empty();
      });
}

// The results where every element of every operand has a number of its own; those of an operand
// begin at `begins`.
absl::StatusOr<std::vector<ir::Tensor>> Numbered(const ir::Operation& op,
                                                 std::vector<int64_t>& begins) {
  std::vector<ir::Tensor> numbered;
  int64_t next = 0;
  for (const ir::Value* operand : op.operands()) {
    if (operand == nullptr) return absl::UnimplementedError("an operand is absent");
    const std::vector<int64_t> shape = ShapeOf(*operand);
    const int64_t count =
        std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    std::vector<int64_t> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), next);
    begins.push_back(next);
    next += count;
    numbered.push_back(ir::Tensor::Of<int64_t>(operand->type().dtype, shape, numbers));
  }
  // Floats hold that many whole numbers.
  if (next > int64_t{1} << 24) return absl::UnimplementedError("too large");
  std::vector<const ir::Tensor*> operands;
  for (const ir::Tensor& tensor : numbered) operands.push_back(&tensor);
  return reference::RunOp(op.info(), operands, op.attrs());
}

}  // namespace

absl::StatusOr<std::vector<Run>> RunsOf(const ir::Operation& op, solver::Context& context) {
  std::vector<Run> runs;
  if (op.results().size() != 1) return runs;
  const absl::StatusOr<nests::Computation> computation = nests::ComputationOf(op, context);
  if (!computation.ok() || !OnlyReads(*computation)) return runs;
  std::vector<int64_t> begins;
  const absl::StatusOr<std::vector<ir::Tensor>> results = Numbered(op, begins);
  if (!results.ok()) return runs;
  const ir::Tensor& result = (*results)[0];
  for (int64_t i = 0; i < result.size(); ++i) {
    const int64_t number = result.AsInt(i);
    const size_t operand =
        static_cast<size_t>(std::upper_bound(begins.begin(), begins.end(), number) -
                            begins.begin()) -
        1;
    const int64_t from = number - begins[operand];
    if (!runs.empty() && runs.back().operand == operand &&
        runs.back().from + runs.back().length == from) {
      ++runs.back().length;
    } else {
      runs.push_back({operand, from, i, 1});
    }
  }
  return runs;
}

}  // namespace tessera::npu
