#include "ir/progressions.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/integer_range.h"
#include "solver/decide.h"

namespace tessera::ir {

// Of an operation with one result of integers, of type `type`, whose elements are not known. Found
// where the op computes elementwise what only grows, or only falls, with one operand, and where the
// result has all elements of the operands and no others; each of the elements found is one of the
// result. As OperandInfo::extremes; empty: nothing is known. (Defined in extremes.cc. It has no
// header, because those of this room are inputs of every op's compile.)
std::vector<Expr> FindExtremes(const OpInfo& info, absl::Span<const OperandInfo<Expr>> operands,
                               absl::Span<const Attribute> attrs, const TensorType& type,
                               solver::Context& context);

namespace {

using Dims = std::vector<Expr>;

constexpr int64_t kMostEntries = 1024;  // of axes of known size together
constexpr int64_t kLongestRow = 16;     // of which extremes are kept column by column

// `dims` with `size` for those that are symbolic.
Dims Collapsed(absl::Span<const Expr> dims, int64_t size) {
  Dims result(dims.begin(), dims.end());
  for (Expr& dim : result) {
    if (!dim.IsConstant()) dim = size;
  }
  return result;
}

std::vector<Attribute> Collapsed(absl::Span<const Attribute> attrs, int64_t size) {
  std::vector<Attribute> result(attrs.begin(), attrs.end());
  for (Attribute& attr : result) {
    if (auto* dim = std::get_if<Expr>(&attr); dim != nullptr && !dim->IsConstant()) *dim = size;
    if (auto* dims = std::get_if<Dims>(&attr)) *dims = Collapsed(*dims, size);
  }
  return result;
}

// -1: too many.
int64_t CountOf(absl::Span<const Expr> dims) {
  int64_t count = 1;
  for (const Expr& dim : dims) {
    const int64_t size = *dim.Constant();
    if (size < 0 || size > kMostEntries || (count *= size) > kMostEntries) return -1;
  }
  return count;
}

bool Proves(solver::Context& context, const Expr& proposition) {
  return !proposition.IsInvalid() &&
         solver::Decide(context, proposition).kind == solver::Verdict::kProved;
}

// The least and the greatest of the entries at the first and last index of each axis, where there
// are any.
std::vector<Expr> Extremes(const Progression& p, absl::Span<const Expr> dims) {
  std::vector<Expr> low = p.first, high = p.first;
  for (size_t i = 0; i < p.first.size(); ++i) {
    for (size_t axis = 0; axis < p.steps[i].size(); ++axis) {
      const Expr way = p.steps[i][axis] * (dims[axis] - 1);
      low[i] += solver::Min(way, Expr(0));
      high[i] += solver::Max(way, Expr(0));
    }
  }
  low.insert(low.end(), high.begin(), high.end());
  return low;
}

// Runs the kernel on tensors whose symbolic axes have `size` entries. False: it has no answer.
bool Run(const OpInfo& info, absl::Span<const SymbolicTensor> operands,
         absl::Span<const Attribute> attrs, int64_t size, solver::Context& context,
         SymbolicTensor& output) {
  output.dims = Collapsed(output.dims, size);
  const int64_t count = CountOf(output.dims);
  if (count < 0) return false;
  output.elements.resize(static_cast<size_t>(count));
  output.has_elements = true;
  std::vector<const SymbolicTensor*> inputs;
  for (const SymbolicTensor& operand : operands) inputs.push_back(&operand);
  return info.symbolic({&context, inputs, absl::MakeSpan(&output, 1), Collapsed(attrs, size)})
             .ok() &&
         output.has_elements && output.needs == Expr(1) &&
         std::none_of(output.elements.begin(), output.elements.end(),
                      [](const Expr& e) { return e.IsInvalid(); });
}

std::unique_ptr<Progression> OfIndex(const OpInfo& info, absl::Span<const Attribute> attrs,
                                     const TensorType& type, solver::Context& context) {
  SymbolicTensor output{.dtype = type.dtype, .dims = type.dims};
  if (type.dims.size() != 1 || !Run(info, {}, attrs, 2, context, output)) return nullptr;
  auto result = std::make_unique<Progression>();
  result->first = {output.elements[0]};
  result->steps = {{output.elements[1] - output.elements[0]}};
  return result;
}

// The operand without its symbolic axes; its steps by axes of the result, which has `rank` of them.
// False: nothing is known, or it does not go along with the result.
bool Aligned(const OperandInfo<Expr>& operand, const TensorType& type, SymbolicTensor& tensor) {
  const Progression* p = operand.progression;
  if (operand.has_elements) {
    tensor.elements.assign(operand.elements.begin(), operand.elements.end());
    tensor.has_elements = true;
    return true;
  }
  const size_t rank = type.dims.size();
  if (p == nullptr || p->first.empty() || operand.dims.size() > rank) return false;
  tensor.elements = p->first;
  tensor.has_elements = true;
  const size_t ahead = rank - operand.dims.size();
  for (const std::vector<Expr>& steps : p->steps) {
    std::vector<Expr>& moved = tensor.steps.emplace_back(rank, Expr(0));
    for (size_t axis = 0; axis < steps.size(); ++axis) {
      if (steps[axis] == Expr(0)) continue;
      if (operand.dims[axis] != type.dims[ahead + axis]) return false;
      moved[ahead + axis] = steps[axis];
    }
    if (std::all_of(moved.begin(), moved.end(), [](const Expr& e) { return e == Expr(0); }))
      moved.clear();
  }
  return true;
}

std::unique_ptr<Progression> Elementwise(const OpInfo& info,
                                         absl::Span<const OperandInfo<Expr>> operands,
                                         absl::Span<const Attribute> attrs, const TensorType& type,
                                         solver::Context& context) {
  const bool follows =
      std::any_of(operands.begin(), operands.end(), [](const OperandInfo<Expr>& operand) {
        return operand.progression != nullptr && !operand.progression->first.empty();
      });
  std::vector<SymbolicTensor> tensors(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].present) return nullptr;
    tensors[i].dtype = operands[i].dtype;
    tensors[i].dims = Collapsed(operands[i].dims, 1);
    const OperandSpec* const spec = OperandSpecAt(info, i);
    if (spec == nullptr || (spec->data && !Aligned(operands[i], type, tensors[i]))) return nullptr;
  }
  SymbolicTensor output{.dtype = type.dtype, .dims = type.dims};
  if (!Run(info, tensors, attrs, 1, context, output)) return nullptr;
  if (follows && output.steps.empty()) return nullptr;
  auto result = std::make_unique<Progression>();
  result->first = std::move(output.elements);
  result->steps = std::move(output.steps);
  result->steps.resize(result->first.size());
  for (std::vector<Expr>& steps : result->steps) steps.resize(type.dims.size());
  return result;
}

