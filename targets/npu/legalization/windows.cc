#include "targets/npu/legalization/windows.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/registry.h"
#include "targets/npu/legalization/layers.h"

namespace tessera::npu {
namespace {

using Ints = std::vector<int64_t>;

constexpr int64_t kMostEntries = 64;                // of a window along one axis
constexpr int64_t kMostWeights = int64_t{1} << 22;  // of a mean, nearly all of which are 0

const Ints& IntsOf(const ir::Operation& op, size_t attr) { return std::get<Ints>(op.attr(attr)); }

// A window over images whose sizes are known, but for how many there are.
struct Window {
  ir::Operation* op = nullptr;
  bool mean = false;
  Ints window, stride, before;
  Ints x, y;  // sizes; of images -1

  explicit Window(ir::Operation* window_op)
      : op(window_op),
        mean(std::get<int64_t>(op->attr(0)) != 0),
        window(IntsOf(*op, 1)),
        stride(IntsOf(*op, 2)),
        before(IntsOf(*op, 3)),
        x(ShapeOf(*op->operand(0))),
        y(ShapeOf(*op->result())) {}

  // Of entry i of window p along rows (0) or columns (1), where in the image that is.
  int64_t At(size_t d, int64_t p, int64_t i) const { return p * stride[d] - before[d] + i; }
  bool Inside(size_t d, int64_t p, int64_t i) const {
    return At(d, p, i) >= 0 && At(d, p, i) < x[1 + d];
  }
  bool HangsOver(size_t d) const {
    return before[d] > 0 || !Inside(d, y[1 + d] - 1, window[d] - 1);
  }
};

bool DevicePools(const Window& w, const Device& device, const Widths& widths) {
  if (device.Find("convolution_2d") == nullptr || w.before != Ints{0, 0}) return false;
  Sizes pool(device, "convolution_2d", widths), plain(device, "convolution_2d", widths);
  pool.Check("pooling_window", 'H', w.window[0])
      .Check("pooling_window", 'W', w.window[1])
      .Check("pooling_stride", 'H', w.stride[0])
      .Check("pooling_stride", 'W', w.stride[1])
      .CheckRules();
  // Pooling stands behind a convolution, of which there is one that changes nothing.
  plain.Check("input", 'H', w.x[1])
      .Check("input", 'W', w.x[2])
      .Check("input", 'D', w.x[3])
      .Check("filters", 'N', w.x[3])
      .Check("filters", 'H', 1)
      .Check("filters", 'W', 1)
      .CheckRules();
  const auto positions = [&](size_t d) {
    return (w.x[1 + d] - w.window[d] + w.stride[d] - 1) / w.stride[d] + 1;
  };
  return pool.ok() && plain.ok() && w.window[0] <= w.x[1] && w.window[1] <= w.x[2] &&
         positions(0) >= w.y[1] && positions(1) == w.y[2] && w.window[0] >= w.stride[0] &&
         w.window[1] >= w.stride[1];
}

class Expander {
 public:
  explicit Expander(ir::Graph& graph) : layers_(graph) {}

  absl::Status Expand(const Window& w) {
    layers_.rewriter().SetInsertionPoint(w.op);
    layers_.rewriter().SetLocation(w.op->location());
    ir::Value* y = w.op->operand(0);
    if (w.mean) {
      y = Mean(w, y);
    } else {
      // Columns first, of which there are as many rows as before.
      for (const size_t d : {1, 0}) y = Greatest(w, d, y);
    }
    if (!layers_.status().ok()) return layers_.status();
    return layers_.rewriter().Replace(w.op, {&y, 1});
  }

  // A mean over columns, and one over rows of what comes of it.
  absl::Status Halve(const Window& w) {
    layers_.rewriter().SetInsertionPoint(w.op);
    layers_.rewriter().SetLocation(w.op->location());
    ir::Value* y = w.op->operand(0);
    for (const size_t d : {1, 0}) {
      Ints window = {1, 1}, stride = {1, 1}, around = {0, 0};
      window[d] = w.window[d], stride[d] = w.stride[d];
      y = layers_.Of(Step::kWindow, {y},
                     {{"kind", std::get<int64_t>(w.op->attr(0))},
                      {"window", ir::Attribute(window)},
                      {"stride", ir::Attribute(stride)},
                      {"before", ir::Attribute(around)},
                      {"after", ir::Attribute(around)}});
      if (y == nullptr) return layers_.status();
    }
    return layers_.rewriter().Replace(w.op, {&y, 1});
  }

