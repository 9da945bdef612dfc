#include "passes/elementwise_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/transposed_bytes.h"
#include "support/byte_run.h"
#include "targets/reference/run_op.h"

namespace tessera::passes {
namespace {

constexpr size_t kLeastBytes = size_t{1} << 20;
constexpr size_t kAtOnce = size_t{1} << 18;

// Entries `first` to `first + count` of the first axis of `tensor`.
absl::StatusOr<ir::Tensor> Entries(const ir::Tensor& tensor, int64_t first, int64_t count) {
  std::vector<int64_t> shape = tensor.shape();
  const size_t entry = tensor.byte_size() / static_cast<size_t>(shape[0]);
  const size_t begin = static_cast<size_t>(first) * entry;
  shape[0] = count;
  if (tensor.source() == nullptr) {
    return ir::Tensor::View(tensor.dtype(), std::move(shape), tensor.owner(),
                            tensor.bytes().subspan(begin, static_cast<size_t>(count) * entry));
  }
  absl::StatusOr<ir::Tensor> part = ir::Tensor::Allocate(tensor.dtype(), std::move(shape));
  if (part.ok()) tensor.contents().Read(begin, {part->mutable_data<uint8_t>(), part->byte_size()});
  return part;
}

class ElementwiseBytes : public support::ByteSource {
 public:
  struct Operand {
    ir::Tensor tensor;
    bool present = false;
  };

  // `shape`, of no dim 0, is that of the result, which has elements of `element` bytes.
  ElementwiseBytes(const ir::OpInfo& info, std::vector<ir::Attribute> attrs,
                   std::vector<Operand> operands, std::vector<int64_t> shape, size_t element)
      : info_(info),
        attrs_(std::move(attrs)),
        operands_(std::move(operands)),
        shape_(std::move(shape)),
        element_(element),
        entry_(element) {
    for (size_t d = 1; d < shape_.size(); ++d) entry_ *= static_cast<size_t>(shape_[d]);
  }

  // Some entries of the result's first axis.
  absl::StatusOr<ir::Tensor> Compute(int64_t first, int64_t count) const {
    std::vector<ir::Tensor> parts(operands_.size());
    std::vector<const ir::Tensor*> inputs(operands_.size(), nullptr);
    for (size_t i = 0; i < operands_.size(); ++i) {
      const auto& [operand, present] = operands_[i];
      if (!present) continue;
      inputs[i] = &operand;
      // What is the same for all entries is broadcast as before.
      if (operand.shape().size() < shape_.size() || operand.shape()[0] != shape_[0]) continue;
      absl::StatusOr<ir::Tensor> part = Entries(operand, first, count);
      if (!part.ok()) return part.status();
      parts[i] = *std::move(part);
      inputs[i] = &parts[i];
    }
    absl::StatusOr<std::vector<ir::Tensor>> results = reference::RunOp(info_, inputs, attrs_);
    if (!results.ok()) return results.status();
    return (*std::move(results))[0];
  }

  // Whether there is a kernel for operands of these types: it computes one element.
  bool HasKernel() const {
    std::vector<ir::Tensor> ones(operands_.size());
    std::vector<const ir::Tensor*> inputs(operands_.size(), nullptr);
    for (size_t i = 0; i < operands_.size(); ++i) {
      const auto& [operand, present] = operands_[i];
      if (!present) continue;
      absl::StatusOr<ir::Tensor> one =
          ir::Tensor::Allocate(operand.dtype(), std::vector<int64_t>(operand.shape().size(), 1));
      if (!one.ok()) return false;
      ones[i] = *std::move(one);
      inputs[i] = &ones[i];
    }
    const auto results = reference::RunOp(info_, inputs, attrs_);
    return results.ok() && (*results)[0].byte_size() == element_;
  }

