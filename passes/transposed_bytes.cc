#include "passes/transposed_bytes.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/transpose.h"
#include "support/byte_run.h"

namespace tessera::passes {
namespace {

class TransposedBytes : public support::ByteSource {
 public:
  TransposedBytes(ir::Tensor base, layout::Permutation order)
      : base_(std::move(base)), order_(std::move(order)) {}

  void Read(size_t begin, absl::Span<uint8_t> into) const override {
    if (into.empty()) return;
    const size_t element = ir::SizeOf(base_.dtype());
    const size_t ahead = begin % element;
    if (ahead == 0 && into.size() % element == 0) {
      kernels::TransposeRange(base_.shape(), order_, element, base_.bytes().data(),
                              static_cast<int64_t>(begin / element),
                              static_cast<int64_t>(into.size() / element), into.data());
      return;
    }
    // Elements that are cut are read whole.
    std::vector<uint8_t> whole((ahead + into.size() + element - 1) / element * element);
    Read(begin - ahead, absl::MakeSpan(whole));
    std::copy_n(whole.begin() + static_cast<int64_t>(ahead), into.size(), into.begin());
  }

  // Those of the file, if its bytes are in one.
  void Forget() const override { base_.contents().Forget(); }

  const ir::Tensor& base() const { return base_; }
  const layout::Permutation& order() const { return order_; }

 private:
  ir::Tensor base_;
  layout::Permutation order_;
};

std::vector<int64_t> ShapeOf(const ir::Tensor& base, const layout::Permutation& order) {
  return layout::Permuted(base.shape(), order);
}

}  // namespace

ir::Tensor TransposedLater(const ir::Tensor& base, const layout::Permutation& order) {
  const auto source = base.source();
  const auto* const before = dynamic_cast<const TransposedBytes*>(source.get());
  // A reshape in between makes it another tensor.
  if (before != nullptr && ShapeOf(before->base(), before->order()) == base.shape())
    return TransposedLater(before->base(), layout::Then(before->order(), order));
  if (layout::IsIdentity(order)) return base;
  absl::StatusOr<ir::Tensor> tensor = ir::Tensor::Deferred(
      base.dtype(), ShapeOf(base, order), std::make_shared<const TransposedBytes>(base, order));
  if (!tensor.ok()) std::abort();  // it is as large as one that there is
  return *std::move(tensor);
}

}  // namespace tessera::passes