 private:
  ir::Value* Filter(ir::Value* x, std::vector<float> taps, const Ints& kernel, const Ints& stride,
                    const Ints& before, const Ints& after) {
    if (!layers_.status().ok()) return nullptr;
    const int64_t channels = ShapeOf(*x)[3];
    std::vector<float> all;
    for (int64_t c = 0; c < channels; ++c) all.insert(all.end(), taps.begin(), taps.end());
    ir::Value* filters = layers_.Constant(std::move(all), {channels, kernel[0], kernel[1], 1});
    ir::Value* bias =
        layers_.Constant(std::vector<float>(static_cast<size_t>(channels)), {channels});
    return layers_.Of(Step::kFilter, {x, filters, bias},
                      {{"stride", ir::Attribute(stride)},
                       {"before", ir::Attribute(before)},
                       {"after", ir::Attribute(after)},
                       {"groups", channels}});
  }

  // By a number for each row or column (`d`), or for both.
  ir::Value* Scaled(ir::Value* x, const std::vector<float>& by_pixel) {
    if (!layers_.status().ok()) return nullptr;
    const std::vector<ir::Expr> dims = x->type().dims;
    const Ints shape = ShapeOf(*x);
    std::vector<float> all;
    for (const float number : by_pixel)
      all.insert(all.end(), static_cast<size_t>(shape[3]), number);
    const auto count = static_cast<int64_t>(all.size());
    ir::Value* w = layers_.Constant(std::move(all), {count});
    ir::Value* bias = layers_.Constant(std::vector<float>(static_cast<size_t>(count)), {count});
    x = layers_.Of(Step::kScaled, {Shaped(x, {dims[0], count}), w, bias});
    return Shaped(x, dims);
  }

  ir::Value* Shaped(ir::Value* x, std::vector<ir::Expr> dims) {
    if (!layers_.status().ok()) return nullptr;
    const ir::OpInfo* reshape = ir::Registry::Global().WithRole("core", ir::Role::kReshape);
    absl::StatusOr<ir::Operation*> made =
        layers_.rewriter().Create(*reshape, {x}, {std::move(dims)});
    if (made.ok()) return (*made)->result();
    layers_.Fail(made.status());
    return nullptr;
  }

  ir::Value* Sum(ir::Value* x, ir::Value* z) { return layers_.Of(Step::kSum, {x, z}); }

  // Entry i of each window along one axis; zeros where it lies outside of the image.
  ir::Value* Entry(const Window& w, size_t d, ir::Value* x, int64_t i) {
    const auto along = [&](int64_t number, int64_t other) {
      return d == 0 ? Ints{number, other} : Ints{other, number};
    };
    std::vector<float> taps(static_cast<size_t>(w.window[d]));
    taps[static_cast<size_t>(i)] = 1;
    const int64_t last = w.At(d, w.y[1 + d] - 1, w.window[d] - 1);
    const int64_t after = std::max<int64_t>(0, last + 1 - w.x[1 + d]);
    return Filter(x, std::move(taps), along(w.window[d], 1), along(w.stride[d], 1),
                  along(w.before[d], 0), along(after, 0));
  }

