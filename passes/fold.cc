#include "passes/fold.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/deferred.h"
#include "passes/replace_results.h"
#include "targets/reference/run_op.h"

namespace tessera::passes {
namespace {

// An artifact holds what is folded: expanding a scalar over an image must not become a megabyte of
// equal numbers.
constexpr int64_t kAlwaysSmall = 1 << 16;  // bytes
constexpr int64_t kGrowth = 4;

bool IsConcrete(const ir::Attribute& attribute) {
  if (const auto* e = std::get_if<ir::Expr>(&attribute)) return e->IsConstant();
  if (const auto* list = std::get_if<std::vector<ir::Expr>>(&attribute)) {
    return std::all_of(list->begin(), list->end(),
                       [](const ir::Expr& e) { return e.IsConstant(); });
  }
  return true;
}

// Constants whose bytes are made as they are read, with the bytes there for as long as this lives:
// of what is folded nobody reads them again. Memory comes from where it goes back to, so that the
// next one finds it warm.
class Made {
 public:
  const ir::Tensor* Of(const ir::Tensor* tensor) {
    if (tensor == nullptr || tensor->source() == nullptr) return tensor;
    for (const auto& [deferred, made] : made_) {
      if (deferred == tensor) return made.get();
    }
    const size_t size = tensor->byte_size();
    const std::shared_ptr<void> memory(std::malloc(size), std::free);
    if (memory == nullptr) return tensor;
    const absl::Span<uint8_t> bytes(static_cast<uint8_t*>(memory.get()), size);
    tensor->contents().Read(0, bytes);
    tensor->contents().Forget();
    absl::StatusOr<ir::Tensor> view =
        ir::Tensor::View(tensor->dtype(), tensor->shape(), memory, bytes);
    if (!view.ok()) return tensor;
    made_.emplace_back(tensor, std::make_unique<ir::Tensor>(*std::move(view)));
    return made_.back().second.get();
  }

 private:
  std::vector<std::pair<const ir::Tensor*, std::unique_ptr<ir::Tensor>>> made_;
};

// Bytes of all results, -1 where a dim is symbolic.
int64_t ResultBytes(const ir::Operation& op) {
  int64_t total = 0;
  for (const ir::Value* result : op.results()) {
    int64_t bytes = static_cast<int64_t>(ir::SizeOf(result->type().dtype));
    for (const ir::Expr& dim : result->type().dims) {
      const auto size = dim.Constant();
      if (!size.has_value() || __builtin_mul_overflow(bytes, *size, &bytes)) return -1;
    }
    total += bytes;
  }
  return total;
}

}  // namespace

absl::StatusOr<std::vector<ir::Value*>> FoldOperation(ir::Operation& op, ir::Rewriter& rewriter,
                                                      PassContext& context, FoldedSize size) {
  if (op.info().kernel == nullptr || op.info().effect || op.results().empty())
    return std::vector<ir::Value*>{};
  std::vector<const ir::Tensor*> inputs;
  absl::flat_hash_set<const ir::Tensor*> counted;
  int64_t input_bytes = 0;
  for (const ir::Value* operand : op.operands()) {
    const ir::Tensor* tensor = operand == nullptr ? nullptr : operand->constant();
    if (operand != nullptr && tensor == nullptr) return std::vector<ir::Value*>{};
    inputs.push_back(tensor);
    // What is read twice is there once.
    if (tensor != nullptr && counted.insert(tensor).second)
      input_bytes += static_cast<int64_t>(tensor->byte_size());
  }
  if (!std::all_of(op.attrs().begin(), op.attrs().end(), IsConcrete))
    return std::vector<ir::Value*>{};
  const int64_t bytes = ResultBytes(op);
  if (bytes < 0 ||
      (size == FoldedSize::kFewTimes && bytes > kAlwaysSmall && bytes > kGrowth * input_bytes))
    return std::vector<ir::Value*>{};
  const int64_t growth = std::max<int64_t>(0, bytes - input_bytes);
  if (bytes > kAlwaysSmall && growth > context.folding_growth_left)
    return std::vector<ir::Value*>{};
  absl::StatusOr<std::vector<ir::Tensor>> results;
  if (std::optional<ir::Tensor> later = FoldLater(op)) {
    results = std::vector<ir::Tensor>{*std::move(later)};
  } else {
    Made made;
    for (const ir::Tensor*& input : inputs) input = made.Of(input);
    results = reference::RunOp(op.info(), inputs, op.attrs());
  }
  if (!results.ok()) {
    // A dtype without a kernel stays as it is; anything else is wrong with the network.
    if (absl::IsUnimplemented(results.status())) return std::vector<ir::Value*>{};
    const std::string text =
        absl::StrCat("folding `", op.location().ToString(), "`: ", results.status().message());
    return absl::IsResourceExhausted(results.status()) ? absl::ResourceExhaustedError(text)
                                                       : absl::FailedPreconditionError(text);
  }
  if (bytes > kAlwaysSmall) context.folding_growth_left -= growth;
  rewriter.SetInsertionPoint(&op);
  rewriter.SetLocation(op.location());
  std::vector<ir::Value*> values;
  for (ir::Tensor& tensor : *results) values.push_back(rewriter.CreateConstant(std::move(tensor)));
  return values;
}

absl::StatusOr<PassResult> FoldConstants(ir::Graph& graph, PassContext& context) {
  PassResult result;
  ir::Rewriter rewriter(graph);
  for (ir::Operation* op : graph.TopologicalOrder()) {
    if (context.rewrites_left <= 0) break;
    absl::StatusOr<std::vector<ir::Value*>> folded = FoldOperation(*op, rewriter, context);
    if (!folded.ok()) return folded.status();
    if (folded->empty()) continue;
    if (absl::Status status = ReplaceResults(rewriter, *op, *folded); !status.ok()) return status;
    ++result.rewrites;
    --context.rewrites_left;
  }
  result.changed = rewriter.EraseUnused() > 0 || result.rewrites > 0;
  return result;
}

}  // namespace tessera::passes