// Axes of one entry come and go.
std::unique_ptr<Progression> Reshaped(const OperandInfo<Expr>& operand, const TensorType& type) {
  const auto is_axis = [](const Expr& dim) { return dim != Expr(1); };
  std::vector<size_t> from, to;
  for (size_t i = 0; i < operand.dims.size(); ++i) {
    if (is_axis(operand.dims[i])) from.push_back(i);
  }
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (is_axis(type.dims[i])) to.push_back(i);
  }
  if (operand.progression == nullptr || from.size() != to.size()) return nullptr;
  for (size_t i = 0; i < from.size(); ++i) {
    if (operand.dims[from[i]] != type.dims[to[i]]) return nullptr;
  }
  auto result = std::make_unique<Progression>(*operand.progression);
  for (std::vector<Expr>& steps : result->steps) {
    std::vector<Expr> moved(type.dims.size(), Expr(0));
    for (size_t i = 0; i < from.size(); ++i) moved[to[i]] = steps[from[i]];
    steps = std::move(moved);
  }
  return result;
}

}  // namespace

std::unique_ptr<Progression> FindProgression(const OpInfo& info,
                                             absl::Span<const OperandInfo<Expr>> operands,
                                             absl::Span<const Attribute> attrs,
                                             const TensorType& type, solver::Context& context) {
  if (!IsInteger(type.dtype) || info.symbolic == nullptr || type.IsStatic()) return nullptr;
  std::unique_ptr<Progression> found;
  if (info.index_valued) {
    found = OfIndex(info, attrs, type, context);
  } else if (info.elementwise && !operands.empty()) {
    found = Elementwise(info, operands, attrs, type, context);
  } else if (info.role == Role::kReshape && operands.size() == 1) {
    found = Reshaped(operands[0], type);
  }
  if (found != nullptr && !found->first.empty()) {
    found->extremes = Extremes(*found, type.dims);
  } else {
    found = std::make_unique<Progression>();
    found->extremes = FindExtremes(info, operands, attrs, type, context);
    if (found->extremes.empty()) return nullptr;
  }
  // What wraps does not follow the index.
  for (const Expr& extreme : found->extremes) {
    if (!Proves(context, Fits(extreme, type.dtype))) return nullptr;
  }
  return found;
}

std::unique_ptr<Progression> ExtremesOf(const Tensor& tensor) {
  const bool index = tensor.dtype() == DType::kI32 || tensor.dtype() == DType::kI64;
  if (!index || tensor.size() == 0) return nullptr;
  const int64_t last = tensor.rank() == 0 ? 1 : tensor.shape().back();
  const int64_t columns = last <= kLongestRow ? last : 1;
  std::vector<int64_t> low(static_cast<size_t>(columns)), high(low);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t element = tensor.AsInt(i);
    const auto column = static_cast<size_t>(i % columns);
    low[column] = i < columns ? element : std::min(low[column], element);
    high[column] = i < columns ? element : std::max(high[column], element);
  }
  auto result = std::make_unique<Progression>();
  result->extremes.assign(low.begin(), low.end());
  result->extremes.insert(result->extremes.end(), high.begin(), high.end());
  return result;
}

}  // namespace tessera::ir
