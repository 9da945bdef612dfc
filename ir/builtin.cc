// The ops that the IR itself defines.
#include <cstdint>
#include <iterator>
#include <optional>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/checker.h"
#include "ir/data_size.h"
#include "ir/registry.h"

namespace tessera::ir {
namespace {

constexpr ResultSpec kOneResult[] = {{"y"}};

absl::Status CompleteNothing(absl::Span<const OperandInfo<Expr>>, std::vector<Attribute>&) {
  return absl::OkStatus();
}

// The type of a constant is that of its payload, which is no attribute.
template <class E>
absl::Status InferConstant(const InferArgs<E>&, Checker<E>&, std::vector<ResultInfo<E>>&) {
  return absl::FailedPreconditionError("a constant is made from a tensor");
}

enum { kDTypeAttr, kShapeAttr, kElementsAttr };
constexpr AttrSpec kSymbolicAttrs[] = {{"dtype", AttrKind::kDType, {}},
                                       {"shape", AttrKind::kInts, {}},
                                       {"elements", AttrKind::kDims, {}}};

absl::Status CompleteSymbolic(absl::Span<const OperandInfo<Expr>>, std::vector<Attribute>& attrs) {
  for (size_t i = 0; i < std::size(kSymbolicAttrs); ++i) {
    if (std::holds_alternative<std::monostate>(attrs[i])) {
      return absl::InvalidArgumentError(
          absl::StrCat("attribute `", AbslView(kSymbolicAttrs[i].name), "` is missing"));
    }
  }
  return absl::OkStatus();
}

template <class E>
absl::Status InferSymbolic(const InferArgs<E>& args, Checker<E>& checker,
                           std::vector<ResultInfo<E>>& results) {
  const DType dtype = std::get<DType>(args.attrs[kDTypeAttr]);
  const auto& shape = std::get<std::vector<int64_t>>(args.attrs[kShapeAttr]);
  const auto& elements = std::get<std::vector<Expr>>(args.attrs[kElementsAttr]);
  if (!checker.Require("type.dtype", IsInteger(dtype) || dtype == DType::kBool, [&] {
        return absl::StrCat("elements of type ", AbslView(NameOf(dtype)), " are not symbolic");
      })) {
    return checker.status();
  }
  const absl::StatusOr<int64_t> count = ElementCount(shape, SizeOf(dtype));
  if (!count.ok()) return count.status();
  if (!checker.Require("count", *count == static_cast<int64_t>(elements.size()), [&] {
        return absl::StrCat(elements.size(), " elements for a shape of ", *count);
      })) {
    return checker.status();
  }
  results.push_back({dtype, {shape.begin(), shape.end()}});
  return absl::OkStatus();
}

absl::Status SymbolicElements(const SymbolicKernelArgs& args) {
  args.outputs[0].elements = std::get<std::vector<Expr>>(args.attrs[kElementsAttr]);
  args.outputs[0].has_elements = true;
  return absl::OkStatus();
}

// --- DataSize(count) ---

// The element of the result is the size, whatever is known of the count.
constexpr OperandSpec kCountOperand[] = {{"count", Arity::kRequired, false, false}};
constexpr AttrSpec kSizeAttr[] = {{"size", AttrKind::kDim, {}}};

absl::Status CompleteDataSize(absl::Span<const OperandInfo<Expr>>, std::vector<Attribute>& attrs) {
  if (!std::holds_alternative<std::monostate>(attrs[0])) return absl::OkStatus();
  return absl::InvalidArgumentError("attribute `size` is missing");
}

template <class E>
absl::Status InferDataSize(const InferArgs<E>& args, Checker<E>& checker,
                           std::vector<ResultInfo<E>>& results) {
  const OperandInfo<E>& count = args.operands[0];
  if (!checker.Require("type.count",
                       count.present && count.dims.empty() && count.dtype == DType::kI64,
                       [] { return "a size that data decide is counted by a scalar of `i64`"; })) {
    return checker.status();
  }
  results.push_back({count.dtype, {}});
  return absl::OkStatus();
}

absl::Status DataSizeElements(const SymbolicKernelArgs& args) {
  args.outputs[0].elements = {std::get<Expr>(args.attrs[0])};
  return absl::OkStatus();
}

absl::Status RunDataSize(const KernelArgs& args) {
  const int64_t counted = args.inputs[0]->AsInt(0);
  const std::optional<int64_t> size = std::get<Expr>(args.attrs[0]).Constant();
  if (size != counted) {
    return absl::InvalidArgumentError(
        absl::StrCat(counted, " counted, where the size is ", size.value_or(-1)));
  }
  args.outputs[0].mutable_data<int64_t>()[0] = counted;
  return absl::OkStatus();
}

OpInfo MakeDataSizeInfo() {
  OpInfo info{};
  info.dialect = "ir";
  info.name = "DataSize";
  info.doc =
      "Says that a size, a symbol of its own, is what data counts; executors take it from there.";
  info.file = "ir/builtin.cc";
  info.operands = kCountOperand;
  info.results = kOneResult;
  info.attrs = kSizeAttr;
  info.complete = CompleteDataSize;
  info.infer = InferDataSize<int64_t>;
  info.infer_symbolic = InferDataSize<Expr>;
  info.kernel = RunDataSize;
  info.symbolic = DataSizeElements;
  // What has the size need not use the result.
  info.effect = true;
  return info;
}

OpInfo MakeConstantInfo() {
  OpInfo info{};
  info.dialect = "ir";
  info.name = "Constant";
  info.doc = "A tensor that is known when compiling; its payload belongs to the operation.";
  info.file = "ir/builtin.cc";
  info.results = kOneResult;
  info.complete = CompleteNothing;
  info.infer = InferConstant<int64_t>;
  info.infer_symbolic = InferConstant<Expr>;
  info.role = Role::kConstant;
  return info;
}

OpInfo MakeSymbolicConstantInfo() {
  OpInfo info{};
  info.dialect = "ir";
  info.name = "SymbolicConstant";
  info.doc = "A small integer tensor whose elements follow from the sizes of the inputs.";
  info.file = "ir/builtin.cc";
  info.results = kOneResult;
  info.attrs = kSymbolicAttrs;
  info.complete = CompleteSymbolic;
  info.infer = InferSymbolic<int64_t>;
  info.infer_symbolic = InferSymbolic<Expr>;
  info.symbolic = SymbolicElements;
  info.role = Role::kSymbolicConstant;
  return info;
}

}  // namespace

const OpInfo& ConstantInfo() {
  static const OpInfo* const info = new OpInfo(MakeConstantInfo());
  return *info;
}

const OpInfo& SymbolicConstantInfo() {
  static const OpInfo* const info = new OpInfo(MakeSymbolicConstantInfo());
  return *info;
}

const OpInfo& DataSizeInfo() {
  static const OpInfo* const info = new OpInfo(MakeDataSizeInfo());
  return *info;
}

}  // namespace tessera::ir
