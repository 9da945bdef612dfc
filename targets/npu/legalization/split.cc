// Convolutions of images that are too large for one layer, as several whose results are added or
// lie beside each other. Sizes come from the device's limits alone.
#include <algorithm>
#include <numeric>
#include <utility>

#include "targets/npu/legalization/geometry.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {
namespace {

using Ints = std::vector<int64_t>;

// Even parts of at most `most`, which are multiples of `unit`; the last one may be less.
int64_t EvenPart(int64_t size, int64_t most, int64_t unit) {
  const int64_t parts = (size + most - 1) / most;
  return RoundUp((size + parts - 1) / parts, unit);
}

std::vector<ir::Expr> Dims(const ir::Value& x) { return x.type().dims; }

}  // namespace

// Channels, filters and rows of the result that one layer takes.
struct Translation::ImagePart {
  int64_t channels = 0, filters = 0, rows = 0;
};

class Translation::Splitter {
 public:
  Splitter(ir::Graph& graph, const Geometry& g, const ImagePart& part, int64_t alignment)
      : layers_(graph), g_(g), part_(part), alignment_(alignment) {}

  absl::Status Split(ir::Operation* op) {
    layers_.rewriter().SetInsertionPoint(op);
    layers_.rewriter().SetLocation(op->location());
    ir::Value* y = Filters(op->operand(0));
    if (!layers_.status().ok()) return layers_.status();
    return layers_.rewriter().Replace(op, {&y, 1});
  }

 private:
  // 1 where one of the `from.. + count` channels of `in` becomes one of `out`.
  ir::Value* Moved(ir::Value* x, int64_t in, int64_t in_from, int64_t out, int64_t out_from,
                   int64_t count) {
    std::vector<float> w(static_cast<size_t>(in * out));
    for (int64_t c = 0; c < count; ++c)
      w[static_cast<size_t>((out_from + c) * in + in_from + c)] = 1.0f;
    return Filter(x, std::move(w), {out, 1, 1, in}, std::vector<float>(static_cast<size_t>(out)),
                  {1, 1}, {1, 1}, {0, 0}, {0, 0});
  }

  ir::Value* Filter(ir::Value* x, std::vector<float> w, const Ints& shape, std::vector<float> bias,
                    const Ints& stride, const Ints& dilation, const Ints& before,
                    const Ints& after) {
    if (!layers_.status().ok()) return nullptr;
    ir::Value* filters = layers_.Constant(std::move(w), shape);
    ir::Value* added = layers_.Constant(std::move(bias), {shape[0]});
    return layers_.Of(Step::kFilter, {x, filters, added},
                      {{"stride", ir::Attribute(stride)},
                       {"dilation", ir::Attribute(dilation)},
                       {"before", ir::Attribute(before)},
                       {"after", ir::Attribute(after)},
                       {"groups", int64_t{1}}});
  }

  ir::Value* Sum(ir::Value* x, ir::Value* z) {
    if (x == nullptr) return z;
    return layers_.Of(Step::kSum, {x, z});
  }

  ir::Value* Rows(ir::Value* x, int64_t from, int64_t count) {
    if (!layers_.status().ok()) return nullptr;
    std::vector<ir::Expr> starts = {0, from, 0, 0}, sizes = Dims(*x);
    if (sizes[1].Constant() == count) return x;
    sizes[1] = count;
    return layers_.Of(Step::kPart, {x},
                      {{"starts", ir::Attribute(starts)}, {"sizes", ir::Attribute(sizes)}});
  }

