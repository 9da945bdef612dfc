#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ir/rewriter.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/movement.h"

namespace tessera::npu {
namespace {

using Ints = std::vector<int64_t>;

// A convolution and the tables behind it, of which nothing else reads anything.
struct Branch {
  ir::Operation* filter = nullptr;
  std::vector<ir::Operation*> tables;  // the last one first

  const Ints& ints(size_t attr) const { return std::get<Ints>(filter->attr(attr)); }
  const Ints& stride() const { return ints(0); }
  const Ints& before() const { return ints(2); }
  int64_t kernel(size_t d) const { return filter->operand(1)->constant()->shape()[1 + d]; }
};

std::optional<Branch> BranchOf(ir::Value* value) {
  Branch branch;
  for (;;) {
    ir::Operation* op = value->producer();
    if (op == nullptr || value->UsesUnsorted().size() != 1 || value->is_graph_output())
      return std::nullopt;
    if (StepOf(*op) == Step::kFilter) {
      branch.filter = op;
      const bool constant =
          op->operand(1)->constant() != nullptr && op->operand(2)->constant() != nullptr;
      const bool plain =
          branch.ints(1) == Ints{1, 1} && std::get<int64_t>(op->attr(4)) == 1 && constant;
      return plain ? std::optional<Branch>(branch) : std::nullopt;
    }
    if (!IsTable(*op)) return std::nullopt;
    branch.tables.push_back(op);
    for (ir::Value* operand : op->operands()) {
      if (operand != nullptr && operand->constant() == nullptr) value = operand;
    }
  }
}

bool SameTable(const ir::Operation& a, const ir::Operation& b) {
  if (&a.info() != &b.info() || a.operands().size() != b.operands().size() ||
      !std::equal(a.attrs().begin(), a.attrs().end(), b.attrs().begin(), b.attrs().end()))
    return false;
  for (size_t i = 0; i < a.operands().size(); ++i) {
    const ir::Tensor* x = a.operand(i) == nullptr ? nullptr : a.operand(i)->constant();
    const ir::Tensor* y = b.operand(i) == nullptr ? nullptr : b.operand(i)->constant();
    if ((x == nullptr) != (y == nullptr)) return false;
    if (x != nullptr && x->AsDouble(0) != y->AsDouble(0)) return false;
  }
  return true;
}

bool Agree(const Branch& a, const Branch& b) {
  return a.filter->operand(0) == b.filter->operand(0) && a.stride() == b.stride() &&
         a.tables.size() == b.tables.size() &&
         std::equal(a.tables.begin(), a.tables.end(), b.tables.begin(),
                    [](const auto* x, const auto* y) { return SameTable(*x, *y); });
}

// All filters as one list, each where it reads what it did; null: they cannot be so.
absl::StatusOr<ir::Value*> Joined(const std::vector<Branch>& branches, const Ints& positions,
                                  ir::Rewriter& rewriter) {
  const Branch& first = branches[0];
  const Ints image = ShapeOf(*first.filter->operand(0));
  Ints before = {0, 0}, kernel = {1, 1}, after = {0, 0};
  int64_t count = 0;
  for (size_t d = 0; d < 2; ++d) {
    for (const Branch& branch : branches) before[d] = std::max(before[d], branch.before()[d]);
    for (const Branch& branch : branches)
      kernel[d] = std::max(kernel[d], before[d] - branch.before()[d] + branch.kernel(d));
    const int64_t spans = (positions[d] - 1) * first.stride()[d] + kernel[d];
    after[d] = std::max<int64_t>(0, spans - image[1 + d] - before[d]);
    const int64_t room = image[1 + d] + before[d] + after[d] - kernel[d];
    if (image[1 + d] < 0 || room / first.stride()[d] + 1 != positions[d]) return nullptr;
  }
  for (const Branch& branch : branches) count += branch.filter->operand(1)->constant()->shape()[0];
  const int64_t channels = image[3];
  std::vector<float> filters(static_cast<size_t>(count * kernel[0] * kernel[1] * channels)), biases;
  int64_t f = 0;
  for (const Branch& branch : branches) {
    const ir::Tensor& w = *branch.filter->operand(1)->constant();
    const ir::Tensor& b = *branch.filter->operand(2)->constant();
    const int64_t rows = w.shape()[1], columns = w.shape()[2];
    biases.insert(biases.end(), b.data<float>(), b.data<float>() + b.size());
    for (int64_t i = 0; i < w.shape()[0]; ++i, ++f) {
      for (int64_t r = 0; r < rows; ++r) {
        const int64_t row = f * kernel[0] + before[0] - branch.before()[0] + r;
        const int64_t to = row * kernel[1] + before[1] - branch.before()[1];
        std::copy_n(w.data<float>() + (i * rows + r) * columns * channels, columns * channels,
                    filters.begin() + to * channels);
      }
    }
  }
  const Ints shape = {count, kernel[0], kernel[1], channels};
  const auto constant = [&](const std::vector<float>& numbers, const Ints& dims) {
    return rewriter.CreateConstant(
        ir::Tensor::Of<float>(ir::DType::kF32, dims, absl::MakeConstSpan(numbers)));
  };
  rewriter.SetLocation(first.filter->location());
  std::vector<ir::Attribute> attrs(first.filter->attrs().begin(), first.filter->attrs().end());
  attrs[2] = before, attrs[3] = after;
  absl::StatusOr<ir::Operation*> made = rewriter.Create(
      first.filter->info(),
      {first.filter->operand(0), constant(filters, shape), constant(biases, {count})},
      std::move(attrs));
  if (!made.ok()) return made.status();
  return (*made)->result();
}

}  // namespace

absl::StatusOr<passes::PassResult> JoinFilters(ir::Graph& graph, passes::PassContext&) {
  passes::PassResult result;
  ir::Rewriter rewriter(graph);
  for (ir::Operation* join : graph.TopologicalOrder()) {
    if (StepOf(*join) != Step::kJoin || join->result()->type().rank() != 4 ||
        std::get<int64_t>(join->attr(0)) != 3)
      continue;
    std::vector<Branch> branches;
    for (ir::Value* operand : join->operands()) {
      std::optional<Branch> branch = BranchOf(operand);
      if (!branch.has_value() || (!branches.empty() && !Agree(branches[0], *branch))) break;
      branches.push_back(*std::move(branch));
    }
    if (branches.size() < 2 || branches.size() != join->operands().size()) continue;
    const Ints shape = ShapeOf(*join->result());
    rewriter.SetInsertionPoint(join);
    absl::StatusOr<ir::Value*> value = Joined(branches, {shape[1], shape[2]}, rewriter);
    if (!value.ok()) return value.status();
    if (*value == nullptr) continue;
    absl::Status status;
    for (auto table = branches[0].tables.rbegin();
         table != branches[0].tables.rend() && status.ok(); ++table)
      status = Recreate(**table, rewriter, *value);
    if (status.ok()) status = rewriter.Replace(join, {&*value, 1});
    if (!status.ok()) return status;
    result.changed = true;
    ++result.rewrites;
  }
  return result;
}

}  // namespace tessera::npu
