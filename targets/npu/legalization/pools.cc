// Windows over images that the device pools itself, and means that are filters or weighted sums.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/geometry.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {
namespace {

constexpr int64_t kMostWeights = int64_t{1} << 24;  // of one mean

const std::vector<int64_t>& Ints(const ir::Operation& op, size_t attr) {
  return std::get<std::vector<int64_t>>(op.attr(attr));
}

}  // namespace

absl::StatusOr<Translation::StoredPtr> Translation::LowerWindow(const ir::Operation& op) {
  Geometry g = GeometryOf(op);
  const std::vector<int64_t> window = Ints(op, 1), stride = Ints(op, 2), before = Ints(op, 3);
  if (g.images != 1)
    return absl::UnimplementedError(absl::StrCat("the device takes one image, here ", g.images));
  if (before != std::vector<int64_t>{0, 0})
    return absl::UnimplementedError("the device's windows lie within the image");
  const bool mean = std::get<int64_t>(op.attr(0)) != 0;
  const bool whole = window[0] == g.height && window[1] == g.width;
  if (mean) {
    if ((g.rows - 1) * stride[0] + window[0] > g.height ||
        (g.columns - 1) * stride[1] + window[1] > g.width)
      return absl::UnimplementedError("means of windows that hang over the image");
    g.kernel = window, g.stride = stride, g.groups = g.channels;
    const float share = 1.0f / static_cast<float>(window[0] * window[1]);
    g.bias = Numbers(static_cast<size_t>(g.channels));
    if (!whole) {
      g.w = Numbers(static_cast<size_t>(g.channels * window[0] * window[1]), share);
      return Convolved(g);
    }
    const int64_t count = g.height * g.width * g.channels;
    if (g.channels * count > kMostWeights)
      return absl::UnimplementedError(
          absl::StrCat("the mean of everything would take ", g.channels * count, " weights"));
    ir::Value* flat = Flat(g.x);
    if (flat == nullptr) return StoredPtr();
    Numbers w(static_cast<size_t>(g.channels * count));
    for (int64_t c = 0; c < g.channels; ++c) {
      for (int64_t i = c; i < count; i += g.channels) w[static_cast<size_t>(c * count + i)] = share;
    }
    auto stored = std::make_shared<Stored>();
    stored->count = g.channels;
    stored->form =
        std::make_shared<const Form>(Form{{{Make({flat}, count), std::move(w)}}, g.bias});
    return StoredPtr(stored);
  }
  Sizes sizes(device_, "convolution_2d", options_.widths);
  sizes.Check("pooling_window", 'H', window[0])
      .Check("pooling_window", 'W', window[1])
      .Check("pooling_stride", 'H', stride[0])
      .Check("pooling_stride", 'W', stride[1])
      .CheckRules();
  if (!sizes.ok()) return absl::UnimplementedError(sizes.text());
  const auto positions = [&](int64_t size, size_t d) {
    return (size - window[d] + stride[d] - 1) / stride[d] + 1;
  };
  if (window[0] > g.height || window[1] > g.width || positions(g.height, 0) < g.rows ||
      positions(g.width, 1) != g.columns || window[0] < stride[0] || window[1] < stride[1])
    return absl::UnimplementedError("windows that the device places otherwise at the end of a row");
  if (g.read && g.count() % Multiple() != 0)
    return absl::UnimplementedError(absl::StrCat("its ", g.count(), " elements are read; ",
                                                 device_.name, " affine.input.H: a multiple of ",
                                                 Multiple()));
  StoredPtr x = StoredOf(g.x);
  if (x == nullptr) return StoredPtr();
  // Behind a convolution that nothing else reads; else behind one that changes nothing.
  const Shape image = {1, g.height, g.width, g.channels};
  const auto behind = [&] {
    if (x->form != nullptr || x->pieces.size() != 1 || Readers(Root(g.x)) != 1 ||
        npu::ShapeOf(*x->pieces[0]) != image)
      return false;
    const ir::Operation* producer = x->pieces[0]->producer();
    while (producer != nullptr && producer->info().elementwise)
      producer = producer->operand(0)->producer();
    return producer != nullptr && StepOf(*producer) == Step::kImage;
  };
  if (!behind()) {
    Geometry same = g;
    same.rows = g.height, same.columns = g.width, same.filters = g.channels;
    same.w = Numbers(static_cast<size_t>(g.channels * g.channels));
    same.bias = Numbers(static_cast<size_t>(g.channels));
    for (int64_t c = 0; c < g.channels; ++c) same.w[static_cast<size_t>(c * g.channels + c)] = 1.0f;
    const Way way = AsImage(same);
    if (!way.reason.empty()) return absl::UnimplementedError(way.reason);
    absl::StatusOr<StoredPtr> copied = way.build();
    if (!copied.ok() || *copied == nullptr) return copied;
    x = *std::move(copied);
  }
  ir::Value* y = layers().MaxPool(x->pieces[0], window, stride);
  if (y == nullptr) return StoredPtr();
  return Make({y}, g.count());
}

}  // namespace tessera::npu
