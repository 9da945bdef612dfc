#include "testing/quantize_traits.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/op_info.h"
#include "ir/tensor.h"
#include "targets/reference/run_op.h"
#include "testing/example_case.h"

namespace tessera::testing {
namespace {

using ir::Quantizable;
using ir::QuantizeTrait;
using ir::Tensor;

std::vector<double> ValuesOf(const Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.AsDouble(i));
  return values;
}

Tensor WithValues(const Tensor& like, const std::vector<double>& values) {
  return Tensor::Of<double>(like.dtype(), like.shape(), values);
}

// The index along `axis` of element `i`.
int64_t IndexAt(const std::vector<int64_t>& shape, size_t axis, int64_t i) {
  int64_t step = 1;
  for (size_t a = axis + 1; a < shape.size(); ++a) step *= shape[a];
  return i / step % shape[axis];
}

bool Near(double a, double b) { return std::abs(a - b) <= 1e-4 * (1 + std::abs(b)); }

// An example with some operands exchanged.
class Trial {
 public:
  explicit Trial(const Case& c) : c_(c), operands_(c.operands) {}

  void Set(size_t operand, Tensor tensor) {
    kept_.push_back(std::make_unique<Tensor>(std::move(tensor)));
    operands_[operand] = kept_.back().get();
  }
  const Tensor* At(size_t operand) const {
    return operand < operands_.size() ? operands_[operand] : nullptr;
  }
  size_t size() const { return operands_.size(); }
  bool IsFloat(size_t operand) const {
    return At(operand) != nullptr && At(operand)->dtype() == ir::DType::kF32;
  }
  // The first result.
  std::optional<Tensor> Run() const {
    absl::StatusOr<std::vector<Tensor>> results =
        reference::RunOp(*c_.info, operands_, c_.attrs, reference::MaxLiveBytes(), false);
    if (!results.ok() || results->empty()) return std::nullopt;
    return results->front();
  }

 private:
  const Case& c_;
  std::vector<const Tensor*> operands_;
  std::vector<std::unique_ptr<Tensor>> kept_;
};

// Numbers of which neither sums nor products, nor means of neighbours, are among them.
Tensor Told(const Tensor& like, size_t operand) {
  std::vector<double> values;
  for (int64_t i = 0; i < like.size(); ++i) {
    const double number = std::sqrt(2.0 + static_cast<double>((i * 7 + 3) % 23)) + 3;
    values.push_back((i % 3 == 1 ? -1 : 1) * (number + 100 * static_cast<double>(operand)));
  }
  return WithValues(like, values);
}

// Whether each element of the result is one of `sources`, or 0; nothing where none is computed.
std::optional<bool> Selects(const Case& c, const std::set<size_t>& sources, bool elementwise) {
  Trial trial(c);
  std::set<double> known = {0};
  bool any = false;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (!trial.IsFloat(i)) continue;
    trial.Set(i, Told(*trial.At(i), i));
    // A number that stands for what lies outside has the grid of the rest.
    if (sources.count(i) == 0 && (elementwise || trial.At(i)->rank() != 0)) continue;
    any = true;
    for (const double value : ValuesOf(*trial.At(i))) known.insert(value);
  }
  const std::optional<Tensor> result = any ? trial.Run() : std::nullopt;
  if (!result.has_value() || result->size() == 0 || result->dtype() != ir::DType::kF32)
    return std::nullopt;
  for (const double value : ValuesOf(*result)) {
    if (std::isfinite(value) && known.count(value) == 0) return false;
  }
  return true;
}

// Whether `result` is `tensor`, repeated along axes that it has not or has one entry of.
bool Repeats(const Tensor& result, const Tensor& tensor) {
  if (result.rank() < tensor.rank()) return false;
  const auto front = static_cast<size_t>(result.rank() - tensor.rank());
  for (size_t axis = 0; axis < tensor.shape().size(); ++axis) {
    const int64_t size = tensor.shape()[axis];
    if (size != 1 && size != result.shape()[front + axis]) return false;
  }
  for (int64_t i = 0; i < result.size(); ++i) {
    int64_t at = 0;
    for (size_t axis = 0; axis < tensor.shape().size(); ++axis) {
      const int64_t size = tensor.shape()[axis];
      at = at * size + (size == 1 ? 0 : IndexAt(result.shape(), front + axis, i));
    }
    if (result.AsDouble(i) != tensor.AsDouble(at)) return false;
  }
  return true;
}

