#include "frontends/onnx/float_sizes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "frontends/onnx/dim_option.h"
#include "ir/integer_range.h"
#include "ir/op_info.h"
#include "ir/operation.h"
#include "ir/tensor.h"
#include "solver/copy.h"
#include "solver/decide.h"

namespace tessera::onnx_import {
namespace {

using ir::Expr;
using ir::SymbolicTensor;

constexpr int64_t kMostElements = 1024;
constexpr char kReason[] = "sizes are computed in floats or narrow integers for ";

// The largest value that the congruence of a symbol admits up to `bound`.
int64_t LargestUpTo(const solver::SymbolInfo& symbol, int64_t bound) {
  const solver::Congruence& c = symbol.congruence;
  const int64_t stride = std::max<int64_t>(c.stride, 1);
  return bound - ((bound - c.residue) % stride + stride) % stride;
}

bool IsSmall(const ir::TensorType& type) {
  int64_t count = 1;
  for (const Expr& dim : type.dims) {
    const std::optional<int64_t> size = dim.Constant();
    if (!size || *size < 0 || *size > kMostElements) return false;
    count *= *size;
    if (count > kMostElements) return false;
  }
  return true;
}

// value == num / 2^shift
bool SplitDyadic(double value, int64_t& num, int& shift) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  if (!std::isfinite(mantissa)) return false;
  num = static_cast<int64_t>(std::ldexp(mantissa, 53));
  shift = num == 0 ? 0 : 53 - exponent;
  for (; num % 2 == 0 && shift > 0; --shift) num /= 2;
  for (; shift < 0 && std::abs(num) < (int64_t{1} << 61); ++shift) num *= 2;
  return shift >= 0 && shift <= 60;
}

class Evaluator {
 public:
  // `known` outlives it; null: nothing.
  explicit Evaluator(solver::Context& context, const KnownScalars* known = nullptr)
      : context_(context), known_(known) {}

  // The first operation that had all it reads, sizes among it, and yields nothing.
  const ir::Operation* end() const { return end_; }

  // Null where the elements are not known.
  const SymbolicTensor* Evaluate(const ir::Value& value) {
    if (const auto it = done_.find(&value); it != done_.end())
      return it->second.has_elements ? &it->second : nullptr;
    SymbolicTensor& tensor = done_[&value];
    tensor.dtype = value.type().dtype;
    tensor.dims = Here(value.type().dims);
    if (!IsSmall(value.type())) return nullptr;
    if (const Expr* known = Known(value); known != nullptr) {
      tensor.elements = {*known};
      tensor.has_elements = tensor.dims.empty() || tensor.dims == std::vector<Expr>{Expr(1)};
    } else if (value.elements() != nullptr) {
      tensor.elements = Here(*value.elements());
      tensor.has_elements = true;
    } else if (value.constant() != nullptr) {
      tensor.has_elements = FromConstant(*value.constant(), tensor);
    } else if (value.producer() != nullptr) {
      Run(*value.producer());
    }
    return tensor.has_elements ? &tensor : nullptr;
  }

 private:
  const Expr* Known(const ir::Value& value) const {
    if (known_ == nullptr) return nullptr;
    const auto it = known_->find(&value);
    return it == known_->end() ? nullptr : &it->second;
  }

  // The graph may be about another context, of which this is a copy.
  std::vector<Expr> Here(std::vector<Expr> exprs) {
    for (Expr& e : exprs) {
      if (e.context() != nullptr && e.context() != &context_) e = solver::Transfer(context_, e);
    }
    return exprs;
  }

  static bool FromConstant(const ir::Tensor& constant, SymbolicTensor& tensor) {
    for (int64_t i = 0; i < constant.size(); ++i) {
      if (!ir::IsFloat(constant.dtype())) {
        const int64_t element = constant.AsInt(i);
        if (constant.dtype() == ir::DType::kU64 && element < 0) return false;  // wrapped
        tensor.elements.emplace_back(element);
        continue;
      }
      int64_t num = 0;
      int shift = 0;
      if (!SplitDyadic(constant.AsDouble(i), num, shift)) return false;
      tensor.elements.emplace_back(num);
      tensor.denominators.emplace_back(int64_t{1} << shift);
    }
    return true;
  }

