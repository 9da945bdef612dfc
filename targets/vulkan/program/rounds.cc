#include "targets/vulkan/program/rounds.h"

namespace tessera::vulkan {

using nests::Function;
using nests::Number;

int64_t RoundsOf(Function function, Number number) {
  switch (function) {
    case Function::kPow:
      // The bits of an exponent: one of floats that is whole has 64 as its greatest there.
      return number == Number::kF32 ? 7 : number == Number::kI64 ? 63 : 0;
    case Function::kFmod:
    case Function::kPyMod:
      // The difference of two exponents, in floats by eight, in doubles by eleven.
      return number == Number::kF32 ? 32 : number == Number::kF64 ? 187 : 0;
    default:
      return 0;
  }
}

int64_t RoundsOfCalls(const nests::Scalar& scalar) {
  int64_t rounds = scalar->kind == nests::ScalarNode::kCall
                       ? RoundsOf(scalar->function, scalar->args[0]->number)
                       : 0;
  for (const nests::Index& index : scalar->at) {
    if (!index.data.IsNone()) rounds += RoundsOfCalls(index.data);
  }
  for (const nests::Scalar& arg : scalar->args) rounds += RoundsOfCalls(arg);
  return rounds;
}

}  // namespace tessera::vulkan
