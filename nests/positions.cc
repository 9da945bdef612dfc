#include "nests/positions.h"

#include <cstdint>
#include <string>
#include <utility>

#include "ir/integer_range.h"
#include "nests/moved_computation.h"
#include "solver/copy.h"
#include "solver/decide.h"

namespace tessera::nests {
namespace {

constexpr int kMostSteps = 20000;  // of one Positions
constexpr int kDeepest = 200;
constexpr size_t kMostChoices = 32;         // among elements that are listed one by one
constexpr int64_t kMostElements = 1 << 20;  // of a constant that is looked through

// `element(offset)` for all offsets below `count`, if they are base + sum of step * index.
template <class F>
std::optional<Expr> Affine(const std::vector<int64_t>& shape, int64_t count, F element,
                           const std::vector<Expr>& index) {
  if (count < 1) return std::nullopt;
  std::vector<int64_t> strides(shape.size(), 1), steps(shape.size(), 0);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  const int64_t base = element(0);
  Expr at(base);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] < 2) continue;
    if (__builtin_sub_overflow(element(strides[d]), base, &steps[d])) return std::nullopt;
    at += index[d] * steps[d];
  }
  for (int64_t offset = 0; offset < count; ++offset) {
    __int128 expected = base;
    for (size_t d = 0; d < shape.size(); ++d)
      expected += static_cast<__int128>(steps[d]) * (offset / strides[d] % shape[d]);
    if (expected != element(offset)) return std::nullopt;
  }
  return at;
}

// Where axes of one entry come and go, the index of the reshaped operand: without dividing by axes
// that may be empty.
std::optional<std::vector<Expr>> BeforeReshape(const ir::Value& value,
                                               const std::vector<Expr>& index) {
  const ir::Operation& op = *value.producer();
  if (op.info().role != ir::Role::kReshape || op.operands().size() != 1) return std::nullopt;
  const std::vector<Expr>&from = op.operand(0)->type().dims, &to = value.type().dims;
  std::vector<Expr> before;
  size_t d = 0;
  for (const Expr& dim : from) {
    if (dim == Expr(1)) {
      before.push_back(0);
      continue;
    }
    while (d < to.size() && to[d] == Expr(1)) ++d;
    if (d == to.size() || to[d] != dim) return std::nullopt;
    before.push_back(index[d++]);
  }
  while (d < to.size() && to[d] == Expr(1)) ++d;
  if (d < to.size()) return std::nullopt;
  return before;
}

bool IsPositive(const Expr& e) { return solver::RangeOf(e).lo >= 1; }

bool Holds(solver::Context& context, const Expr& proposition) {
  return !proposition.IsInvalid() &&
         solver::Decide(context, proposition).kind == solver::Verdict::kProved;
}

}  // namespace

Positions::Positions(const solver::Context& context) : context_(solver::Copy(context)) {}

void Positions::Let(const ir::Value& value, const Expr& element) {
  let_.insert_or_assign(value.id(), element);
  data_.insert_or_assign(value.id(), false);
}

bool Positions::IsData(const ir::Value& value) {
  if (value.elements() != nullptr || value.constant() != nullptr || let_.contains(value.id()))
    return false;
  const ir::Operation* const producer = value.producer();
  if (producer == nullptr || producer->info().effect) return true;
  const auto known = data_.find(value.id());
  if (known != data_.end()) return known->second;
  // Long chains: those before it first, without recursion.
  std::vector<const ir::Value*> pending = {&value};
  while (!pending.empty()) {
    const ir::Value& last = *pending.back();
    bool ready = true, data = false;
    const ir::Operation* const op = last.producer();
    for (size_t i = 0; op != nullptr && i < op->operands().size(); ++i) {
      const ir::Value* const operand = op->operand(i);
      const ir::OperandSpec* const spec = ir::OperandSpecAt(op->info(), i);
      if (operand == nullptr || spec == nullptr || !spec->data || operand->elements() != nullptr ||
          operand->constant() != nullptr)
        continue;
      const auto found = data_.find(operand->id());
      if (found != data_.end()) {
        data = data || found->second;
      } else {
        pending.push_back(operand);
        ready = false;
      }
    }
    if (!ready) continue;
    data_[last.id()] = data || op == nullptr || op->info().effect;
    pending.pop_back();
  }
  return data_[value.id()];
}

const Positions::Frame& Positions::FrameOf(const ir::Operation& operation) {
  const auto [it, fresh] = frames_.try_emplace(operation.id());
  Frame& frame = it->second;
  if (!fresh) return frame;
  frame.operation = &operation;
  frame.computation = MovedComputation(operation, *context_);
  return frame;
}