  void Run(const ir::Operation& op) {
    const ir::OpInfo& info = op.info();
    if (info.effect || --budget_ < 0) return;
    std::vector<SymbolicTensor> dims_only(op.operands().size());
    std::vector<const SymbolicTensor*> inputs;
    for (size_t i = 0; i < op.operands().size(); ++i) {
      const ir::Value* operand = op.operand(i);
      const ir::OperandSpec* spec = ir::OperandSpecAt(info, i);
      if (operand == nullptr || spec == nullptr) {
        inputs.push_back(nullptr);
      } else if (spec->data) {
        inputs.push_back(Evaluate(*operand));
        if (inputs.back() == nullptr) return;
      } else {
        dims_only[i].dtype = operand->type().dtype;
        dims_only[i].dims = Here(operand->type().dims);
        inputs.push_back(&dims_only[i]);
      }
    }
    const auto stop = [&] {
      const bool sized = std::any_of(inputs.begin(), inputs.end(), [](const SymbolicTensor* input) {
        return input != nullptr &&
               std::any_of(input->elements.begin(), input->elements.end(),
                           [](const Expr& element) { return !element.IsConstant(); });
      });
      if (end_ == nullptr && sized) end_ = &op;
    };
    if (info.symbolic == nullptr) return stop();
    inputs.resize(std::max(inputs.size(), info.operands.size()), nullptr);
    std::vector<SymbolicTensor> outputs;
    for (const ir::Value* result : op.results()) {
      if (!IsSmall(result->type())) return;
      SymbolicTensor& output = outputs.emplace_back();
      output.dtype = result->type().dtype;
      output.dims = Here(result->type().dims);
      int64_t count = 1;
      for (const Expr& dim : output.dims) count *= *dim.Constant();
      output.elements.resize(static_cast<size_t>(count));
      output.has_elements = true;
    }
    if (!info.symbolic({&context_, inputs, absl::MakeSpan(outputs), op.attrs()}).ok())
      return stop();
    for (size_t i = 0; i < outputs.size(); ++i) {
      // Together with what the operands need.
      for (size_t j = 0; j < inputs.size(); ++j) {
        if (inputs[j] != nullptr)
          outputs[i].needs = solver::And(outputs[i].needs, inputs[j]->needs);
      }
      const auto invalid = [](const Expr& e) { return e.IsInvalid(); };
      if (ir::IsInteger(outputs[i].dtype)) {
        for (const Expr& element : outputs[i].elements)
          outputs[i].needs = solver::And(outputs[i].needs, ir::Fits(element, outputs[i].dtype));
      }
      outputs[i].has_elements =
          !outputs[i].needs.IsInvalid() &&
          std::none_of(outputs[i].elements.begin(), outputs[i].elements.end(), invalid) &&
          std::none_of(outputs[i].denominators.begin(), outputs[i].denominators.end(), invalid);
      if (!outputs[i].has_elements) stop();
      done_[op.result(i)] = std::move(outputs[i]);
    }
  }

  solver::Context& context_;
  const KnownScalars* const known_;
  int budget_ = 256;
  const ir::Operation* end_ = nullptr;
  std::map<const ir::Value*, SymbolicTensor> done_;  // nodes stay where they are
};

}  // namespace

std::optional<SizesInFloats> EvaluateThroughFloats(solver::Context& context, const ir::Value& value,
                                                   const KnownScalars& known) {
  Evaluator evaluator(context, &known);
  const SymbolicTensor* tensor = evaluator.Evaluate(value);
  if (tensor == nullptr) return std::nullopt;
  const auto is_one = [](const Expr& e) { return e == Expr(1); };
  if (!std::all_of(tensor->denominators.begin(), tensor->denominators.end(), is_one) ||
      std::find(tensor->rounded.begin(), tensor->rounded.end(), true) != tensor->rounded.end())
    return std::nullopt;
  return SizesInFloats{tensor->elements, tensor->needs};
}