// Whether x + 0 is x, and 0 + y is y.
std::optional<bool> Adds(const Case& c) {
  if (c.operands.size() != 2 || c.operands[0] == nullptr || c.operands[1] == nullptr ||
      c.operands[0]->dtype() != ir::DType::kF32 || c.operands[1]->dtype() != ir::DType::kF32)
    return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    Trial trial(c);
    const Tensor told = Told(*c.operands[i], i);
    trial.Set(i, told);
    const Tensor& other = *c.operands[1 - i];
    const std::vector<double> zeros(static_cast<size_t>(other.size()), 0.0);
    trial.Set(1 - i, WithValues(other, zeros));
    const std::optional<Tensor> result = trial.Run();
    if (!result.has_value() || !Repeats(*result, told)) return false;
  }
  return true;
}

int64_t GroupsOf(const QuantizeTrait& trait, const Case& c) {
  if (trait.groups < 0) return 1;
  const auto* value = std::get_if<int64_t>(&c.attrs[static_cast<size_t>(trait.groups)]);
  return value == nullptr ? 1 : *value;
}

// An element of the data has a part in all results of one group of entries, and in no others.
std::string GroupsComplaint(const QuantizeTrait& trait, const Case& c, const Tensor& before,
                            size_t result_axis) {
  constexpr int64_t kLooked = 12;  // elements
  const auto data = static_cast<size_t>(trait.data);
  const Trial whole(c);
  if (!whole.IsFloat(data)) return "";
  const int64_t entries = before.shape()[result_axis], groups = GroupsOf(trait, c);
  if (groups < 1 || entries % groups != 0) return "its groups do not split the result";
  const std::vector<double> values = ValuesOf(*whole.At(data));
  const auto size = static_cast<int64_t>(values.size());
  for (int64_t e = 0; e < size; e += std::max<int64_t>(1, size / kLooked)) {
    Trial other(c);
    std::vector<double> moved = values;
    moved[static_cast<size_t>(e)] += 1;
    other.Set(data, WithValues(*whole.At(data), moved));
    const std::optional<Tensor> behind = other.Run();
    if (!behind.has_value()) return "";
    std::set<int64_t> met;  // entries of the result
    for (int64_t i = 0; i < before.size(); ++i) {
      if (behind->AsDouble(i) != before.AsDouble(i))
        met.insert(IndexAt(before.shape(), result_axis, i));
    }
    if (met.empty()) continue;
    const int64_t of_group = entries / groups;
    if (*met.begin() / of_group != *met.rbegin() / of_group)
      return "data of one group have a part in the results of another";
    if (static_cast<int64_t>(met.size()) != of_group)
      return "its results meet the data in groups, which is not said";
  }
  return "";
}