// Of elements that are listed.
std::optional<Expr> Positions::Known(const ir::Value& value, const std::vector<Expr>& index) {
  std::vector<int64_t> shape;
  Expr offset = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    const std::optional<int64_t> size = value.type().dims[d].Constant();
    if (!size) return std::nullopt;
    shape.push_back(*size);
    offset = offset * *size + index[d];
  }
  if (offset.IsInvalid()) return std::nullopt;
  const ir::Tensor* const tensor = value.constant();
  if (tensor != nullptr && ir::IsInteger(tensor->dtype()) && tensor->dtype() != ir::DType::kU64 &&
      tensor->size() <= kMostElements) {
    if (const std::optional<int64_t> at = offset.Constant(); at && *at >= 0 && *at < tensor->size())
      return Expr(tensor->AsInt(*at));
    const auto affine = Affine(
        shape, tensor->size(), [&](int64_t i) { return tensor->AsInt(i); }, index);
    if (affine) return affine;
  }
  if (value.elements() == nullptr) return std::nullopt;
  const std::vector<Expr>& elements = *value.elements();
  if (const std::optional<int64_t> at = offset.Constant()) {
    // Nothing reads there: this is the branch that is not taken.
    if (*at < 0 || *at >= static_cast<int64_t>(elements.size())) return Expr(0);
    return solver::Transfer(*context_, elements[static_cast<size_t>(*at)]);
  }
  if (elements.empty() || elements.size() > kMostChoices) return std::nullopt;
  Expr chosen = solver::Transfer(*context_, elements.back());
  for (size_t i = elements.size() - 1; i-- > 0;)
    chosen = solver::Ite(solver::Eq(offset, static_cast<int64_t>(i)),
                         solver::Transfer(*context_, elements[i]), chosen);
  return chosen;
}

std::optional<Expr> Positions::At(const ir::Value& value, const std::vector<Expr>& index) {
  if (++steps_ > kMostSteps || depth_ >= kDeepest || index.size() != value.type().dims.size())
    return std::nullopt;
  if (const auto let = let_.find(value.id()); let != let_.end()) return let->second;
  if (value.elements() != nullptr || value.constant() != nullptr) return Known(value, index);
  if (!ir::IsInteger(value.type().dtype) && value.type().dtype != ir::DType::kBool)
    return std::nullopt;
  if (IsData(value)) return std::nullopt;
  if (const auto before = BeforeReshape(value, index)) {
    ++depth_;
    std::optional<Expr> element = At(*value.producer()->operand(0), *before);
    --depth_;
    return element;
  }
  const Frame& frame = FrameOf(*value.producer());
  if (!frame.computation) return std::nullopt;
  ++depth_;
  std::optional<Expr> element = Written(frame, {TensorId::kResult, value.result_index()}, index);
  --depth_;
  if (!element || element->IsInvalid()) return std::nullopt;
  // What wraps does not follow.
  if (!Holds(*context_, ir::Fits(*element, value.type().dtype))) return std::nullopt;
  return element;
}

// The nests that write a tensor tile it (bounds.h), so that the last one writes what no other does.
std::optional<Expr> Positions::Written(const Frame& frame, TensorId id,
                                       const std::vector<Expr>& index) {
  const std::vector<Expr>& dims = frame.computation->At(id).dims;
  std::vector<const Nest*> writers;
  for (const Nest& nest : frame.computation->nests) {
    if (nest.target == id) writers.push_back(&nest);
  }
  std::vector<std::pair<Expr, Expr>> parts;  // where, what
  for (const Nest* nest : writers) {
    if (nest->order.along >= 0 || nest->axes.size() != index.size()) return std::nullopt;
    Names names;
    Expr here = 1;
    for (size_t d = 0; d < index.size(); ++d) {
      const Axis& axis = nest->axes[d];
      const Expr begin = nest->at[d] - axis.symbol;
      // Sizes alone, but for what follows an axis in another way.
      for (const std::string& name : solver::SymbolsOf(begin)) {
        if (name.back() == '\'') return std::nullopt;
      }
      const Expr at = index[d] - begin;
      names[std::string(solver::View(axis.symbol).symbol())] = at;
      if (axis.extent != dims[d])
        here = solver::And(here, solver::And(solver::Ge(at, 0), solver::Lt(at, axis.extent)));
    }
    if (here == Expr(0)) continue;
    std::optional<Expr> element = Evaluate(frame, nest->body, names);
    if (!element) return std::nullopt;
    parts.emplace_back(nest == writers.back() ? Expr(1) : here, *std::move(element));
    if (parts.back().first == Expr(1)) break;
  }
  if (parts.empty()) return std::nullopt;
  Expr result = parts.back().second;
  for (size_t i = parts.size() - 1; i-- > 0;)
    result = solver::Ite(parts[i].first, parts[i].second, result);
  return result;
}

