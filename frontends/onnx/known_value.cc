#include "frontends/onnx/known_value.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/float_sizes.h"
#include "frontends/onnx/quoting.h"
#include "ir/absl_view.h"
#include "ir/loops.h"
#include "ir/op_info.h"
#include "ir/operation.h"
#include "ir/term_builder.h"
#include "solver/assignment.h"
#include "solver/decide.h"

namespace tessera::onnx_import {
namespace {

using ir::Tensor;
using ir::Value;

const ir::OperandSpec& SpecOf(const ir::Operation& op, size_t operand) {
  const auto specs = op.info().operands;
  return specs[std::min(operand, specs.size() - 1)];  // the last may be variadic
}

constexpr int64_t kMostElements = int64_t{1} << 20;

// The tensor of elements that are tracked and happen to be numbers.
std::optional<Tensor> FromElements(const Value& value) {
  if (value.elements() == nullptr || !value.type().IsStatic()) return std::nullopt;
  std::vector<int64_t> dims, numbers;
  for (const ir::Expr& dim : value.type().dims) dims.push_back(*dim.Constant());
  for (const ir::Expr& element : *value.elements()) {
    if (!element.IsConstant()) return std::nullopt;
    numbers.push_back(*element.Constant());
  }
  return Tensor::Of<int64_t>(value.type().dtype, std::move(dims), numbers);
}

class SmallEvaluator {
 public:
  const Tensor* Evaluate(const Value& value) {
    if (value.constant() != nullptr) return value.constant();
    if (auto it = done_.find(&value); it != done_.end()) return &it->second;
    if (std::optional<Tensor> tensor = FromElements(value)) {
      return &done_.emplace(&value, *std::move(tensor)).first->second;
    }
    const ir::Operation* op = value.producer();
    if (op == nullptr || op->info().kernel == nullptr || op->info().effect || --budget_ < 0)
      return nullptr;
    std::vector<const Tensor*> inputs;
    for (const Value* operand : op->operands()) {
      inputs.push_back(operand == nullptr ? nullptr : Evaluate(*operand));
      if (operand != nullptr && inputs.back() == nullptr) return nullptr;
    }
    inputs.resize(std::max(inputs.size(), op->info().operands.size()), nullptr);
    std::vector<Tensor> outputs;
    for (const Value* result : op->results()) {
      std::vector<int64_t> dims;
      if (!result->type().IsStatic()) return nullptr;
      for (const ir::Expr& dim : result->type().dims) dims.push_back(*dim.Constant());
      const auto count = ir::ElementCount(dims, ir::SizeOf(result->type().dtype));
      if (!count.ok() ||
          *count * static_cast<int64_t>(ir::SizeOf(result->type().dtype)) > kMaxBytes)
        return nullptr;
      auto output = Tensor::Allocate(result->type().dtype, std::move(dims));
      if (!output.ok()) return nullptr;
      outputs.push_back(*std::move(output));
    }
    if (!op->info().kernel({inputs, absl::MakeSpan(outputs), op->attrs()}).ok()) return nullptr;
    for (size_t i = 0; i < outputs.size(); ++i) done_.emplace(op->result(i), std::move(outputs[i]));
    return &done_.at(&value);
  }

