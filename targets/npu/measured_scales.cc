#include "targets/npu/measured_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/loops.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "targets/npu/samples.h"
#include "targets/reference/executor.h"

namespace tessera::npu {
namespace {

constexpr double kHeadroom = 1.0625;  // above what calibration saw

// The codes of a type that values are quantized to.
template <typename T>
std::pair<double, double> Codes() {
  return {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
}

std::optional<std::pair<double, double>> CodesOf(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kI8:
      return Codes<int8_t>();
    case ir::DType::kU8:
      return Codes<uint8_t>();
    case ir::DType::kI16:
      return Codes<int16_t>();
    case ir::DType::kU16:
      return Codes<uint16_t>();
    default:
      return std::nullopt;
  }
}

bool IsOne(const ir::Value& value) {
  ir::Expr count = 1;
  for (const ir::Expr& dim : value.type().dims) count *= dim;
  return count == ir::Expr(1);
}

// One number for all of a value, which is made into codes by it and a zero point.
bool QuantizesByData(const ir::Operation& op) {
  if (op.operands().size() != 3 || op.results().size() != 1 || ir::IsLoopOp(op)) return false;
  const auto operands = op.operands();
  if (std::find(operands.begin(), operands.end(), nullptr) != operands.end()) return false;
  const auto &x = operands[0]->type(), &scale = operands[1]->type(), &zero = operands[2]->type(),
             &codes = op.result()->type();
  return x.dtype == ir::DType::kF32 && scale.dtype == ir::DType::kF32 &&
         CodesOf(codes.dtype).has_value() && zero.dtype == codes.dtype && codes.dims == x.dims &&
         operands[1]->constant() == nullptr && IsOne(*operands[1]) && IsOne(*operands[2]);
}

struct Range {
  double low = 0, high = 0;
};

class Measuring {
 public:
  Measuring(ir::Graph& graph, const CompileOptions& options) : graph_(graph), options_(options) {}

  absl::StatusOr<int64_t> Run() {
    for (ir::Operation* op : graph_.TopologicalOrder()) {
      if (QuantizesByData(*op)) by_data_.push_back(op);
    }
    if (by_data_.empty()) return 0;
    if (absl::Status status = Measure(); !status.ok()) return status;
    for (ir::Operation* op : by_data_) {
      const auto range = ranges_.find(op->operand(1));
      if (range == ranges_.end()) continue;  // known by now, or never run
      if (absl::Status status = Fix(*op, range->second); !status.ok()) return status;
    }
    ir::Rewriter(graph_).EraseUnused();
    return fixed_;
  }

 private:
  absl::Status Measure() {
    std::vector<NetworkPort> ports;
    for (const ir::Value* input : graph_.inputs()) {
      NetworkPort& port = ports.emplace_back();
      port.name = input->name();
      port.dtype = input->type().dtype;
      for (const ir::Expr& dim : input->type().dims)
        port.dims.push_back(dim.Constant().value_or(-1));
    }
    absl::StatusOr<Samples> samples = Samples::Open(options_, std::move(ports));
    if (!samples.ok()) return samples.status();
    const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph_);
    if (!executor.ok()) return executor.status();
    std::map<const ir::Value*, double> seen;
    for (const ir::Operation* op : by_data_) seen[op->operand(1)] = seen[op->operand(2)] = 0;
    std::map<const ir::Value*, const ir::Operation*> makers;
    for (const ir::Operation* op : by_data_) {
      makers[op->result()] = op;
      if (const ir::Tensor* zero = op->operand(2)->constant(); zero != nullptr)
        seen[op->operand(2)] = zero->AsDouble(0);
    }
    const auto see = [&](const ir::Value& value, const ir::Tensor& tensor) {
      if (const auto number = seen.find(&value); number != seen.end() && tensor.size() > 0)
        number->second = tensor.AsDouble(0);
      const auto made = makers.find(&value);
      if (made == makers.end()) return;
      const double scale = seen[made->second->operand(1)], zero = seen[made->second->operand(2)];
      const auto [lowest, highest] = *CodesOf(value.type().dtype);
      Range& range = ranges_[made->second->operand(1)];
      range.low = std::min(range.low, (lowest - zero) * scale);
      range.high = std::max(range.high, (highest - zero) * scale);
    };
    std::vector<ir::Tensor> inputs;
    for (;;) {
      const absl::StatusOr<bool> more = samples->Next(inputs);
      if (!more.ok()) return more.status();
      if (!*more) return absl::OkStatus();
      if (absl::Status status = executor->Run(inputs, see).status(); !status.ok()) return status;
    }
  }

  absl::Status Fix(ir::Operation& op, const Range& range) {
    const auto [lowest, highest] = *CodesOf(op.result()->type().dtype);
    const double size = (range.high - range.low) * kHeadroom;
    if (!std::isfinite(size)) return absl::OkStatus();  // refused for that later
    const double scale = size > 0 ? size / (highest - lowest) : 1;
    const double zero =
        std::clamp(std::round(lowest - range.low * kHeadroom / scale), lowest, highest);
    const auto replace = [&](ir::Value* from, double number) {
      if (from->constant() != nullptr) return absl::OkStatus();
      ir::Rewriter rewriter(graph_);
      ir::TermBuilder builder(rewriter);
      ir::Value* to = builder.Fill(number, from->type().dims, from->type().dtype);
      return builder.ok() ? rewriter.ReplaceAllUses(from, to) : builder.status();
    };
    ++fixed_;
    ir::Value *by = op.operand(1), *zero_point = op.operand(2);
    if (absl::Status status = replace(by, scale); !status.ok()) return status;
    return replace(zero_point, zero);
  }

  ir::Graph& graph_;
  const CompileOptions& options_;
  std::vector<ir::Operation*> by_data_;
  std::map<const ir::Value*, Range> ranges_;  // by scale
  int64_t fixed_ = 0;
};

}  // namespace

passes::Pass MeasuredScalesPass(const CompileOptions& options) {
  return {"npu-measured-scales",
          "takes scales that each run computes anew from what calibration sees of them",
          passes::Phase::kQuantize,
          passes::Numerics::kPrecision,
          {passes::kAllParts, passes::kContents},
          [options](ir::Graph& graph, passes::PassContext&) -> absl::StatusOr<passes::PassResult> {
            if (options.calibration.empty() && options.scales.size() < graph.inputs().size())
              return passes::PassResult{};
            const absl::StatusOr<int64_t> fixed = Measuring(graph, options).Run();
            if (!fixed.ok()) return fixed.status();
            passes::PassResult result;
            result.rewrites = *fixed;
            result.changed = *fixed > 0;
            return result;
          }};
}

}  // namespace tessera::npu
