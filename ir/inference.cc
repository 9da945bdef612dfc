#include "ir/inference.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/checker.h"
#include "ir/integer_range.h"
#include "ir/progressions.h"
#include "solver/decide.h"
#include "solver/syntax.h"

namespace tessera::ir {
namespace {

bool IsTracked(DType dtype) { return IsInteger(dtype) || dtype == DType::kBool; }

// The number of elements of a static shape, -1 for others and for too large ones.
int64_t TrackedCount(const TensorType& type) {
  if (!IsTracked(type.dtype)) return -1;
  int64_t count = 1;
  bool too_large = false;
  for (const Expr& dim : type.dims) {
    const auto size = dim.Constant();
    if (!size) return -1;
    if (*size == 0) return 0;
    too_large |= *size > kMaxTrackedElements;
    if (!too_large) count *= *size;
    too_large |= count > kMaxTrackedElements;
  }
  return too_large ? -1 : count;
}

// Dims that operands have were checked with these.
bool IsDimOfOperand(const Expr& dim, absl::Span<const OperandInfo<Expr>> operands) {
  return std::any_of(operands.begin(), operands.end(), [&](const OperandInfo<Expr>& operand) {
    return std::find(operand.dims.begin(), operand.dims.end(), dim) != operand.dims.end();
  });
}

absl::Status CheckDims(const TensorType& type, std::string_view result,
                       absl::Span<const OperandInfo<Expr>> operands, Checker<Expr>& checker) {
  for (size_t i = 0; i < type.dims.size(); ++i) {
    const Expr& dim = type.dims[i];
    const auto where = [&] {
      return absl::StrCat("dim ", i, " of result `", AbslView(result), "`");
    };
    if (dim.IsInvalid()) {
      return absl::OutOfRangeError(where() +
                                   " overflows 64 bits, or takes too many terms to write, as such "
                                   "do that are divided again and again");
    }
    if (dim.Constant().value_or(0) < 0) {
      return absl::InvalidArgumentError(absl::StrCat(where(), " is ", *dim.Constant()));
    }
    if (dim.IsLiteral() || IsDimOfOperand(dim, operands)) continue;
    checker.Require("size.result", solver::Ge(dim, 0), [&] {
      return absl::StrCat(where(), " is `", dim.ToString(), "`, which may be negative");
    });
  }
  return checker.status();
}

// Whether `elements` are what a tensor of `dtype` holds: integers of a narrow one wrap where they
// do not fit. What was proved for it is recorded. Of sizes that a lowering computes in its target's
// own operators that is not asked: which of them those take is for the target to say.
bool Hold(const OpInfo& info, const Elements& elements, DType dtype, Checker<Expr>& checker) {
  if (info.role == Role::kSymbolicConstant) return true;
  if (info.code != nullptr && (dtype == DType::kI32 || dtype == DType::kI64)) return true;
  if (dtype == DType::kBool) {
    return std::all_of(elements.begin(), elements.end(), [](const Expr& element) {
      const solver::Range range = solver::RangeOf(element);
      return range.lo >= 0 && range.hi <= 1;
    });
  }
  if (!IsInteger(dtype) || IntegerRange(dtype) == solver::Range{}) return true;
  std::vector<Obligation> proved;
  for (const Expr& element : elements) {
    Obligation& fits = proved.emplace_back();
    fits.constraint = absl::StrCat("fits.", AbslView(NameOf(dtype)));
    fits.predicate = Fits(element, dtype);
    const solver::Verdict verdict = solver::Decide(checker.context(), fits.predicate);
    if (verdict.kind != solver::Verdict::kProved) return false;
    fits.by = verdict.by;
  }
  std::move(proved.begin(), proved.end(), std::back_inserter(checker.proved()));
  return true;
}

// Leaves elements unknown where the kernel has no answer.
void InferElements(const OpInfo& info, absl::Span<const OperandInfo<Expr>> operands,
                   absl::Span<const Attribute> attrs, Checker<Expr>& checker, Inferred& inferred) {
  if (info.symbolic == nullptr || inferred.types.empty()) return;
  std::vector<size_t> counts;
  for (const TensorType& type : inferred.types) {
    const int64_t count = TrackedCount(type);
    if (count < 0) return;
    counts.push_back(static_cast<size_t>(count));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandSpec* spec = OperandSpecAt(info, i);
    if (operands[i].present && spec != nullptr && spec->data && !operands[i].has_elements) return;
  }
  std::vector<SymbolicTensor> tensors(operands.size());
  std::vector<const SymbolicTensor*> inputs(operands.size(), nullptr);
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandInfo<Expr>& operand = operands[i];
    if (!operand.present) continue;
    tensors[i].dtype = operand.dtype;
    tensors[i].dims.assign(operand.dims.begin(), operand.dims.end());
    tensors[i].elements.assign(operand.elements.begin(), operand.elements.end());
    tensors[i].has_elements = operand.has_elements;
    inputs[i] = &tensors[i];
  }
  std::vector<SymbolicTensor> outputs(inferred.types.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].dtype = inferred.types[i].dtype;
    outputs[i].dims = inferred.types[i].dims;
    outputs[i].elements.resize(counts[i]);
    outputs[i].has_elements = true;
  }
  if (!info.symbolic({&checker.context(), inputs, absl::MakeSpan(outputs), attrs}).ok()) return;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Elements& elements = outputs[i].elements;
    const bool usable = outputs[i].has_elements && elements.size() == counts[i] &&
                        std::none_of(elements.begin(), elements.end(),
                                     [](const Expr& e) { return e.IsInvalid(); }) &&
                        Hold(info, elements, outputs[i].dtype, checker);
    if (usable) inferred.elements[i] = std::make_unique<Elements>(std::move(elements));
  }
}

}  // namespace