  void Read(size_t begin, absl::Span<uint8_t> into) const override {
    while (!into.empty()) {
      const size_t first = begin / entry_;
      const size_t last = std::min((begin + into.size() - 1) / entry_, first + kAtOnce / entry_);
      const absl::StatusOr<ir::Tensor> part =
          Compute(static_cast<int64_t>(first), static_cast<int64_t>(last - first + 1));
      if (!part.ok()) std::abort();  // there is a kernel, and the entries are few
      const auto from = part->bytes().subspan(begin - first * entry_);
      const size_t size = std::min(from.size(), into.size());
      std::copy_n(from.begin(), size, into.begin());
      begin += size;
      into.remove_prefix(size);
    }
  }

  void Forget() const override {
    for (const Operand& operand : operands_) operand.tensor.contents().Forget();
  }

  std::shared_ptr<const ElementwiseBytes> Transposed(const layout::Permutation& order) const {
    std::vector<Operand> operands = operands_;
    for (auto& [operand, present] : operands) {
      if (!present) continue;
      std::vector<int64_t> shape(shape_.size() - operand.shape().size(), 1);
      shape.insert(shape.end(), operand.shape().begin(), operand.shape().end());
      // One that has the rank stays the tensor that it is.
      operand = TransposedLater(
          shape == operand.shape() ? operand : operand.Reshaped(std::move(shape)), order);
    }
    return std::make_shared<const ElementwiseBytes>(info_, attrs_, std::move(operands),
                                                    layout::Permuted(shape_, order), element_);
  }

  // In at least so many parts that one of them is worth little memory.
  bool HasParts() const { return shape_[0] >= 8; }
  const std::vector<int64_t>& shape() const { return shape_; }

 private:
  const ir::OpInfo& info_;
  std::vector<ir::Attribute> attrs_;
  std::vector<Operand> operands_;
  std::vector<int64_t> shape_;
  size_t element_, entry_;  // bytes of one
};

std::optional<ir::Tensor> TensorOf(ir::DType dtype,
                                   std::shared_ptr<const ElementwiseBytes> source) {
  if (!source->HasParts() || !source->HasKernel()) return std::nullopt;
  absl::StatusOr<ir::Tensor> tensor = ir::Tensor::Deferred(dtype, source->shape(), source);
  return tensor.ok() ? std::optional(*std::move(tensor)) : std::nullopt;
}

}  // namespace

std::optional<ir::Tensor> ElementwiseLater(const ir::Operation& op) {
  if (!op.info().elementwise || op.results().size() != 1) return std::nullopt;
  const ir::TensorType& type = op.result()->type();
  std::vector<int64_t> shape;
  for (const ir::Expr& dim : type.dims) shape.push_back(dim.Constant().value_or(-1));
  const absl::StatusOr<int64_t> count = ir::ElementCount(shape, ir::SizeOf(type.dtype));
  if (!ir::IsFloat(type.dtype) || !count.ok() || shape.empty() ||
      static_cast<size_t>(*count) * ir::SizeOf(type.dtype) < kLeastBytes)
    return std::nullopt;
  std::vector<ElementwiseBytes::Operand> operands;
  for (const ir::Value* operand : op.operands()) {
    if (operand != nullptr && operand->constant() == nullptr) return std::nullopt;
    operands.push_back(
        {operand == nullptr ? ir::Tensor() : *operand->constant(), operand != nullptr});
  }
  return TensorOf(type.dtype,
                  std::make_shared<const ElementwiseBytes>(
                      op.info(), std::vector<ir::Attribute>(op.attrs().begin(), op.attrs().end()),
                      std::move(operands), std::move(shape), ir::SizeOf(type.dtype)));
}

std::optional<ir::Tensor> ElementwiseOfTransposed(const ir::Tensor& tensor,
                                                  const layout::Permutation& order) {
  const auto source = tensor.source();
  const auto* const elementwise = dynamic_cast<const ElementwiseBytes*>(source.get());
  if (elementwise == nullptr || elementwise->shape() != tensor.shape()) return std::nullopt;
  return TensorOf(tensor.dtype(), elementwise->Transposed(order));
}

}  // namespace tessera::passes