// Twice the weights (and the bias) of the last entry make its results twice as great, and no
// others.
std::string WeightsComplaint(const QuantizeTrait& trait, const Case& c, int& looked) {
  const auto w = static_cast<size_t>(trait.weight);
  Trial trial(c);
  if (!trial.IsFloat(w) || trial.At(w)->size() == 0) return "";
  const std::optional<Tensor> before = trial.Run();
  if (!before.has_value() || before->size() == 0) return "";
  const auto axis_of = [](int axis, int64_t rank) { return axis < 0 ? axis + rank : axis; };
  const int64_t axis = axis_of(trait.axis, trial.At(w)->rank());
  const int64_t result_axis = axis_of(trait.result_axis, before->rank());
  if (axis < 0 || axis >= trial.At(w)->rank() || result_axis < 0 || result_axis >= before->rank())
    return "there is no such axis";
  const int64_t entries = trial.At(w)->shape()[static_cast<size_t>(axis)];
  const int64_t found = before->shape()[static_cast<size_t>(result_axis)];
  if (found != entries && found != entries * GroupsOf(trait, c))
    return absl::StrCat(entries, " entries of weights become ", found, " of the result");
  const int64_t last = entries - 1;
  const auto doubled = [&](const Tensor& tensor, size_t along) {
    std::vector<double> values = ValuesOf(tensor);
    for (size_t i = 0; i < values.size(); ++i) {
      if (IndexAt(tensor.shape(), along, static_cast<int64_t>(i)) % entries == last) values[i] *= 2;
    }
    return WithValues(tensor, values);
  };
  trial.Set(w, doubled(*trial.At(w), static_cast<size_t>(axis)));
  const auto bias = static_cast<size_t>(std::max(trait.bias, 0));
  if (trait.bias >= 0 && trial.IsFloat(bias)) {
    if (trial.At(bias)->rank() != 1) return "the bias has no axis";
    trial.Set(bias, doubled(*trial.At(bias), 0));
  }
  const std::optional<Tensor> behind = trial.Run();
  if (!behind.has_value()) return "";
  for (int64_t i = 0; i < before->size(); ++i) {
    const bool is_last =
        IndexAt(before->shape(), static_cast<size_t>(result_axis), i) % entries == last;
    if (!Near(behind->AsDouble(i), before->AsDouble(i) * (is_last ? 2 : 1)))
      return "weights of one entry do not become its results";
  }
  const std::string of_groups =
      GroupsComplaint(trait, c, *before, static_cast<size_t>(result_axis));
  if (!of_groups.empty()) return of_groups;
  // What is added to all of them is the bias.
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (i == w || static_cast<int>(i) == trait.data || static_cast<int>(i) == trait.bias) continue;
    Trial other(c);
    if (!other.IsFloat(i) || other.At(i)->size() == 0) continue;
    std::vector<double> values = ValuesOf(*other.At(i));
    for (double& value : values) value += 1;
    other.Set(i, WithValues(*other.At(i), values));
    const std::optional<Tensor> more = other.Run();
    bool added = more.has_value();
    for (int64_t e = 0; added && e < before->size(); ++e)
      added = Near(more->AsDouble(e), before->AsDouble(e) + 1);
    if (added) return absl::StrCat("operand ", i, " is a bias, which is not said");
  }
  ++looked;
  return "";
}

// On how many examples something is so, of how many it was looked at.
struct Count {
  int holds = 0, looked = 0;
  void Add(std::optional<bool> so) {
    if (!so.has_value()) return;
    ++looked;
    holds += *so ? 1 : 0;
  }
  bool always() const { return looked > 0 && holds == looked; }
};

}  // namespace

std::string TraitComplaint(const QuantizeTrait& trait, const ops::OpExamples& examples) {
  Count moves, selects, adds;
  bool elementwise = false;
  int weights = 0;
  for (const ops::Example& example : examples.examples) {
    if (example.reject) continue;
    Case c;
    if (!Prepare(examples, example, c).ok()) continue;
    elementwise = c.info->elementwise;
    std::set<size_t> all, data = {static_cast<size_t>(trait.data)};
    for (size_t i = 0; i < c.operands.size(); ++i) all.insert(i);
    if (trait.kind == Quantizable::kUnified) data = all;
    moves.Add(Selects(c, data, elementwise));
    selects.Add(Selects(c, all, elementwise));
    adds.Add(Adds(c));
    if (trait.kind != Quantizable::kWeights) continue;
    const std::string complaint = WeightsComplaint(trait, c, weights);
    if (!complaint.empty()) return complaint;
  }
  switch (trait.kind) {
    case Quantizable::kAgnostic:
    case Quantizable::kUnified:
      return moves.looked == 0 || moves.always() ? ""
                                                 : "its results are not elements of its operands";
    case Quantizable::kClamps:
      return selects.always() && elementwise ? "" : "it is no bound of its operands";
    case Quantizable::kSums:
      return adds.always() && elementwise ? "" : "it is no sum";
    case Quantizable::kInputs:
      if (adds.always() && elementwise) return "it is a sum, which is not said";
      if (selects.always())
        return elementwise ? "it bounds its operands, which is not said"
                           : "its results are elements of its operands, which is not said";
      return "";
    case Quantizable::kWeights:
      return weights > 0 ? "" : "no example shows what its weights are";
    default:
      return "";
  }
}

}  // namespace tessera::testing
