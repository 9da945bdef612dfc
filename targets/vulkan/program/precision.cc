#include "targets/vulkan/program/precision.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::vulkan {
namespace {

using nests::Function;
using nests::Number;
using nests::Scalar;
using nests::ScalarNode;

bool IsArithmetic(Function function) {
  return function <= Function::kPow || (function >= Function::kNeg && function <= Function::kErf) ||
         function == Function::kSelect;
}

using IsSmall = std::function<bool(nests::TensorId)>;

// An f64 scalar as an f32 one, if all that goes in is.
std::optional<Scalar> Single(const Scalar& scalar, const IsSmall& is_small) {
  const ScalarNode& node = *scalar;
  if (node.number != Number::kF64) return std::nullopt;
  std::vector<Scalar> args;
  const auto take = [&](size_t from) {
    for (size_t i = from; i < node.args.size(); ++i) {
      std::optional<Scalar> arg = Single(node.args[i], is_small);
      if (!arg.has_value()) return false;
      args.push_back(*std::move(arg));
    }
    return true;
  };
  switch (node.kind) {
    case ScalarNode::kLiteral:
      return Scalar::Literal(nests::Value::OfFloat(Number::kF32, node.literal.f));
    case ScalarNode::kCast:
      if (node.args[0]->number == Number::kF32) return InSinglePrecision(node.args[0], is_small);
      return Scalar::Cast(Number::kF32, InSinglePrecision(node.args[0], is_small));
    case ScalarNode::kCall:
      if (!IsArithmetic(node.function)) return std::nullopt;
      if (node.function == Function::kSelect)
        args.push_back(InSinglePrecision(node.args[0], is_small));
      if (!take(node.function == Function::kSelect ? 1 : 0)) return std::nullopt;
      return Scalar::Call(node.function, Number::kF32, std::move(args));
    case ScalarNode::kChoose:
      if (!take(0)) return std::nullopt;
      return Scalar::Choose(node.index, args[0], args[1]);
    case ScalarNode::kReduce:
      if (!take(0)) return std::nullopt;
      return Scalar::Reduce(node.reduction, Number::kF32,
                            nests::Value::OfFloat(Number::kF32, node.literal.f), node.axes,
                            std::move(args));
    case ScalarNode::kRead: {
      if (!is_small || !is_small(node.tensor) || !take(0)) return std::nullopt;
      std::vector<nests::Index> at;
      for (const nests::Index& index : node.at)
        at.push_back(index.data.IsNone() ? index
                                         : nests::Index(InSinglePrecision(index.data, is_small)));
      return Scalar::Read(node.tensor, Number::kF32, std::move(at),
                          args.empty() ? Scalar() : args[0]);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

Scalar InSinglePrecision(const Scalar& scalar, const IsSmall& is_small) {
  const ScalarNode& node = *scalar;
  if (node.kind == ScalarNode::kCast && node.number == Number::kF32) {
    if (std::optional<Scalar> single = Single(node.args[0], is_small)) return *std::move(single);
  }
  std::vector<Scalar> args;
  for (const Scalar& arg : node.args) args.push_back(InSinglePrecision(arg, is_small));
  switch (node.kind) {
    case ScalarNode::kLiteral:
    case ScalarNode::kIndex:
      return scalar;
    case ScalarNode::kRead: {
      std::vector<nests::Index> at;
      for (const nests::Index& index : node.at) {
        if (index.data.IsNone())
          at.push_back(index);
        else
          at.emplace_back(InSinglePrecision(index.data, is_small));
      }
      return Scalar::Read(node.tensor, node.number, std::move(at),
                          args.empty() ? Scalar() : args[0]);
    }
    case ScalarNode::kReduce:
      return Scalar::Reduce(node.reduction, node.number, node.literal, node.axes, std::move(args));
    case ScalarNode::kCall:
      return Scalar::Call(node.function, node.number, std::move(args));
    case ScalarNode::kChoose:
      return Scalar::Choose(node.index, args[0], args[1]);
    case ScalarNode::kCast:
      return Scalar::Cast(node.number, args[0]);
    case ScalarNode::kWithin:
      return Scalar::Within(args[0], node.index);
  }
  return scalar;
}

}  // namespace tessera::vulkan
