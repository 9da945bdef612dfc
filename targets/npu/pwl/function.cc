#include "targets/npu/pwl/function.h"

#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/operation.h"
#include "nests/arithmetic.h"
#include "nests/library.h"
#include "nests/nest.h"

namespace tessera::npu {

using nests::Number;
using nests::Scalar;
using nests::ScalarNode;
using nests::TensorId;

namespace {

// Floats of any width are computed in f64.
Number Wide(Number number) { return nests::IsFloat(number) ? Number::kF64 : number; }

nests::Value Wide(const nests::Value& value) { return nests::Convert(Wide(value.number), value); }

// The one number that all elements are.
absl::StatusOr<nests::Value> OnlyElement(const ir::Tensor& tensor, Number number) {
  if (tensor.size() == 0) return absl::UnimplementedError("an empty constant");
  const nests::Value first = nests::ElementOf(tensor, 0, number);
  for (int64_t i = 1; i < tensor.size(); ++i) {
    if (!(nests::ElementOf(tensor, i, number) == first))
      return absl::UnimplementedError("a constant of several numbers");
  }
  return Wide(first);
}

}  // namespace

// The steps of one function, value by value.
class FunctionBuilder {
 public:
  FunctionBuilder(const ir::Value* from, solver::Context& context)
      : from_(from), context_(context) {
    of_value_[from] = Add({});
  }

  absl::StatusOr<size_t> Of(const ir::Value* value);
  Function Finish(size_t result) &&;

 private:
  size_t Add(Function::Step step) {
    function_.steps_.push_back(std::move(step));
    return function_.steps_.size() - 1;
  }
  size_t AddConstant(const nests::Value& value) {
    Function::Step step;
    step.kind = Function::Step::kConstant;
    step.constant = value;
    return Add(std::move(step));
  }

  // What the bodies of one computation are about.
  struct Scope {
    const ir::Operation* op;
    const nests::Computation* computation;
  };
  absl::StatusOr<size_t> OfNest(const Scope& scope, TensorId target);
  absl::StatusOr<size_t> OfScalar(const Scope& scope, const nests::Nest& nest,
                                  const Scalar& scalar);
  absl::StatusOr<size_t> OfRead(const Scope& scope, const nests::Nest& nest,
                                const ScalarNode& read);