OperandInfo<Expr> InfoOf(const Value* value) {
  OperandInfo<Expr> info;
  if (value == nullptr) return info;
  info.present = true;
  info.dtype = value->type().dtype;
  info.dims = value->type().dims;
  SetKnown(value->elements(), value->progression(), info);
  return info;
}

void SetKnown(const Elements* elements, const Progression* progression, OperandInfo<Expr>& info) {
  info.has_elements = elements != nullptr;
  info.elements = elements == nullptr ? absl::Span<const Expr>() : absl::MakeConstSpan(*elements);
  info.progression = progression;
  info.extremes =
      progression == nullptr ? info.elements : absl::MakeConstSpan(progression->extremes);
}

absl::StatusOr<Inferred> Infer(const OpInfo& info, std::vector<OperandInfo<Expr>> operands,
                               absl::Span<const Attribute> attrs, solver::Context& context,
                               std::string* failed) {
  // Absent operands have entries, a variadic one has as many as are given.
  size_t least = info.operands.size();
  if (least > 0 && info.operands.back().arity == Arity::kVariadic) --least;
  if (operands.size() < least) operands.resize(least);

  Checker<Expr> checker(context);
  std::vector<ResultInfo<Expr>> results;
  absl::Status status = info.infer_symbolic({operands, attrs}, checker, results);
  if (status.ok()) status = checker.status();
  if (!status.ok()) {
    if (failed != nullptr) *failed = std::string(checker.failed());
    return status;
  }
  Inferred inferred;
  for (size_t i = 0; i < results.size(); ++i) {
    TensorType& type = inferred.types.emplace_back();
    type.dtype = results[i].dtype;
    type.dims = std::move(results[i].dims);
    const size_t last = info.results.empty() ? 0 : info.results.size() - 1;
    status = CheckDims(type, info.results.empty() ? "" : info.results[std::min(i, last)].name,
                       operands, checker);
    if (!status.ok()) {
      if (failed != nullptr) *failed = std::string(checker.failed());
      return status;
    }
  }
  inferred.elements.resize(results.size());
  const auto shorten = [&](Expr& size) {
    std::optional<Expr> equal = solver::Shorten(size);
    if (!equal.has_value()) return;
    Obligation& obligation = checker.proved().emplace_back();
    obligation.constraint = "equal.normal";
    obligation.predicate = *std::move(equal);
    obligation.by = "normal-form";
  };
  for (TensorType& type : inferred.types) {
    for (Expr& dim : type.dims) shorten(dim);
  }
  inferred.open = std::move(checker.open());
  InferElements(info, operands, attrs, checker, inferred);
  for (const std::unique_ptr<Elements>& elements : inferred.elements) {
    if (elements == nullptr) continue;
    for (Expr& element : *elements) shorten(element);
  }
  inferred.progressions.resize(results.size());
  if (results.size() == 1 && inferred.elements[0] == nullptr)
    inferred.progressions[0] = FindProgression(info, operands, attrs, inferred.types[0], context);
  inferred.proved = std::move(checker.proved());
  return inferred;
}

std::unique_ptr<Elements> TrackedElements(const Tensor& tensor) {
  if (!IsTracked(tensor.dtype()) || tensor.size() > kMaxTrackedElements) return nullptr;
  auto elements = std::make_unique<Elements>();
  elements->reserve(static_cast<size_t>(tensor.size()));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t element = tensor.AsInt(i);
    // Wrapped: expressions have no such numbers.
    if (tensor.dtype() == DType::kU64 && element < 0) return nullptr;
    elements->push_back(Expr(element));
  }
  return elements;
}

}  // namespace tessera::ir
