// Element functions of ScalarText.
#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/scalar_text.h"
#include "targets/vulkan/kernels/types.h"
#include "targets/vulkan/program/rounds.h"

namespace tessera::vulkan {

using nests::Function;
using nests::Number;
using nests::Scalar;
using nests::ScalarNode;

namespace {

// The prefix of our own functions over a type.
std::string_view FamilyOf(Number number) {
  switch (number) {
    case Number::kF32:
      return "Float";
    case Number::kF64:
      return "Double";
    case Number::kU64:
      return "Uint";
    default:
      return "Int";
  }
}

// An infix operator, if it is one.
std::string_view OperatorOf(Function function, Number number) {
  switch (function) {
    case Function::kAdd:
      return "+";
    case Function::kSub:
      return "-";
    case Function::kMul:
      return "*";
    case Function::kDiv:
      return nests::IsFloat(number) ? "/" : "";
    case Function::kBitAnd:
      return "&";
    case Function::kBitOr:
      return "|";
    case Function::kBitXor:
      return "^";
    case Function::kEq:
      return "==";
    case Function::kNe:
      return "!=";
    case Function::kLt:
      return "<";
    case Function::kLe:
      return "<=";
    case Function::kGt:
      return ">";
    case Function::kGe:
      return ">=";
    case Function::kAnd:
      return "&&";
    case Function::kOr:
      return "||";
    default:
      return "";
  }
}

// What GLSL calls a function of one float; `!` marks those that it has for doubles too.
std::string_view BuiltinOf(Function function) {
  switch (function) {
    case Function::kAbs:
      return "!abs";
    case Function::kFloor:
      return "!floor";
    case Function::kCeil:
      return "!ceil";
    case Function::kRound:
      return "!roundEven";
    case Function::kTrunc:
      return "!trunc";
    case Function::kSqrt:
      return "!sqrt";
    case Function::kExp:
      return "exp";
    case Function::kLog:
      return "FloatLog";
    case Function::kSin:
      return "FloatSin";
    case Function::kCos:
      return "FloatCos";
    case Function::kTan:
      return "FloatTan";
    case Function::kAsin:
      return "FloatAsin";
    case Function::kAcos:
      return "FloatAcos";
    case Function::kAtan:
      return "FloatAtan";
    case Function::kSinh:
      return "FloatSinh";
    case Function::kCosh:
      return "FloatCosh";
    case Function::kTanh:
      return "FloatTanh";
    case Function::kAsinh:
      return "FloatAsinh";
    case Function::kAcosh:
      return "FloatAcosh";
    case Function::kAtanh:
      return "FloatAtanh";
    case Function::kErf:
      return "FloatErf";
    case Function::kSign:
      return "FloatSign";
    default:
      return "";
  }
}

}  // namespace

std::string ScalarText::CallText(const ScalarNode& node, const std::vector<std::string>& args) {
  const Function function = node.function;
  const Number number = node.args[function == Function::kSelect ? 1 : 0]->number;
  const auto call = [&](std::string_view name) {
    return args.size() == 1 ? absl::StrCat(std::string(name), "(", args[0], ")")
                            : absl::StrCat(std::string(name), "(", args[0], ", ", args[1], ")");
  };
  const auto own = [&](std::string_view name) {
    return call(absl::StrCat(std::string(FamilyOf(number)), std::string(name)));
  };
  const auto refuse = [&] {
    return Fail(absl::StrCat("no kernel computes `", std::string(nests::NameOf(function)), "` of ",
                             std::string(nests::NameOf(number))));
  };
  if (function == Function::kSelect) return absl::StrCat(args[0], " ? ", args[1], " : ", args[2]);
  if (function == Function::kNot) return absl::StrCat("!", args[0]);
  const bool truth = number == Number::kBool;
  const bool compares = function >= Function::kEq && function <= Function::kGe;
  if (truth && (function == Function::kMin || function == Function::kMul))
    return absl::StrCat(args[0], " && ", args[1]);
  if (truth && (function == Function::kMax || function == Function::kAdd))
    return absl::StrCat(args[0], " || ", args[1]);
  if (truth && compares && function != Function::kEq && function != Function::kNe)
    return absl::StrCat("int(", args[0], ") ", std::string(OperatorOf(function, number)), " int(",
                        args[1], ")");
  const bool logic = function == Function::kAnd || function == Function::kOr;
  if (truth && !compares && !logic) return refuse();
  if (const std::string_view op = OperatorOf(function, number); !op.empty())
    return absl::StrCat(args[0], " ", std::string(op), " ", args[1]);
  const bool floats = nests::IsFloat(number);
  if (const int64_t rounds = RoundsOf(function, number); rounds > 0) code_.Count(rounds);
  switch (function) {
    case Function::kNeg:
      return absl::StrCat("-", args[0]);
    case Function::kBitNot:
      return absl::StrCat("~", args[0]);
    case Function::kIsNan:
      return floats ? call("isnan") : "false";
    case Function::kIsInf:
      return floats ? call("isinf") : "false";
    case Function::kIsPosInf:
      return floats ? absl::StrCat("isinf(", args[0], ") && ", args[0], " > 0") : "false";
    case Function::kIsNegInf:
      return floats ? absl::StrCat("isinf(", args[0], ") && ", args[0], " < 0") : "false";
    case Function::kMin:
      return floats ? own("Least") : call("min");
    case Function::kMax:
      return floats ? own("Greatest") : call("max");
    case Function::kDiv:
      return own("Quotient");
    case Function::kPow:
      return number == Number::kF32 || number == Number::kI64 ? own("Power") : refuse();
    case Function::kFmod:
      return own("Remainder");
    case Function::kPyMod:
      return number == Number::kU64 ? own("Remainder") : own("Modulo");
    case Function::kShl:
      return own("Shl");
    case Function::kShr:
      return own("Shr");
    default:
      break;
  }
  const std::string_view builtin = BuiltinOf(function);
  if (builtin.empty()) return refuse();
  const bool wide = builtin[0] == '!';
  if (number == Number::kF32) return call(builtin.substr(wide ? 1 : 0));
  if (number == Number::kF64 && function == Function::kRound) return call("DoubleRound");
  if (number == Number::kF64 && function == Function::kExp) return call("DoubleExp");
  if (number == Number::kF64 && function == Function::kLog) return call("DoubleLog");
  if (number == Number::kF64) return wide ? call(builtin.substr(1)) : refuse();
  // Of integers: identities, and few others.
  if (function == Function::kAbs) return number == Number::kU64 ? args[0] : call("abs");
  if (function == Function::kSign && number == Number::kI64) return call("sign");
  if (function >= Function::kFloor && function <= Function::kTrunc) return args[0];
  return refuse();
}

}  // namespace tessera::vulkan
