#include "targets/npu/legalization/layers.h"

#include <string>
#include <utility>

#include "ir/registry.h"

namespace tessera::npu {
namespace {

struct Named {
  std::string_view name;
  Step kind;
};
constexpr Named kNames[] = {
    {"AffineLayer", Step::kAffine},
    {"DiagonalLayer", Step::kDiagonal},
    {"AccumulateLayer", Step::kAccumulate},
    {"ProductLayer", Step::kProductLayer},
    {"RowConvolutionLayer", Step::kRow},
    {"ImageConvolutionLayer", Step::kImage},
    {"PoolLayer", Step::kPool},
    {"CopyLayer", Step::kCopy},
    {"InterleaveLayer", Step::kInterleave},
    {"DeinterleaveLayer", Step::kDeinterleave},
    {"WeightedRows", Step::kRows},
    {"ImageFilter", Step::kFilter},
    {"ImageWindow", Step::kWindow},
    {"ScaledEntries", Step::kScaled},
    {"OverEntries", Step::kOver},
    {"DataSum", Step::kSum},
    {"DataProduct", Step::kProduct},
    {"Join", Step::kJoin},
    {"Part", Step::kPart},
    {"PickedEntries", Step::kPicked},
    {"RoundedToScale", Step::kRounded},
    {"PositivePart", Step::kPositive},
};

ir::Value* First(const std::vector<ir::Value*>& results) {
  return results.empty() ? nullptr : results[0];
}

std::vector<ir::Expr> Exprs(const std::vector<int64_t>& list) { return {list.begin(), list.end()}; }

int64_t Size(const std::vector<float>& numbers) { return static_cast<int64_t>(numbers.size()); }

}  // namespace

Step StepOf(const ir::Operation& op) {
  if (op.info().dialect != kDialect) return Step::kNone;
  for (const Named& named : kNames) {
    if (named.name == op.info().name) return named.kind;
  }
  return Step::kNone;
}

std::string_view NameOf(Step kind) {
  for (const Named& named : kNames) {
    if (named.kind == kind) return named.name;
  }
  return "";
}

std::vector<Step> StepsBeforeThePlan() {
  std::vector<Step> steps;
  for (const Named& named : kNames) {
    if (named.kind > Step::kDeinterleave) steps.push_back(named.kind);
  }
  return steps;
}

bool IsSum(Step step) {
  return step == Step::kAffine || step == Step::kDiagonal || step == Step::kAccumulate ||
         step == Step::kProductLayer || step == Step::kRow || step == Step::kImage;
}

bool IsTable(const ir::Operation& op) {
  if (!op.info().elementwise || op.results().size() != 1 ||
      op.result()->type().dtype != ir::DType::kF32)
    return false;
  int data = 0;
  for (const ir::Value* operand : op.operands()) {
    if (operand == nullptr) continue;
    if (const ir::Tensor* constant = operand->constant(); constant != nullptr) {
      if (constant->size() != 1) return false;
    } else if (operand->type().dtype != ir::DType::kF32 ||
               operand->type().dims != op.result()->type().dims || ++data > 1) {
      return false;
    }
  }
  return data == 1;
}

std::optional<RoundedRange> RoundedRangeOf(const ir::Value& value) {
  const ir::Operation* op = value.producer();
  if (op == nullptr || StepOf(*op) != Step::kRounded || op->operand(1)->constant() == nullptr ||
      op->operand(2)->constant() == nullptr)
    return std::nullopt;
  const double scale = op->operand(1)->constant()->AsDouble(0);
  const double zero = op->operand(2)->constant()->AsDouble(0);
  return RoundedRange{(std::get<double>(op->attr(0)) - zero) * scale,
                      (std::get<double>(op->attr(1)) - zero) * scale, scale};
}

std::vector<int64_t> ShapeOf(const ir::Value& value) {
  std::vector<int64_t> shape;
  for (const ir::Expr& dim : value.type().dims) shape.push_back(dim.Constant().value_or(-1));
  return shape;
}

int64_t ElementCountOf(const ir::Value& value) {
  int64_t count = 1;
  for (const int64_t dim : ShapeOf(value)) count *= dim;
  return count;
}

ir::Value* Layers::Constant(Numbers numbers, std::vector<int64_t> shape) {
  return builder_.Constant(
      ir::Tensor::Of<float>(ir::DType::kF32, std::move(shape), absl::MakeConstSpan(numbers)));
}

ir::Value* Layers::Reshaped(ir::Value* x, const std::vector<int64_t>& shape) {
  if (!status().ok()) return nullptr;
  if (ShapeOf(*x) == shape) return x;
  const ir::OpInfo* reshape = ir::Registry::Global().WithRole("core", ir::Role::kReshape);
  return First(builder_.Create(reshape->dialect, reshape->name, {x},
                               {{reshape->attrs[0].name, ir::Attribute(Exprs(shape))}}));
}

ir::Value* Layers::Affine(ir::Value* x, Numbers w, Numbers bias) {
  const int64_t rows = Size(bias);
  ir::Value* weights = Constant(std::move(w), {rows, Size(w) / rows});
  return First(builder_.Create(kDialect, NameOf(Step::kAffine),
                               {x, weights, Constant(std::move(bias), {rows})}, {}));
}

ir::Value* Layers::Diagonal(ir::Value* x, Numbers w, Numbers bias) {
  const int64_t rows = Size(w);
  return First(
      builder_.Create(kDialect, NameOf(Step::kDiagonal),
                      {x, Constant(std::move(w), {rows}), Constant(std::move(bias), {rows})}, {}));
}

ir::Value* Layers::Accumulate(ir::Value* x, Numbers w, ir::Value* y0) {
  const int64_t rows = Size(w);
  return First(builder_.Create(kDialect, NameOf(Step::kAccumulate),
                               {x, Constant(std::move(w), {rows}), y0}, {}));
}

ir::Value* Layers::Product(ir::Value* x, ir::Value* z) {
  return First(builder_.Create(kDialect, NameOf(Step::kProductLayer), {x, z}, {}));
}

ir::Value* Layers::Of(Step step, std::vector<ir::Value*> operands,
                      const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs) {
  if (!status().ok()) return nullptr;
  return First(builder_.Create(kDialect, NameOf(step), std::move(operands), attrs));
}

ir::Value* Layers::DataProduct(ir::Value* x, ir::Value* z) {
  return First(builder_.Create(kDialect, NameOf(Step::kProduct), {x, z}, {}));
}

ir::Value* Layers::Row(ir::Value* x, Numbers filters, Numbers bias, int64_t stride) {
  const int64_t count = Size(bias);
  ir::Value* taps = Constant(std::move(filters), {count, Size(filters) / count});
  return First(builder_.Create(kDialect, NameOf(Step::kRow),
                               {x, taps, Constant(std::move(bias), {count})},
                               {{"stride", ir::Attribute(stride)}}));
}

ir::Value* Layers::Image(ir::Value* x, Numbers filters, Numbers bias,
                         const std::vector<int64_t>& kernel, const std::vector<int64_t>& stride,
                         const std::vector<int64_t>& padding) {
  const int64_t count = Size(bias);
  const int64_t channels = Size(filters) / (count * kernel[0] * kernel[1]);
  ir::Value* taps = Constant(std::move(filters), {count, kernel[0], kernel[1], channels});
  return First(
      builder_.Create(kDialect, NameOf(Step::kImage), {x, taps, Constant(std::move(bias), {count})},
                      {{"stride", ir::Attribute(stride)}, {"padding", ir::Attribute(padding)}}));
}

ir::Value* Layers::MaxPool(ir::Value* x, const std::vector<int64_t>& window,
                           const std::vector<int64_t>& stride) {
  return First(builder_.Create(kDialect, NameOf(Step::kPool), {x},
                               {{"kind", std::string_view("MAX")},
                                {"window", ir::Attribute(window)},
                                {"stride", ir::Attribute(stride)}}));
}

ir::Value* Layers::Copied(ir::Value* x, int64_t size) {
  if (!status().ok()) return nullptr;
  const std::vector<int64_t> shape = ShapeOf(*x);
  return First(builder_.Create(kDialect, NameOf(Step::kCopy), {x},
                               {{"rows", ir::Attribute(shape[0])},
                                {"columns", ir::Attribute(shape[1])},
                                {"shape", ir::Attribute(std::vector<int64_t>{1, size})}}));
}

ir::Value* Layers::Join(const std::vector<ir::Value*>& xs, int64_t axis) {
  if (xs.size() == 1) return xs[0];
  return First(builder_.Create(kDialect, NameOf(Step::kJoin), xs, {{"axis", ir::Attribute(axis)}}));
}

ir::Value* Layers::Part(ir::Value* x, const std::vector<int64_t>& starts,
                        const std::vector<int64_t>& sizes) {
  if (!status().ok()) return nullptr;
  if (ShapeOf(*x) == sizes) return x;
  return First(builder_.Create(
      kDialect, NameOf(Step::kPart), {x},
      {{"starts", ir::Attribute(Exprs(starts))}, {"sizes", ir::Attribute(Exprs(sizes))}}));
}

absl::StatusOr<ir::Value*> Layers::Like(const ir::Operation& op, std::vector<ir::Value*> operands) {
  if (!status().ok()) return status();
  absl::StatusOr<ir::Operation*> made =
      rewriter_.Create(op.info(), std::move(operands), {op.attrs().begin(), op.attrs().end()});
  if (!made.ok()) return made.status();
  return (*made)->result();
}

}  // namespace tessera::npu
