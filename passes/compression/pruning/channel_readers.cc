#include "passes/compression/pruning/channel_readers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "passes/compression/calibration/calibrate.h"
#include "passes/compression/pruning/rows_along.h"
#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

using ir::Tensor;

constexpr int64_t kMostRows = 1024;  // positions of each sample that are looked at

// Of a group, the entries of one axis of a tensor: a row per channel, as many columns for each
// (what a channel has been flattened to).
struct Entries {
  int64_t axis = -1;
  std::vector<std::vector<int64_t>> of;

  int64_t Each() const { return static_cast<int64_t>(of[0].size()); }
  // Of vectors along the axis, a row each, those of the channels at a place.
  Matrix Columns(const Matrix& rows, int64_t place) const {
    Matrix columns(rows.rows(), static_cast<int64_t>(of.size()));
    for (size_t c = 0; c < of.size(); ++c)
      columns.col(static_cast<int64_t>(c)) = rows.col(of[c][static_cast<size_t>(place)]);
    return columns;
  }
};

// Nullopt: they have none there, on several axes, or some more than others.
std::optional<Entries> EntriesOf(const ChannelGroup& group, int64_t tensor, int64_t but_axis) {
  Entries entries;
  for (const EntrySets::Class* one : group) {
    std::vector<int64_t>& of = entries.of.emplace_back();
    for (const EntrySets::Entry& entry : one->entries) {
      if (entry.axis.first != tensor || entry.axis.second == but_axis) continue;
      if (entries.axis >= 0 && entries.axis != entry.axis.second) return std::nullopt;
      entries.axis = entry.axis.second;
      of.push_back(entry.index);
    }
    if (of.empty() || of.size() != entries.of[0].size()) return std::nullopt;
  }
  return entries;
}

class Reading {
 public:
  Reading(size_t group, Entries data, const Entries& weights, const Tensor& constant)
      : group_(group), data_(std::move(data)) {
    const auto size = static_cast<int64_t>(data_.of.size());
    const Matrix all = RowsAlong(constant, weights.axis, std::numeric_limits<int64_t>::max());
    reader_.weights = Matrix::Zero(size, size);
    for (int64_t p = 0; p < data_.Each(); ++p) {
      const Matrix columns = weights.Columns(all, p);
      reader_.weights.noalias() += columns.transpose() * columns;
    }
    reader_.covariance = Matrix::Zero(size, size);
    sums_ = Matrix::Zero(data_.Each(), size);
  }

  void See(const Tensor& tensor) {
    const Matrix rows = RowsAlong(tensor, data_.axis, kMostRows);
    for (int64_t p = 0; p < data_.Each(); ++p) {
      const Matrix columns = data_.Columns(rows, p);
      reader_.covariance.noalias() += columns.transpose() * columns;
      sums_.row(p) += columns.colwise().sum();
    }
    count_ += static_cast<double>(rows.rows());
  }

  size_t group() const { return group_; }
  ChannelReader Reader() const {
    ChannelReader reader = reader_;
    if (count_ > 0) reader.covariance.noalias() -= sums_.transpose() * sums_ / count_;
    return reader;
  }

 private:
  size_t group_;
  Entries data_;
  ChannelReader reader_;  // the covariance: without the means' part
  Matrix sums_;           // by place
  double count_ = 0;
};

class Readings : public calibration::Observer {
 public:
  void Add(const ir::Value& value, Reading reading) {
    by_value_[&value].push_back(all_.size());
    all_.push_back(std::move(reading));
  }
  void See(const ir::Value& value, const Tensor& tensor) override {
    const auto found = by_value_.find(&value);
    if (found == by_value_.end()) return;
    for (const size_t index : found->second) all_[index].See(tensor);
  }
  bool Empty() const { return all_.empty(); }
  const std::vector<Reading>& All() const { return all_; }

 private:
  std::vector<Reading> all_;
  std::map<const ir::Value*, std::vector<size_t>> by_value_;
};

}  // namespace

absl::StatusOr<std::vector<std::vector<ChannelReader>>> FindReaders(
    const ir::Graph& graph, const calibration::SampleSource& samples,
    const std::vector<WeightTarget>& targets, const std::vector<ChannelGroup>& groups) {
  Readings readings;
  for (const WeightTarget& target : targets) {
    const ir::QuantizeTrait& trait = TraitOf(target.op->info());
    if (target.table || target.operand != trait.weight) continue;
    const ir::Value* data = target.op->operand(static_cast<size_t>(trait.data));
    if (data == nullptr || data->type().dtype != ir::DType::kF32) continue;
    for (size_t g = 0; g < groups.size(); ++g) {
      const std::optional<Entries> read = EntriesOf(groups[g], data->id(), -1);
      if (!read) continue;
      const std::optional<Entries> met =
          EntriesOf(groups[g], target.point.value->id(), target.axis);
      if (!met || met->Each() != read->Each()) continue;
      readings.Add(*data, Reading(g, *read, *met, *target.point.value->constant()));
    }
  }
  std::vector<std::vector<ChannelReader>> readers(groups.size());
  if (readings.Empty()) return readers;
  calibration::Observer* observers[] = {&readings};
  if (absl::Status status = calibration::Calibrate(graph, samples, observers); !status.ok())
    return status;
  for (const Reading& reading : readings.All()) {
    ChannelReader reader = reading.Reader();
    if (reader.covariance.allFinite() && reader.weights.allFinite())
      readers[reading.group()].push_back(std::move(reader));
  }
  return readers;
}

}  // namespace tessera::compression
