// Ops for the tests of the executor, defined by hand so that a test says what they do.
#ifndef TESSERA_TARGETS_REFERENCE_TESTING_H_
#define TESSERA_TARGETS_REFERENCE_TESTING_H_

#include <vector>

#include "ir/checker.h"
#include "ir/op_info.h"
#include "ir/tensor.h"

namespace tessera::reference::testing {

// Members that an op does not need stay null.
template <class Fill>
const ir::OpInfo& Define(Fill fill) {
  static const ir::OpInfo* const info = [&] {
    auto* const made = new ir::OpInfo();
    made->dialect = "test";
    fill(*made);
    return made;
  }();
  return *info;
}

inline absl::Status NoAttributes(absl::Span<const ir::OperandInfo<ir::Expr>>,
                                 std::vector<ir::Attribute>&) {
  return absl::OkStatus();
}

template <class E>
absl::Status InferSame(const ir::InferArgs<E>& args, ir::Checker<E>&,
                       std::vector<ir::ResultInfo<E>>& results) {
  const ir::OperandInfo<E>& x = args.operands[0];
  results.push_back({x.dtype, std::vector<E>(x.dims.begin(), x.dims.end())});
  return absl::OkStatus();
}

// y = x + (b ?? 1), f32, b a scalar.
inline const ir::OpInfo& PlusInfo() {
  static constexpr ir::OperandSpec kOperands[] = {{"x", ir::Arity::kRequired, false, true},
                                                  {"b", ir::Arity::kOptional, false, true}};
  static constexpr ir::ResultSpec kResults[] = {{"y"}};
  return Define([](ir::OpInfo& info) {
    info.name = "Plus";
    info.operands = kOperands;
    info.results = kResults;
    info.complete = NoAttributes;
    info.infer = InferSame<int64_t>;
    info.infer_symbolic = InferSame<ir::Expr>;
    info.kernel = [](const ir::KernelArgs& args) {
      const float b = args.inputs[1] == nullptr ? 1 : args.inputs[1]->data<float>()[0];
      for (int64_t i = 0; i < args.inputs[0]->size(); ++i) {
        args.outputs[0].mutable_data<float>()[i] = args.inputs[0]->data<float>()[i] + b;
      }
      return absl::OkStatus();
    };
  });
}

// What `tall` refuses. Written as a square, its place is not read off the comparison, and nobody
// finds it by trying small sizes.
inline constexpr int64_t kTall = 15485862;

// Splits axis 0, of even size, in two halves; the constraint `tall` is that this size is not kTall
// - 1.
template <class E>
absl::Status InferHalves(const ir::InferArgs<E>& args, ir::Checker<E>& checker,
                         std::vector<ir::ResultInfo<E>>& results) {
  const ir::OperandInfo<E>& x = args.operands[0];
  std::vector<E> dims(x.dims.begin(), x.dims.end());
  const auto message = [] { return "axis 0 is too tall"; };
  if constexpr (std::is_same_v<E, int64_t>) {
    if (!checker.Require("tall", dims[0] != kTall, message)) return checker.status();
    dims[0] = dims[0] / 2;
  } else {
    if (!checker.Require("tall", solver::Ne(dims[0] * dims[0], E(kTall * kTall)), message))
      return checker.status();
    dims[0] = solver::FloorDiv(dims[0], E(2));
  }
  results.push_back({x.dtype, dims});
  results.push_back({x.dtype, dims});
  return absl::OkStatus();
}

inline const ir::OpInfo& HalvesInfo() {
  static constexpr ir::OperandSpec kOperands[] = {{"x", ir::Arity::kRequired, false, true}};
  static constexpr ir::ResultSpec kResults[] = {{"first"}, {"second"}};
  return Define([](ir::OpInfo& info) {
    info.name = "Halves";
    info.operands = kOperands;
    info.results = kResults;
    info.complete = NoAttributes;
    info.infer = InferHalves<int64_t>;
    info.infer_symbolic = InferHalves<ir::Expr>;
    info.kernel = [](const ir::KernelArgs& args) {
      const int64_t half = args.outputs[0].size();
      for (int64_t i = 0; i < 2 * half; ++i) {
        args.outputs[i / half].mutable_data<float>()[i % half] = args.inputs[0]->data<float>()[i];
      }
      return absl::OkStatus();
    };
  });
}

// An f32 tensor of zeros whose shape is the attribute `dims`, or else the elements of the operand
// `shape`; `wrong` makes concrete and symbolic inference disagree.
template <class E>
absl::Status InferZeros(const ir::InferArgs<E>& args, ir::Checker<E>&,
                        std::vector<ir::ResultInfo<E>>& results) {
  std::vector<E> dims;
  if (args.operands[0].present) {
    if (!args.operands[0].has_elements) return absl::InvalidArgumentError("the shape is not known");
    dims.assign(args.operands[0].elements.begin(), args.operands[0].elements.end());
  } else {
    for (const ir::Expr& dim : std::get<std::vector<ir::Expr>>(args.attrs[0])) {
      if constexpr (std::is_same_v<E, int64_t>) {
        dims.push_back(*dim.Constant());
      } else {
        dims.push_back(dim);
      }
    }
  }
  if (std::is_same_v<E, int64_t> && std::get<int64_t>(args.attrs[1]) != 0) dims.push_back(E(1));
  results.push_back({ir::DType::kF32, dims});
  return absl::OkStatus();
}

inline const ir::OpInfo& ZerosInfo() {
  static constexpr ir::OperandSpec kOperands[] = {{"shape", ir::Arity::kOptional, true, true}};
  static constexpr ir::ResultSpec kResults[] = {{"y"}};
  static constexpr ir::AttrSpec kAttrs[] = {{"dims", ir::AttrKind::kDims, {}},
                                            {"wrong", ir::AttrKind::kBool, {}}};
  return Define([](ir::OpInfo& info) {
    info.name = "Zeros";
    info.operands = kOperands;
    info.results = kResults;
    info.attrs = kAttrs;
    info.complete = NoAttributes;
    info.infer = InferZeros<int64_t>;
    info.infer_symbolic = InferZeros<ir::Expr>;
    info.kernel = [](const ir::KernelArgs&) { return absl::OkStatus(); };
  });
}

inline ir::Tensor Floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  return ir::Tensor::Of<float>(ir::DType::kF32, std::move(shape), values);
}
inline std::vector<float> ValuesOf(const ir::Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.size()};
}

}  // namespace tessera::reference::testing

#endif  // TESSERA_TARGETS_REFERENCE_TESTING_H_