 private:
  static constexpr int64_t kMaxBytes = 64 * 1024;
  int budget_ = 64;
  std::map<const Value*, Tensor> done_;
};

struct Origins {
  std::vector<std::string> inputs;       // of the graph
  const ir::Operation* stuck = nullptr;  // the first that yields unknown elements from known ones
  const ir::Operation* loop = nullptr;   // where the first loop begins whose iterations matter
};

// Elements of the result follow from elements of the operands: what is unknown about `value` goes
// back to what is unknown about those.
Origins Trace(const Value& value) {
  Origins origins;
  std::set<const Value*> seen;
  std::vector<const Value*> work{&value};
  while (!work.empty()) {
    const Value* next = work.back();
    work.pop_back();
    if (!seen.insert(next).second) continue;
    const ir::Operation* op = next->producer();
    if (op == nullptr) {
      origins.inputs.push_back(next->name());
      continue;
    }
    if (origins.loop == nullptr && ir::IsLoopBegin(*op)) origins.loop = op;
    const size_t before = work.size();
    for (size_t i = 0; i < op->operands().size(); ++i) {
      const Value* operand = op->operand(i);
      if (operand != nullptr && SpecOf(*op, i).data && operand->elements() == nullptr &&
          operand->constant() == nullptr) {
        work.push_back(operand);
      }
    }
    if (work.size() == before && origins.stuck == nullptr) origins.stuck = op;
  }
  std::sort(origins.inputs.begin(), origins.inputs.end());
  return origins;
}

std::string WithBinding(const std::vector<std::string>& inputs) {
  return absl::StrCat("`--bind ", inputs.front(), "=FILE` makes it a constant");
}

}  // namespace

std::optional<std::vector<ir::Expr>> KnownElements(solver::Context& context, Value& value,
                                                   const std::string& where) {
  const ir::DType dtype = value.type().dtype;
  if (value.elements() != nullptr) return *value.elements();
  std::optional<Tensor> tensor;
  if (!ir::IsFloat(dtype)) tensor = EvaluateSmall(value);
  if (!tensor) {
    std::optional<SizesInFloats> sizes = EvaluateThroughFloats(context, value);
    if (!sizes || !EnsureExact(context, sizes->needs, where)) return std::nullopt;
    return std::move(sizes->elements);
  }
  if (tensor->size() > kMostElements) return std::nullopt;
  std::vector<ir::Expr> elements;
  elements.reserve(static_cast<size_t>(tensor->size()));
  for (int64_t i = 0; i < tensor->size(); ++i) elements.emplace_back(tensor->AsInt(i));
  return elements;
}

bool DependsOnData(const Value& value) {
  return value.elements() == nullptr && value.constant() == nullptr && !Trace(value).inputs.empty();
}

std::optional<Tensor> EvaluateSmall(const Value& value) {
  SmallEvaluator evaluator;
  const Tensor* result = evaluator.Evaluate(value);
  return result == nullptr ? std::nullopt : std::optional<Tensor>(*result);
}

std::string WhyUnknown(solver::Context& context, const Value& value) {
  if (value.constant() != nullptr) {
    return ir::IsFloat(value.type().dtype) ? "they are no whole numbers"
                                           : "they are too many to be followed";
  }
  // Empty where all elements are numbers, or unknown.
  const auto on_sizes = [](const Value& v) -> std::string {
    if (v.elements() == nullptr) return "";
    const auto symbolic = std::find_if(v.elements()->begin(), v.elements()->end(),
                                       [](const ir::Expr& e) { return !e.IsConstant(); });
    if (symbolic == v.elements()->end()) return "";
    return absl::StrCat("they depend on the size of the input, as in ",
                        Quoted(symbolic->ToString()), "; `--dim` can fix it");
  };
  if (std::string why = on_sizes(value); !why.empty()) return why;
  if (!ir::IsFloat(value.type().dtype)) {
    if (const auto sizes = EvaluateThroughFloats(context, value);
        sizes && sizes->needs != ir::Expr(1)) {
      if (sizes->needs.Constant() == 0)
        return "they are computed in floats, whose rounding is not followed there; `--dim` can fix "
               "the sizes";
      std::string text = absl::StrCat(
          "they are computed in floats or narrow integers, which hold them only where ",
          Quoted(sizes->needs.ToString()), "; `--dim` can bound the sizes");
      const solver::Verdict verdict = solver::Decide(context, sizes->needs);
      if (verdict.kind == solver::Verdict::kRefuted)
        absl::StrAppend(&text, " (it is false for ", solver::ToText(verdict.counterexample), ")");
      return text;
    }
  }
  const auto [inputs, stuck, loop] = Trace(value);
  if (loop != nullptr) {
    // Only what its number of iterations depends on can make it one that is unrolled.
    const Value& trips = *loop->operand(0);
    return absl::StrCat("they follow from iterations of the loop at ",
                        Quoted(loop->location().ToString()), ", which is not unrolled",
                        DependsOnData(trips) ? "; " + WithBinding(Trace(trips).inputs) : "");
  }
  if (!inputs.empty()) {
    return absl::StrCat(
        inputs.size() == 1 ? "they depend on the graph input " : "they depend on the graph inputs ",
        QuotedList(inputs), "; ", WithBinding(inputs));
  }
  if (const ir::Operation* const end = EndOfSizes(context, value))
    return absl::StrCat("they follow from the sizes of the input by way of `",
                        ir::AbslView(end->info().name), "` at ", Quoted(end->location().ToString()),
                        end->info().symbolic == nullptr
                            ? ", whose results are followed for numbers alone"
                            : ", whose results are no expression of them, or one that is too long",
                        "; `--dim` can fix the sizes");
  for (const Value* operand : stuck->operands()) {
    if (operand == nullptr) continue;
    if (std::string why = on_sizes(*operand); !why.empty()) return why;
  }
  return absl::StrCat("they are computed by `", ir::AbslView(stuck->info().name), "` at ",
                      Quoted(stuck->location().ToString()), ", which is not evaluated here");
}

}  // namespace tessera::onnx_import
