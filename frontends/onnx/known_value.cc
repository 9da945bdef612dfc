#include "frontends/onnx/known_value.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/quoting.h"
#include "ir/op_info.h"
#include "ir/operation.h"
#include "ir/term_builder.h"

namespace tessera::onnx_import {
namespace {

using ir::Tensor;
using ir::Value;

const ir::OperandSpec& SpecOf(const ir::Operation& op, size_t operand) {
  const auto specs = op.info().operands;
  return specs[std::min(operand, specs.size() - 1)];  // the last may be variadic
}

class SmallEvaluator {
 public:
  const Tensor* Evaluate(const Value& value) {
    if (value.constant() != nullptr) return value.constant();
    if (auto it = done_.find(&value); it != done_.end()) return &it->second;
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
      for (const ir::Expr& dim : result->type().dims) {
        if (!ir::IsStatic(dim)) return nullptr;
        dims.push_back(*dim.Constant());
      }
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

// Elements of the result follow from elements of the operands: what is unknown about `value` goes
// back to what is unknown about those.
void Trace(const Value& value, std::set<const Value*>& seen, std::vector<std::string>& inputs,
           const ir::Operation** stuck) {
  std::vector<const Value*> work{&value};
  while (!work.empty()) {
    const Value* next = work.back();
    work.pop_back();
    if (!seen.insert(next).second) continue;
    const ir::Operation* op = next->producer();
    if (op == nullptr) {
      inputs.push_back(next->name());
      continue;
    }
    const size_t before = work.size();
    for (size_t i = 0; i < op->operands().size(); ++i) {
      const Value* operand = op->operand(i);
      if (operand != nullptr && SpecOf(*op, i).data && operand->elements() == nullptr &&
          operand->constant() == nullptr) {
        work.push_back(operand);
      }
    }
    if (work.size() == before && *stuck == nullptr) *stuck = op;
  }
}

}  // namespace

std::optional<Tensor> EvaluateSmall(const Value& value) {
  SmallEvaluator evaluator;
  const Tensor* result = evaluator.Evaluate(value);
  return result == nullptr ? std::nullopt : std::optional<Tensor>(*result);
}

std::string WhyUnknown(const Value& value) {
  std::set<const Value*> seen;
  std::vector<std::string> inputs;
  const ir::Operation* stuck = nullptr;
  Trace(value, seen, inputs, &stuck);
  std::sort(inputs.begin(), inputs.end());
  if (!inputs.empty()) {
    return absl::StrCat(
        inputs.size() == 1 ? "they depend on the graph input " : "they depend on the graph inputs ",
        QuotedList(inputs), "; `--bind ", inputs.front(), "=FILE` makes it a constant");
  }
  if (stuck != nullptr) {
    return absl::StrCat("they are computed by `",
                        absl::string_view(stuck->info().name.data(), stuck->info().name.size()),
                        "` at ", Quoted(stuck->location().ToString()),
                        ", which is not evaluated over symbolic dims");
  }
  return "they are too many to be followed";
}

}  // namespace tessera::onnx_import