  const ir::Value* from_;
  solver::Context& context_;
  Function function_;
  std::map<const ir::Value*, size_t> of_value_;
};

absl::StatusOr<size_t> FunctionBuilder::Of(const ir::Value* value) {
  if (const auto known = of_value_.find(value); known != of_value_.end()) return known->second;
  const ir::Operation* op = value->producer();
  if (op == nullptr)
    return absl::UnimplementedError(absl::StrCat("depends on the input `", value->name(), "`"));
  const absl::StatusOr<nests::Computation> computation = nests::ComputationOf(*op, context_);
  if (!computation.ok()) return computation.status();
  absl::StatusOr<size_t> result =
      OfNest({op, &*computation}, {TensorId::kResult, value->result_index()});
  if (!result.ok())
    return absl::UnimplementedError(absl::StrCat("`", std::string(op->info().name), "` at ",
                                                 op->location().ToString(), ": ",
                                                 result.status().message()));
  of_value_[value] = *result;
  return result;
}

absl::StatusOr<size_t> FunctionBuilder::OfNest(const Scope& scope, TensorId target) {
  const nests::Nest* found = nullptr;
  for (const nests::Nest& nest : scope.computation->nests) {
    if (!(nest.target == target)) continue;
    if (found != nullptr) return absl::UnimplementedError("elements are made in several ways");
    found = &nest;
  }
  if (found == nullptr) return absl::UnimplementedError("nothing is computed");
  if (found->order.along >= 0) return absl::UnimplementedError("elements depend on each other");
  for (size_t d = 0; d < found->axes.size(); ++d) {
    if (d >= found->at.size() || !(found->at[d] == found->axes[d].symbol))
      return absl::UnimplementedError("elements change their places");
  }
  return OfScalar(scope, *found, found->body);
}

absl::StatusOr<size_t> FunctionBuilder::OfRead(const Scope& scope, const nests::Nest& nest,
                                               const ScalarNode& read) {
  if (!read.args.empty()) return absl::UnimplementedError("elements are read outside of a value");
  const nests::TensorInfo& info = scope.computation->At(read.tensor);
  const ir::Value* operand = read.tensor.kind == TensorId::kOperand
                                 ? scope.op->operand(static_cast<size_t>(read.tensor.index))
                                 : nullptr;
  if (operand != nullptr && operand->constant() != nullptr) {
    const absl::StatusOr<nests::Value> value = OnlyElement(*operand->constant(), info.number);
    if (!value.ok()) return value.status();
    return AddConstant(*value);
  }
  bool same_place = read.at.size() == nest.axes.size();
  for (size_t d = 0; same_place && d < read.at.size(); ++d)
    same_place = read.at[d].data.IsNone() && read.at[d].expr == nest.axes[d].symbol;
  if (!same_place) return absl::UnimplementedError("an element depends on others");
  return operand != nullptr ? Of(operand) : OfNest(scope, read.tensor);
}

absl::StatusOr<size_t> FunctionBuilder::OfScalar(const Scope& scope, const nests::Nest& nest,
                                                 const Scalar& scalar) {
  const ScalarNode& node = *scalar;
  Function::Step step;
  switch (node.kind) {
    case ScalarNode::kLiteral:
      return AddConstant(Wide(node.literal));
    case ScalarNode::kIndex: {
      const std::optional<int64_t> index = node.index.Constant();
      if (!index.has_value()) return absl::UnimplementedError("an element depends on its place");
      return AddConstant(Wide(nests::Value::OfInt(node.number, *index)));
    }
    case ScalarNode::kRead:
      return OfRead(scope, nest, node);
    case ScalarNode::kChoose: {
      const std::optional<int64_t> truth = node.index.Constant();
      if (!truth.has_value()) return absl::UnimplementedError("an element depends on its place");
      return OfScalar(scope, nest, node.args[*truth != 0 ? 0 : 1]);
    }
    case ScalarNode::kReduce:
    case ScalarNode::kWithin:
      return absl::UnimplementedError("an element depends on several");
    case ScalarNode::kCall:
      step.kind = Function::Step::kCall;
      step.function = node.function;
      break;
    case ScalarNode::kCast:
      step.kind = Function::Step::kCast;
      step.number = Wide(node.number);
      break;
  }
  for (const Scalar& arg : node.args) {
    const absl::StatusOr<size_t> made = OfScalar(scope, nest, arg);
    if (!made.ok()) return made;
    step.args.push_back(*made);
  }
  return Add(std::move(step));
}

Function FunctionBuilder::Finish(size_t result) && {
  // What comes behind the result was made on the way to something that is not read.
  function_.steps_.resize(result + 1);
  return std::move(function_);
}

absl::StatusOr<Function> Function::Between(const ir::Value* from, const ir::Value* to,
                                           solver::Context& context) {
  FunctionBuilder builder(from, context);
  const absl::StatusOr<size_t> result = builder.Of(to);
  if (!result.ok()) return result.status();
  return std::move(builder).Finish(*result);
}

Function Function::Identity() {
  Function function;
  function.steps_.emplace_back();
  return function;
}

double Function::operator()(double x) const {
  std::vector<nests::Value> values(steps_.size());
  std::vector<nests::Value> args;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    switch (step.kind) {
      case Step::kInput:
        values[i] = nests::Value::OfFloat(Number::kF64, x);
        break;
      case Step::kConstant:
        values[i] = step.constant;
        break;
      case Step::kCast:
        values[i] = nests::Convert(step.number, values[step.args[0]]);
        break;
      case Step::kCall:
        args.clear();
        for (const size_t arg : step.args) args.push_back(values[arg]);
        values[i] = nests::Apply(step.function, args);
        break;
    }
  }
  return nests::Convert(Number::kF64, values.back()).f;
}

}  // namespace tessera::npu