std::optional<Expr> Positions::Evaluate(const Frame& frame, const Scalar& scalar,
                                        const Names& names) {
  if (++steps_ > kMostSteps) return std::nullopt;
  const ScalarNode& node = *scalar;
  switch (node.kind) {
    case ScalarNode::kLiteral:
      if (IsFloat(node.literal.number) || node.literal.number == Number::kU64) return std::nullopt;
      return Expr(node.literal.i);
    case ScalarNode::kIndex:
      return solver::Substitute(node.index, names);
    case ScalarNode::kRead:
      return Read(frame, scalar, names);
    case ScalarNode::kChoose: {
      const Expr condition = solver::Substitute(node.index, names);
      if (condition.IsConstant())
        return Evaluate(frame, node.args[*condition.Constant() != 0 ? 0 : 1], names);
      const std::optional<Expr> a = Evaluate(frame, node.args[0], names);
      const std::optional<Expr> b = Evaluate(frame, node.args[1], names);
      if (!a || !b) return std::nullopt;
      return solver::Ite(condition, *a, *b);
    }
    case ScalarNode::kCast:
    case ScalarNode::kWithin:
      if (IsFloat(node.number) || node.number == Number::kU64) return std::nullopt;
      return Evaluate(frame, node.args[0], names);
    case ScalarNode::kCall:
      return Call(frame, scalar, names);
    case ScalarNode::kReduce:
      break;
  }
  return std::nullopt;
}

std::optional<Expr> Positions::Read(const Frame& frame, const Scalar& scalar, const Names& names) {
  const TensorInfo& tensor = frame.computation->At(scalar->tensor);
  std::vector<Expr> index;
  Expr inside = 1;
  for (size_t d = 0; d < scalar->at.size(); ++d) {
    const Index& at = scalar->at[d];
    std::optional<Expr> e =
        at.data.IsNone() ? solver::Substitute(at.expr, names) : Evaluate(frame, at.data, names);
    if (!e || e->IsInvalid()) return std::nullopt;
    if (!scalar->args.empty())
      inside = solver::And(inside, solver::And(solver::Ge(*e, 0), solver::Lt(*e, tensor.dims[d])));
    index.push_back(*std::move(e));
  }
  if (inside == Expr(0)) return Evaluate(frame, scalar->args[0], names);
  std::optional<Expr> read;
  if (scalar->tensor.kind == TensorId::kOperand) {
    const ir::Value* const operand =
        frame.operation->operand(static_cast<size_t>(scalar->tensor.index));
    if (operand != nullptr) read = At(*operand, index);
  } else {
    read = Written(frame, scalar->tensor, index);
  }
  if (!read || inside == Expr(1)) return read;
  const std::optional<Expr> otherwise = Evaluate(frame, scalar->args[0], names);
  if (!otherwise) return std::nullopt;
  return solver::Ite(inside, *read, *otherwise);
}

std::optional<Expr> Positions::Call(const Frame& frame, const Scalar& scalar, const Names& names) {
  std::vector<Expr> args;
  for (const Scalar& arg : scalar->args) {
    std::optional<Expr> e = Evaluate(frame, arg, names);
    if (!e || e->IsInvalid()) return std::nullopt;
    args.push_back(*std::move(e));
  }
  const bool divides = scalar->function == Function::kDiv || scalar->function == Function::kFmod ||
                       scalar->function == Function::kPyMod;
  if (divides && !IsPositive(args[1])) return std::nullopt;
  switch (scalar->function) {
    case Function::kAdd:
      return args[0] + args[1];
    case Function::kSub:
      return args[0] - args[1];
    case Function::kMul:
      return args[0] * args[1];
    case Function::kDiv:
      return solver::TruncDiv(args[0], args[1]);
    case Function::kFmod:
      return args[0] - args[1] * solver::TruncDiv(args[0], args[1]);
    case Function::kPyMod:
      return solver::Mod(args[0], args[1]);
    case Function::kMin:
      return solver::Min(args[0], args[1]);
    case Function::kMax:
      return solver::Max(args[0], args[1]);
    case Function::kNeg:
      return -args[0];
    case Function::kAbs:
      return solver::Abs(args[0]);
    case Function::kEq:
      return solver::Eq(args[0], args[1]);
    case Function::kNe:
      return solver::Ne(args[0], args[1]);
    case Function::kLt:
      return solver::Lt(args[0], args[1]);
    case Function::kLe:
      return solver::Le(args[0], args[1]);
    case Function::kGt:
      return solver::Gt(args[0], args[1]);
    case Function::kGe:
      return solver::Ge(args[0], args[1]);
    case Function::kAnd:
      return solver::And(args[0], args[1]);
    case Function::kOr:
      return solver::Or(args[0], args[1]);
    case Function::kNot:
      return solver::Not(args[0]);
    case Function::kSelect:
      return solver::Ite(args[0], args[1], args[2]);
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::nests