  // Bands of rows below each other; each begins where memory may.
  ir::Value* Bands(ir::Value* x, const std::vector<float>& w, const std::vector<float>& bias,
                   int64_t channels, int64_t filters) {
    const Ints shape = {filters, g_.kernel[0], g_.kernel[1], channels};
    std::vector<ir::Value*> bands;
    for (int64_t from = 0; from < g_.rows; from += part_.rows) {
      const int64_t count = std::min(part_.rows, g_.rows - from);
      const int64_t begin = from * g_.stride[0] - g_.before[0];
      const int64_t end = (from + count - 1) * g_.stride[0] - g_.before[0] + g_.span(0);
      // The device puts as many zeros above as below: rows that come of those are left out.
      const int64_t around = begin < 0 || end > g_.height ? g_.before[0] : 0;
      int64_t skipped = 0, start = 0;
      if (begin >= 0) {
        const auto fits = [&](int64_t skip) {
          start = begin + around - skip * g_.stride[0];
          return start >= 0 && start <= begin && start * g_.width * channels % alignment_ == 0 &&
                 skip * g_.columns * filters % alignment_ == 0;
        };
        while (skipped < alignment_ + around && !fits(skipped)) ++skipped;
        if (!fits(skipped)) {
          layers_.Fail(absl::InternalError("no band of rows begins where memory may"));
          return nullptr;
        }
      }
      const int64_t last = std::min(end, g_.height);
      ir::Value* y =
          Filter(Rows(x, start, last - start), w, shape, bias, g_.stride, g_.dilation,
                 {around, g_.before[1]}, {std::max<int64_t>(0, end - g_.height), after_columns()});
      bands.push_back(Rows(y, skipped, count));
    }
    if (!layers_.status().ok()) return nullptr;
    return bands.size() == 1 ? bands[0] : layers_.Join(bands, 1);
  }

  // Zeros behind each row, as many as its columns take.
  int64_t after_columns() const {
    return std::max<int64_t>(
        0, (g_.columns - 1) * g_.stride[1] + g_.span(1) - g_.before[1] - g_.width);
  }

  ir::Value* Filters(ir::Value* x) {
    std::vector<ir::Value*> xs;
    const int64_t channels = part_.channels, filters = part_.filters;
    const bool all_channels = channels == g_.channels, all_filters = filters == g_.filters;
    for (int64_t c = 0; c < g_.channels; c += channels) {
      xs.push_back(all_channels ? x
                                : Moved(x, g_.channels, c, channels, 0,
                                        std::min(channels, g_.channels - c)));
    }
    ir::Value* all = nullptr;
    for (int64_t n = 0; n < g_.filters; n += filters) {
      const int64_t count = std::min(filters, g_.filters - n);
      std::vector<float> bias(static_cast<size_t>(filters));
      for (int64_t f = 0; f < count; ++f)
        bias[static_cast<size_t>(f)] = g_.bias[static_cast<size_t>(n + f)];
      ir::Value* y = nullptr;
      for (size_t k = 0; k < xs.size(); ++k) {
        const int64_t from = static_cast<int64_t>(k) * channels;
        std::vector<float> w(static_cast<size_t>(filters * g_.kernel[0] * g_.kernel[1] * channels));
        bool some = false;
        for (int64_t f = 0; f < count; ++f) {
          for (int64_t c = 0; c < g_.share(); ++c) {
            const int64_t at = g_.From(n + f) + c - from;
            if (at < 0 || at >= channels) continue;
            some = true;
            for (int64_t r = 0; r < g_.kernel[0]; ++r) {
              for (int64_t s = 0; s < g_.kernel[1]; ++s)
                w[static_cast<size_t>(((f * g_.kernel[0] + r) * g_.kernel[1] + s) * channels +
                                      at)] = g_.At(n + f, r, s, c);
            }
          }
        }
        if (!some) continue;  // of other groups
        y = Sum(y, Bands(xs[k], w, bias, channels, filters));
        std::fill(bias.begin(), bias.end(), 0.0f);
        if (!layers_.status().ok()) return nullptr;
      }
      all = Sum(all, all_filters ? y : Moved(y, filters, 0, g_.filters, n, count));
    }
    return all;
  }

  Layers layers_;
  const Geometry& g_;
  const ImagePart& part_;
  int64_t alignment_;
};