  ir::Value* Greatest(const Window& w, size_t d, ir::Value* x) {
    if (w.window[d] == 1 && w.stride[d] == 1 && !w.HangsOver(d)) return x;
    const int64_t count = w.y[1 + d], across = d == 0 ? w.y[2] : w.x[1];
    // For each pixel of what comes of it a number that depends on the window alone.
    const auto numbers = [&](const auto& of) {
      std::vector<float> all;
      for (int64_t row = 0; row < (d == 0 ? count : across); ++row) {
        for (int64_t column = 0; column < (d == 0 ? across : count); ++column)
          all.push_back(of(d == 0 ? row : column) ? 1.0f : 0.0f);
      }
      return all;
    };
    const auto first = [&](int64_t p) {
      int64_t i = 0;
      while (!w.Inside(d, p, i)) ++i;
      return i;
    };
    ir::Value* y = nullptr;
    for (int64_t i = 0; i < w.window[d]; ++i) {
      const std::vector<float> begins = numbers([&](int64_t p) { return first(p) == i; });
      if (std::find(begins.begin(), begins.end(), 1.0f) == begins.end()) continue;
      const bool all = std::find(begins.begin(), begins.end(), 0.0f) == begins.end();
      ir::Value* entry = Entry(w, d, x, i);
      if (!all) entry = Scaled(entry, begins);
      y = y == nullptr ? entry : Sum(entry, y);
    }
    for (int64_t i = 0; i < w.window[d]; ++i) {
      const std::vector<float> counts =
          numbers([&](int64_t p) { return w.Inside(d, p, i) && first(p) != i; });
      if (std::find(counts.begin(), counts.end(), 1.0f) == counts.end()) continue;
      std::vector<float> less = counts;
      for (float& number : less) number = -number;
      ir::Value* entry = Entry(w, d, x, i);
      if (std::find(counts.begin(), counts.end(), 0.0f) != counts.end())
        entry = Scaled(entry, counts);
      y = Sum(layers_.Of(Step::kPositive, {Sum(entry, Scaled(y, less))}), y);
    }
    return y;
  }

  ir::Value* Mean(const Window& w, ir::Value* x) {
    const int64_t area = w.window[0] * w.window[1];
    Ints after(2);
    for (size_t d = 0; d < 2; ++d)
      after[d] = std::max<int64_t>(0, w.At(d, w.y[1 + d] - 1, w.window[d] - 1) + 1 - w.x[1 + d]);
    ir::Value* sums =
        Filter(x, std::vector<float>(static_cast<size_t>(area), 1.0f / static_cast<float>(area)),
               w.window, w.stride, w.before, after);
    std::vector<float> shares;
    for (int64_t row = 0; row < w.y[1]; ++row) {
      for (int64_t column = 0; column < w.y[2]; ++column) {
        int64_t inside = 0;
        for (int64_t i = 0; i < w.window[0]; ++i) {
          for (int64_t j = 0; j < w.window[1]; ++j)
            inside += w.Inside(0, row, i) && w.Inside(1, column, j) ? 1 : 0;
        }
        shares.push_back(static_cast<float>(area) /
                         static_cast<float>(std::max<int64_t>(inside, 1)));
      }
    }
    return Scaled(sums, shares);
  }

  Layers layers_;
};

}  // namespace

absl::Status ExpandWindows(ir::Graph& graph, const Device& device, const Widths& widths,
                           bool host_fallback) {
  for (ir::Operation* op : graph.TopologicalOrder()) {
    if (StepOf(*op) != Step::kWindow) continue;
    const Window w(op);
    const auto known = [](const Ints& sizes) {
      return std::all_of(sizes.begin() + 1, sizes.end(), [](int64_t size) { return size > 0; });
    };
    if (!known(w.x) || !known(w.y) || std::max(w.window[0], w.window[1]) > kMostEntries) continue;
    if (w.mean && !w.HangsOver(0) && !w.HangsOver(1) && w.window[0] > 1 && w.window[1] > 1 &&
        w.x[3] * w.x[3] * w.window[0] * w.window[1] > kMostWeights) {
      Expander expander(graph);
      if (absl::Status status = expander.Halve(w); !status.ok()) return status;
      continue;
    }
    // The host has windows of all kinds, where it may step in.
    if (host_fallback) continue;
    // What the device pools ends where the last channel does, amid what another layer reads.
    const int64_t count = w.y[1] * w.y[2] * w.y[3];
    const bool ends_well = op->result()->UsesUnsorted().empty() ||
                           count % MultipleOf(device, "affine", "input", 'H', widths.input) == 0;
    const bool plain =
        w.mean ? !w.HangsOver(0) && !w.HangsOver(1) : ends_well && DevicePools(w, device, widths);
    // Each window has some of the image, as zeros around it are fewer than it is large.
    bool some = true;
    for (size_t d = 0; d < 2; ++d)
      some = some && w.before[d] < w.window[d] && w.At(d, w.y[1 + d] - 1, 0) < w.x[1 + d];
    if (plain || !some) continue;
    Expander expander(graph);
    if (absl::Status status = expander.Expand(w); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tessera::npu
