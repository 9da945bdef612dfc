#include "nests/cost.h"

#include <set>

#include "absl/strings/str_cat.h"

namespace tessera::nests {
namespace {

Expr Points(const std::vector<Axis>& axes) {
  Expr points = 1;
  for (const Axis& axis : axes) points *= axis.extent;
  return points;
}

class Counter {
 public:
  Cost Run(const Computation& computation) {
    for (const Nest& nest : computation.nests) Count(nest.body, Points(nest.axes));
    for (size_t i = 0; i < computation.operands.size(); ++i) {
      if (read_.count(static_cast<int>(i)) != 0)
        cost_.bytes_read += BytesOf(computation.operands[i]);
    }
    for (const TensorInfo& result : computation.results) cost_.bytes_written += BytesOf(result);
    for (const TensorInfo& temp : computation.temps) cost_.bytes_scratch += BytesOf(temp);
    return cost_;
  }

 private:
  static Expr BytesOf(const TensorInfo& tensor) {
    Expr bytes = static_cast<int64_t>(ir::SizeOf(tensor.dtype));
    for (const Expr& dim : tensor.dims) bytes *= dim;
    return bytes;
  }

  void Count(const Scalar& scalar, const Expr& times) {
    for (const Index& index : scalar->at) {
      if (!index.data.IsNone()) Count(index.data, times);
    }
    Expr inside = times;
    switch (scalar->kind) {
      case ScalarNode::kRead:
        cost_.loads += times;
        if (scalar->tensor.kind == TensorId::kOperand) read_.insert(scalar->tensor.index);
        break;
      case ScalarNode::kCall:
        Operation(scalar->args.back()->number, times);
        break;
      case ScalarNode::kReduce:
        inside *= Points(scalar->axes);
        Operation(scalar->number, inside * static_cast<int64_t>(scalar->args.size()));
        break;
      default:
        break;
    }
    for (const Scalar& arg : scalar->args) Count(arg, inside);
  }

  void Operation(Number number, const Expr& times) {
    (IsFloat(number) ? cost_.flops : cost_.integer_ops) += times;
  }

  Cost cost_;
  std::set<int> read_;
};

}  // namespace

Cost CostOf(const Computation& computation) { return Counter().Run(computation); }

std::string ToString(const Cost& cost) {
  return absl::StrCat("reads ", cost.bytes_read.ToString(), " bytes, writes ",
                      cost.bytes_written.ToString(), " bytes, ", cost.flops.ToString(), " flops, ",
                      cost.integer_ops.ToString(), " integer operations, ", cost.loads.ToString(),
                      " loads, ", cost.bytes_scratch.ToString(), " bytes of scratch");
}

}  // namespace tessera::nests
