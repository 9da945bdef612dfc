#include "targets/npu/samples.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/data/data_set.h"
#include "passes/compression/calibration/statistics.h"
#include "support/random_tensor.h"
#include "targets/npu/quantization/numbers.h"

namespace tessera::npu {
namespace {

constexpr size_t kRandomSamples = 8;
constexpr int64_t kRandomFrames = 16;

// Why inputs are none of the network's: `input` has other sizes; empty: they are.
std::string ReasonToPassOver(const std::vector<NetworkPort>& ports,
                             const std::vector<ir::Tensor>& inputs) {
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::vector<int64_t>& dims = ports[i].dims;
    const std::vector<int64_t>& shape = inputs[i].shape();
    bool fits = dims.size() == shape.size();
    for (size_t d = 0; fits && d < dims.size(); ++d) fits = dims[d] == -1 || dims[d] == shape[d];
    if (!fits)
      return absl::StrCat("`", ports[i].name, "` is [", absl::StrJoin(shape, ","), "] there, and [",
                          absl::StrJoin(dims, ","), "] here");
  }
  return "";
}

}  // namespace

absl::StatusOr<Samples> Samples::Open(const CompileOptions& options,
                                      std::vector<NetworkPort> inputs) {
  if (options.calibration.empty()) return Samples(options, {}, std::move(inputs));
  absl::StatusOr<std::vector<std::string>> sets = data::FindDataSets(options.calibration);
  if (!sets.ok()) return sets.status();
  if (sets->empty())
    return absl::InvalidArgumentError(
        absl::StrCat("`", options.calibration, "` has no `test_data_set_K` to calibrate with"));
  return Samples(options, *std::move(sets), std::move(inputs));
}

void Samples::Rewind() {
  next_ = 0;
  passed_over_.clear();
}

absl::StatusOr<bool> Samples::Next(std::vector<ir::Tensor>& inputs) {
  return random() ? NextRandom(inputs) : NextStored(inputs);
}

absl::StatusOr<bool> Samples::NextStored(std::vector<ir::Tensor>& inputs) {
  std::vector<std::string> names;
  for (const NetworkPort& port : inputs_) names.push_back(port.name);
  while (next_ < sets_.size()) {
    const std::string& folder = sets_[next_++];
    const absl::StatusOr<data::DataSet> set = data::ReadDataSet(folder);
    if (!set.ok()) return set.status();
    absl::StatusOr<std::vector<ir::Tensor>> arranged = data::Arranged(*set, names);
    if (!arranged.ok())
      return absl::Status(arranged.status().code(),
                          absl::StrCat("`", folder, "`: ", arranged.status().message()));
    for (size_t i = 0; i < arranged->size(); ++i) {
      if (calibration::CountNotFinite((*arranged)[i]) > 0)
        return absl::InvalidArgumentError(
            absl::StrCat("`", folder, "`: input `", names[i],
                         "` has numbers that are not finite, which have no "
                         "range"));
    }
    const std::string reason = ReasonToPassOver(inputs_, *arranged);
    if (reason.empty()) {
      inputs = *std::move(arranged);
      return true;
    }
    passed_over_.push_back(absl::StrCat("`", set->name, "`: ", reason));
  }
  if (passed_over_.size() == sets_.size())
    return absl::InvalidArgumentError(
        absl::StrCat("no set of data has the network's sizes: ", passed_over_[0]));
  return false;
}

absl::StatusOr<bool> Samples::NextRandom(std::vector<ir::Tensor>& inputs) {
  const size_t sample = next_++;
  if (sample == kRandomSamples) return false;
  const DataType numbers = options_.int8_activations ? DataType::kInt8 : DataType::kInt16;
  inputs.clear();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const NetworkPort& port = inputs_[i];
    std::vector<int64_t> shape = port.dims;
    std::replace(shape.begin(), shape.end(), int64_t{-1}, kRandomFrames * options_.frame);
    const absl::StatusOr<ir::Tensor> unit =
        support::RandomTensor(ir::DType::kF32, shape, static_cast<uint64_t>(sample) * 100 + i);
    if (!unit.ok()) return unit.status();
    double greatest = 1e-9;
    for (int64_t k = 0; k < unit->size(); ++k)
      greatest = std::max(greatest, std::abs(unit->AsDouble(k)));
    const double range = GreatestOfType(numbers) / options_.scales.at(port.name);
    std::vector<double> values;
    for (int64_t k = 0; k < unit->size(); ++k)
      values.push_back(unit->AsDouble(k) / greatest * range);
    inputs.push_back(ir::Tensor::Of<double>(port.dtype, shape, values));
  }
  return true;
}

}  // namespace tessera::npu