std::optional<Translation::ImagePart> Translation::PartOfImage(const Geometry& g) const {
  constexpr const char* kLayer = "convolution_2d";
  if (device_.Find(kLayer) == nullptr || g.images != 1) return std::nullopt;
  const int64_t high = std::max(g.span(0), g.stride[0]), wide = std::max(g.span(1), g.stride[1]);
  const auto fits = [&](int64_t channels, int64_t filters, int64_t height) {
    Sizes sizes(device_, kLayer, options_.widths);
    sizes.Check("input", 'H', height)
        .Check("input", 'W', g.width)
        .Check("input", 'D', channels)
        .Check("filters", 'N', filters)
        .Check("filters", 'H', high)
        .Check("filters", 'W', wide)
        .Check("convolution_stride", 'H', g.stride[0])
        .Check("convolution_stride", 'W', g.stride[1])
        .CheckRules();
    return sizes.ok();
  };
  const int64_t height = std::min(g.height, Most(device_, kLayer, "input", 'H'));
  const int64_t unit_c = MultipleOf(device_, kLayer, "input", 'D', options_.widths.input);
  // What is read has as many elements as the device reads at once.
  const int64_t unit_n =
      std::lcm(MultipleOf(device_, kLayer, "filters", 'N', options_.widths.weights),
               Multiple() / std::gcd(Multiple(), g.rows * g.columns));
  ImagePart part;
  const auto greatest = [](int64_t most, int64_t unit, const auto& admits) {
    int64_t size = RoundUp(most, unit);
    while (size > 0 && !admits(size)) size -= unit;
    return size;
  };
  part.channels = greatest(g.channels, unit_c,
                           [&](int64_t size) { return fits(size, RoundUp(8, unit_n), height); });
  if (part.channels == 0) return std::nullopt;
  part.filters =
      greatest(g.filters, unit_n, [&](int64_t size) { return fits(part.channels, size, height); });
  if (part.filters == 0) return std::nullopt;
  part.channels = EvenPart(g.channels, part.channels, unit_c);
  part.filters = EvenPart(g.filters, part.filters, unit_n);
  part.rows = g.rows;
  if (g.height > height) {
    // So that results, and what is read for them, begin where memory may.
    int64_t step = 1;
    while (step * g.columns * part.filters % Alignment() != 0 ||
           step * g.stride[0] * g.width * part.channels % Alignment() != 0)
      step *= 2;
    const int64_t spare = (step + g.before[0]) * g.stride[0];
    part.rows = (height - high - spare) / g.stride[0] / step * step;
    if (part.rows <= 0) return std::nullopt;
    const int64_t bands = (g.rows + part.rows - 1) / part.rows;
    part.rows = RoundUp((g.rows + bands - 1) / bands, step);
  }
  const bool one = part.channels == g.channels && part.filters == g.filters && part.rows >= g.rows;
  return one ? std::nullopt : std::optional(part);
}

// Some filters more, of zeros, where as many as there are begin or end amid what memory is aligned
// to.
std::optional<Translation::ImagePart> Translation::MoreFilters(const Geometry& g) {
  const int64_t unit = MultipleOf(device_, RowLayer(), "filters", 'N', options_.widths.weights);
  for (const int64_t multiple : {unit, Alignment()}) {
    if (g.filters % multiple == 0) continue;
    Geometry more = g;
    more.filters = RoundUp(g.filters, multiple);
    if (ByShifts(more).reason.empty()) return ImagePart{g.channels, more.filters, g.rows};
  }
  return std::nullopt;
}

absl::Status Translation::SplitImages() {
  // Zeros in filters that stand in for something else may cost so much more than what it is.
  constexpr int64_t kMuchMore = 8;
  for (ir::Operation* op : graph_.TopologicalOrder()) {
    if (StepOf(*op) != Step::kFilter || op->operand(1)->constant() == nullptr ||
        op->operand(2)->constant() == nullptr)
      continue;
    const Geometry g = FilterOf(*op);
    if (g.images != 1) continue;
    const int64_t work = g.count() * g.kernel[0] * g.kernel[1] * g.channels;
    const auto cheap = [&](const Way& way) {
      return way.reason.empty() && way.work <= kMuchMore * work;
    };
    if (cheap(AlongRow(g)) || cheap(OverRows(g)) || cheap(ByTaps(g)) || cheap(AsImage(g)) ||
        cheap(ByShifts(g)))
      continue;
    std::optional<ImagePart> part = PartOfImage(g);
    if (!part.has_value()) part = MoreFilters(g);
    if (!part.has_value()) continue;
    Splitter splitter(graph_, g, *part, Alignment());
    if (absl::Status status = splitter.Split(op); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace tessera::npu
