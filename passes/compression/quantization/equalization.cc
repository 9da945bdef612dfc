#include "passes/compression/quantization/equalization.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/compression/quantization/channel_ranges.h"
#include "passes/compression/quantization/channels_met.h"
#include "passes/compression/quantization/expected_noise.h"
#include "passes/compression/quantization/links.h"
#include "passes/compression/quantization/plan.h"
#include "passes/compression/quantization/rounding.h"
#include "targets/reference/run_operation.h"

namespace tessera::compression {
namespace {

constexpr char kWhat[] = "channels are equalized by what they are seen to be";

constexpr Key kKeys[] = {
    {"target_scopes", Key::Kind::kNames, "",
     "products whose results are equalized; all by default"},
    {"ignored_scopes", Key::Kind::kNames, "", "products that are left alone"},
    {"strength", Key::Kind::kNumber, "1",
     "1: all channels get the range of the largest; less: that power of the factor", "", 0, 1},
    {"only_exact", Key::Kind::kFlag, "false",
     "leaves alone what a bound could cut off otherwise, for inputs unlike all samples"},
    {"least_gain", Key::Kind::kNumber, "0",
     "dB by which the error of results is expected to fall, activations and weights taken together",
     "", -200, 200},
    {"largest_factor", Key::Kind::kNumber, "1000", "no channel is made more times larger", "", 1,
     1e6},
};

class EqualizationBuilder : public Builder {
 public:
  EqualizationBuilder(std::vector<std::string> targets, std::vector<std::string> ignored,
                      double strength, bool only_exact, double least_gain, double largest)
      : targets_(std::move(targets)),
        ignored_(std::move(ignored)),
        strength_(strength),
        only_exact_(only_exact),
        least_gain_(least_gain),
        largest_(largest) {}

  absl::StatusOr<std::vector<Command>> Build(const BuildContext& context) override {
    const absl::StatusOr<ScopeFilter> filter =
        ScopeFilter::Create(context.graph, context.addresses, targets_, ignored_);
    if (!filter.ok()) return filter.status();
    plan_ = MakePlan(context, *filter, PlanOptions());
    const std::vector<Link> links = FindLinks(plan_);
    if (!links.empty()) {
      ChannelRanges ranges;
      if (absl::Status status = Measure(context, links, ranges); !status.ok()) return status;
      const absl::StatusOr<solver::Assignment> assignment = SizesOfFirst(context, kWhat);
      if (!assignment.ok()) return assignment.status();
      for (const Link& link : links) Equalize(link, ranges.Of(link.value), *assignment);
    }
    std::vector<Command> commands;
    for (const auto& [point, tensor] : changed_)
      commands.push_back({*point, Priority::kEqualization, SetConstant{tensor}, "equalization",
                          "channels equalized"});
    std::sort(commands.begin(), commands.end(), [](const Command& a, const Command& b) {
      return std::pair(a.point.op->id(), a.point.index) <
             std::pair(b.point.op->id(), b.point.index);
    });
    summary_ = absl::StrCat("equalization: the channels of ", equalized_, " of ",
                            plan_.products.size(), " products' results");
    return commands;
  }

  std::unique_ptr<Controller> MakeController() override {
    return std::make_unique<RecordedController>(std::vector<LayerReport>(), summary_);
  }

 private:
  // Of the samples, or what is kept of them.
  static absl::Status Measure(const BuildContext& context, const std::vector<Link>& links,
                              ChannelRanges& ranges) {
    std::vector<ChannelRanges::Wanted> wanted;
    for (const Link& link : links)
      wanted.push_back(
          {link.value, link.axis,
           absl::StrCat("channels behind ", link.maker->point.tensor, " along ", link.axis)});
    return ranges.Measure(context, wanted, kWhat);
  }

  // Beyond what was seen by so much, a bound is none.
  static constexpr float kFarBeyond = 1000;

  // Whether all that bounds leaves factors alone, up to that magnitude.
  static bool Commutes(const Link& link, float most, const solver::Assignment& assignment) {
    constexpr int64_t kPoints = 33;
    const auto through = [&](double factor) -> std::optional<ir::Tensor> {
      std::vector<float> points;
      for (int64_t i = 0; i < kPoints; ++i)
        points.push_back(static_cast<float>(factor * most * (double(2 * i) / (kPoints - 1) - 1)));
      ir::Tensor x = ir::Tensor::Of<float>(ir::DType::kF32, {kPoints}, points);
      for (const ir::Operation* op : link.bounds) {
        std::vector<ir::Tensor> bounds;
        bounds.reserve(op->operands().size());
        std::vector<const ir::Tensor*> operands;
        for (const ir::Value* operand : op->operands()) {
          if (operand == nullptr || operand->constant() == nullptr) {
            operands.push_back(operand == nullptr ? nullptr : &x);
            continue;
          }
          bounds.push_back(
              ir::Tensor::Of<float>(ir::DType::kF32, {}, {operand->constant()->data<float>()[0]}));
          operands.push_back(&bounds.back());
        }
        absl::StatusOr<std::vector<ir::Tensor>> results =
            reference::RunOperation(*op, operands, assignment);
        if (!results.ok()) return std::nullopt;
        x = std::move((*results)[0]);
      }
      return x;
    };
    const std::optional<ir::Tensor> whole = through(1);
    for (const double factor : {0.5, 0.015625}) {
      const std::optional<ir::Tensor> part = through(factor);
      if (!whole || !part || part->size() != whole->size()) return false;
      for (int64_t i = 0; i < whole->size(); ++i) {
        if (std::fabs(part->AsDouble(i) - factor * whole->AsDouble(i)) > 1e-5 * double{most})
          return false;
      }
    }
    return true;
  }

