#include "nests/interpret.h"

#include <optional>
#include <utility>

#include "nests/arithmetic.h"
#include "nests/walk.h"

namespace tessera::nests {
namespace {

struct Numbers {
  using Element = Value;
  static constexpr bool kIndicesAreKnown = true;
  Value Literal(const Value& value) { return value; }
  Value Apply(Function function, Number, const std::vector<Value>& args) {
    return nests::Apply(function, args);
  }
  Value Convert(Number number, const Value& value) { return nests::Convert(number, value); }
  Value Combine(Reduction reduction, const Value& sum, const Value& term) {
    return nests::Combine(reduction, sum, term);
  }
  // Tensors are narrowed as a whole.
  Value Narrow(ir::DType, const Value& value) { return value; }
  std::optional<int64_t> AsIndex(const Value& value) {
    return nests::Convert(Number::kI64, value).i;
  }
};

ir::Tensor TensorOf(const TensorInfo& info, std::vector<int64_t> shape,
                    const std::vector<Value>& values) {
  if (IsFloat(info.number)) {
    std::vector<double> elements;
    for (const Value& value : values) elements.push_back(Convert(Number::kF64, value).f);
    return ir::Tensor::Of<double>(ir::DType::kF64, std::move(shape), elements).CastTo(info.dtype);
  }
  std::vector<int64_t> elements;
  for (const Value& value : values) elements.push_back(value.i);
  return ir::Tensor::Of<int64_t>(ir::DType::kI64, std::move(shape), elements).CastTo(info.dtype);
}

}  // namespace

absl::StatusOr<std::vector<ir::Tensor>> Interpret(const Computation& computation,
                                                  absl::Span<const ir::Tensor* const> operands,
                                                  const solver::Assignment& sizes) {
  std::vector<std::vector<Value>> elements(computation.operands.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i >= operands.size() || operands[i] == nullptr) continue;
    for (int64_t e = 0; e < operands[i]->size(); ++e)
      elements[i].push_back(ElementOf(*operands[i], e, computation.operands[i].number));
  }
  Numbers numbers;
  Walker<Numbers> walker(computation, numbers, sizes);
  std::vector<std::vector<Value>> computed;
  if (absl::Status status = walker.Run(std::move(elements), computed); !status.ok()) return status;
  std::vector<ir::Tensor> results;
  for (size_t i = 0; i < computed.size(); ++i)
    results.push_back(TensorOf(computation.results[i],
                               walker.ShapeOf({TensorId::kResult, static_cast<int>(i)}),
                               computed[i]));
  return results;
}

}  // namespace tessera::nests