std::optional<NumbersOfSizes> EvaluateToNumbers(solver::Context& context, const ir::Value& value) {
  if (value.type().dtype != ir::DType::kF32 && value.type().dtype != ir::DType::kF64)
    return std::nullopt;
  Evaluator evaluator(context);
  const SymbolicTensor* tensor = evaluator.Evaluate(value);
  if (tensor == nullptr) return std::nullopt;
  NumbersOfSizes result;
  result.needs = tensor->needs;
  for (size_t i = 0; i < tensor->elements.size(); ++i) {
    const std::optional<int64_t> num = tensor->elements[i].Constant();
    const std::optional<int64_t> den = i < tensor->denominators.size()
                                           ? tensor->denominators[i].Constant()
                                           : std::optional<int64_t>(1);
    const bool rounded = i < tensor->rounded.size() && tensor->rounded[i];
    if (!num || !den || (rounded && *den == 1)) return std::nullopt;
    // Of integers below 2^53: what is rounded twice is the float nearest to the quotient all the
    // same.
    const double quotient = static_cast<double>(*num) / static_cast<double>(*den);
    result.numbers.push_back(value.type().dtype == ir::DType::kF64
                                 ? quotient
                                 : static_cast<double>(static_cast<float>(quotient)));
  }
  return result;
}

std::optional<ir::Expr> SizesInProportion(solver::Context& context, const ir::Value& value) {
  constexpr int64_t kDivisible = 27'720;  // by all numbers up to 12
  Evaluator evaluator(context);
  const SymbolicTensor* tensor = evaluator.Evaluate(value);
  if (tensor == nullptr) return std::nullopt;
  std::optional<ir::Expr> all;
  for (size_t i = 0; i < tensor->denominators.size(); ++i) {
    const Expr &num = tensor->elements[i], &den = tensor->denominators[i];
    if (den.IsConstant()) continue;
    solver::Assignment at;
    for (const Expr& e : {num, den}) {
      for (const std::string& name : solver::SymbolsOf(e)) at[name] = kDivisible;
    }
    const int64_t p = solver::Evaluate(num, at).value_or(0);
    const int64_t q = solver::Evaluate(den, at).value_or(0);
    if (p < 1 || q < 1 || (p % q != 0 && q % p != 0)) return ir::Expr(0);
    const Expr equal = p % q == 0 ? solver::Eq(num, den * (p / q)) : solver::Eq(den, num * (q / p));
    all = all ? solver::And(*all, equal) : equal;
  }
  return all;
}

const ir::Operation* EndOfSizes(solver::Context& context, const ir::Value& value) {
  Evaluator evaluator(context);
  return evaluator.Evaluate(value) == nullptr ? evaluator.end() : nullptr;
}

std::vector<std::string> Unbounded(const solver::Context& context,
                                   const std::vector<std::string>& names) {
  std::set<std::string> assumed;
  for (const solver::Fact& fact : context.facts()) {
    if (!absl::StartsWith(fact.origin, kReason)) continue;
    for (const std::string& name : solver::SymbolsOf(fact.predicate)) assumed.insert(name);
  }
  std::vector<std::string> unbounded;
  for (const std::string& name : names) {
    const solver::SymbolInfo& symbol = *context.Find(name);
    if (symbol.range.hi >= LargestUpTo(symbol, kMaxDim) || assumed.contains(name))
      unbounded.push_back(name);
  }
  return unbounded;
}

bool IsProved(solver::Context& context, const ir::Expr& proposition) {
  return solver::Decide(context, context.Renormalize(proposition)).kind == solver::Verdict::kProved;
}

bool AssumeBound(solver::Context& context, const std::vector<std::string>& names, int64_t most,
                 const std::string& where) {
  for (const std::string& name : names) {
    if (context.Find(name)->range.hi <= most) continue;
    const absl::Status status = context.Assume(solver::Le(context.Symbol(name), Expr(most)),
                                               absl::StrCat(kReason, "`", where, "`"));
    if (!status.ok()) return false;
  }
  return true;
}

bool EnsureExact(solver::Context& context, const ir::Expr& needs, const std::string& where) {
  if (needs == Expr(1) || IsProved(context, needs)) return true;
  const std::vector<std::string> names = solver::SymbolsOf(needs);
  const std::vector<std::string> unbounded = Unbounded(context, names);
  if (unbounded.empty()) return false;
  solver::Assignment at;
  for (const std::string& name : names) at[name] = context.Find(name)->range.hi;
  for (int exponent = kLargestBound; exponent >= kSmallestBound; --exponent) {
    const int64_t bound = int64_t{1} << exponent;
    for (const std::string& name : unbounded) at[name] = LargestUpTo(*context.Find(name), bound);
    const absl::StatusOr<int64_t> suffices = solver::Evaluate(needs, at);
    if (!suffices.ok() || *suffices == 0) continue;
    return AssumeBound(context, unbounded, bound, where) && IsProved(context, needs);
  }
  return false;
}

}  // namespace tessera::onnx_import