  const ir::Tensor& Now(const Point& point) const {
    const auto found = by_value_.find(point.value);
    return found == by_value_.end() ? *point.value->constant() : changed_.at(found->second);
  }
  void Change(const Point& point, ir::Tensor tensor) {
    const auto [place, fresh] = by_value_.emplace(point.value, &point);
    changed_[place->second] = std::move(tensor);
  }

  template <class F>
  static ir::Tensor Multiplied(const ir::Tensor& tensor, const F& factor) {
    ir::Tensor result = *ir::Tensor::Allocate(ir::DType::kF32, tensor.shape());
    for (int64_t i = 0; i < tensor.size(); ++i)
      result.mutable_data<float>()[i] =
          static_cast<float>(double{tensor.data<float>()[i]} * factor(i));
    return result;
  }

  void Equalize(const Link& link, const ChannelRanges::Ends* ends,
                const solver::Assignment& assignment) {
    const absl::StatusOr<std::vector<int64_t>> shape =
        reference::DimsOf(link.value->type(), assignment);
    if (ends == nullptr || !shape.ok()) return;
    const size_t channels = ends->least.size();
    std::vector<double> largest;
    for (size_t c = 0; c < channels; ++c)
      largest.push_back(std::max(std::fabs(ends->least[c]), std::fabs(ends->most[c])));
    const double most = *std::max_element(largest.begin(), largest.end());
    const ir::Tensor& weight = Now(link.maker->point);
    const Along along = Along::Axis(weight.shape(), link.maker->axis);
    const auto checked = static_cast<float>(only_exact_ ? kFarBeyond * most : most);
    if (!(most > 0) || along.n != static_cast<int64_t>(channels) ||
        (link.bias != nullptr && Now(link.bias->point).size() != along.n) ||
        !Commutes(link, checked, assignment))
      return;
    std::vector<double> smaller;
    for (const double magnitude : largest)
      smaller.push_back(
          magnitude > 0 ? std::max(std::pow(magnitude / most, strength_), 1 / largest_) : 1);
    std::vector<Reader> readers;
    for (const WeightSite* reader : link.readers) {
      std::optional<ChannelsMet> met = FindChannelsMet(*reader, *shape, link.axis, assignment);
      if (!met) return;
      readers.push_back({reader, *std::move(met)});
    }
    if (!(ExpectedGain(readers, *ends, std::vector<double>(channels, 0), smaller) >= least_gain_))
      return;
    const auto factor = [&](int64_t c) { return smaller[static_cast<size_t>(c)]; };
    Change(link.maker->point,
           Multiplied(weight, [&](int64_t i) { return 1 / factor(i / along.inner % along.n); }));
    if (link.bias != nullptr)
      Change(link.bias->point,
             Multiplied(Now(link.bias->point), [&](int64_t c) { return 1 / factor(c); }));
    for (const Reader& reader : readers) {
      Change(reader.site->point, Multiplied(Now(reader.site->point), [&](int64_t i) {
               const int channel = reader.met.channels[static_cast<size_t>(i)];
               return channel < 0 ? 1 : factor(channel);
             }));
    }
    ++equalized_;
  }

  std::vector<std::string> targets_, ignored_;
  double strength_;
  bool only_exact_;
  double least_gain_, largest_;
  Plan plan_;
  std::map<const ir::Value*, const Point*> by_value_;
  std::map<const Point*, ir::Tensor> changed_;
  int equalized_ = 0;
  std::string summary_;
};

absl::StatusOr<std::unique_ptr<Builder>> Configure(const Section& section) {
  return std::make_unique<EqualizationBuilder>(
      section.Names("target_scopes"), section.Names("ignored_scopes"), section.Number("strength"),
      section.Flag("only_exact"), section.Number("least_gain"), section.Number("largest_factor"));
}

}  // namespace

const Algorithm& Equalization() {
  static constexpr Algorithm kEqualization = {
      "equalization", Priority::kEqualization,
      "channels between two products get ranges of the same size", kKeys, Configure};
  return kEqualization;
}

}  // namespace tessera::compression
