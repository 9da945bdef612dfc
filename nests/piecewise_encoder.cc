#include "nests/piecewise_encoder.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace tessera::nests::internal {

z3::expr PiecewiseEncoder::Of(Terms::Element e) {
  const auto found = encoded_.find(e);
  if (found != encoded_.end()) return found->second;
  return encoded_.emplace(e, Encode(e)).first->second;
}

z3::sort PiecewiseEncoder::SortOf(Number number) {
  if (number == Number::kBool) return z3_.bool_sort();
  if (!IsFloat(number)) return z3_.int_sort();
  if (terms_.Reals(number)) return z3_.real_sort();
  return z3_.uninterpreted_sort(number == Number::kF32 ? "f32" : "f64");
}

z3::expr PiecewiseEncoder::Fresh(const z3::sort& sort) {
  return z3_.constant(absl::StrCat("c", fresh_++).c_str(), sort);
}

z3::expr PiecewiseEncoder::Power(size_t bits) {
  if (bits == 64) return z3_.int_val("18446744073709551616");
  return z3_.int_val(uint64_t{1} << bits);
}

z3::expr PiecewiseEncoder::Wrapped(const z3::expr& value, size_t bits, bool is_signed) {
  const z3::expr whole = Power(bits), turns = Fresh(z3_.int_sort());
  const z3::expr wrapped = Fresh(z3_.int_sort());
  solver_.add(wrapped == value - turns * whole);
  const z3::expr least = is_signed ? -Power(bits - 1) : z3_.int_val(0);
  solver_.add(least <= wrapped && wrapped < least + whole);
  return wrapped;
}

z3::expr PiecewiseEncoder::Literal(const Node& node) {
  const Value& value = node.literal;
  switch (value.number) {
    case Number::kBool:
      return z3_.bool_val(value.i != 0);
    case Number::kI64:
      return z3_.int_val(value.i);
    case Number::kU64:
      return z3_.int_val(value.u);
    default:
      break;
  }
  const auto rational = terms_.Reals(value.number) ? Rational::Of(value.f) : std::nullopt;
  // Nothing is known of an infinity, but that it is the same everywhere.
  return rational.has_value() ? Fraction(*rational) : Fresh(SortOf(value.number));
}

z3::expr PiecewiseEncoder::Encode(Terms::Element e) {
  const Node& node = terms_.At(e);
  switch (node.kind) {
    case Node::kLiteral:
      return Literal(node);
    case Node::kInput: {
      const z3::expr input = Fresh(SortOf(node.number));
      if (node.number == Number::kI64 || node.number == Number::kU64) {
        const bool is_signed = ir::Contains(ir::kSignedIntTypes, node.dtype);
        const size_t bits = node.dtype == ir::DType::kBool ? 1 : 8 * ir::SizeOf(node.dtype);
        const z3::expr least = is_signed ? -Power(bits - 1) : z3_.int_val(0);
        solver_.add(least <= input && input < least + Power(bits));
      }
      return input;
    }
    case Node::kReal:
      return Real(node.real);
    case Node::kWhole:
      return Whole(node);
    case Node::kApply:
      break;
  }
  return Applied(e);
}

z3::expr PiecewiseEncoder::Real(const Terms::Poly<Rational>& poly) {
  z3::expr sum = z3_.real_val(0);
  for (const auto& [monomial, coefficient] : poly) {
    z3::expr term = Fraction(coefficient);
    for (const auto& [atom, exponent] : monomial) {
      z3::expr factor = Of(atom);
      if (exponent < 0) {
        auto inverse = inverses_.find(atom);
        if (inverse == inverses_.end()) {
          inverse = inverses_.emplace(atom, Fresh(z3_.real_sort())).first;
          solver_.add(z3::implies(factor != 0, factor * inverse->second == 1));
        }
        factor = inverse->second;
      }
      for (int k = 0; k < std::abs(exponent); ++k) term = term * factor;
    }
    sum = sum + term;
  }
  return sum;
}

z3::expr PiecewiseEncoder::Whole(const Node& node) {
  z3::expr sum = z3_.int_val(0);
  for (const auto& [monomial, word] : node.whole) {
    z3::expr term = z3_.int_val(static_cast<int64_t>(word));
    for (const auto& [atom, exponent] : monomial) {
      for (int k = 0; k < exponent; ++k) term = term * Of(atom);
    }
    sum = sum + term;
  }
  if (node.number == Number::kI64 && terms_.RangeOf(node.whole).has_value()) return sum;
  return Wrapped(sum, 64, node.number == Number::kI64);
}

z3::expr PiecewiseEncoder::Truth(Terms::Element e) {
  const z3::expr value = Of(e);
  if (value.is_bool()) return value;
  if (value.is_arith()) return value != 0;
  // Of a float of which nothing is known: the same for the same one, and no more.
  return z3_.function("truth", value.get_sort(), z3_.bool_sort())(value);
}

z3::expr PiecewiseEncoder::Converted(const Node& node) {
  const Number from = terms_.At(node.args[0]).number;
  const z3::expr value = Of(node.args[0]);
  const z3::sort target = SortOf(node.number);
  if (value.is_bool() && (target.is_int() || target.is_real()))
    return z3::ite(value, target.is_int() ? z3_.int_val(1) : z3_.real_val(1),
                   target.is_int() ? z3_.int_val(0) : z3_.real_val(0));
  if (value.is_int() && target.is_real()) return z3::to_real(value);
  if (value.is_real() && target.is_int() && terms_.Reals(from) && node.number == Number::kI64) {
    const z3::expr limit = z3::to_real(Power(63));
    const z3::expr whole = z3::ite(value >= 0, z3::expr(z3_, Z3_mk_real2int(z3_, value)),
                                   -z3::expr(z3_, Z3_mk_real2int(z3_, -value)));
    return z3::ite(value >= limit, Power(63) - 1, z3::ite(value <= -limit, -Power(63), whole));
  }
  return Unknown(node);
}

z3::expr PiecewiseEncoder::Applied(Terms::Element e) {
  const Node& node = terms_.At(e);
  const auto arg = [&](size_t i) { return Of(node.args[i]); };
  switch (node.code) {
    case Terms::kConvert:
      return Converted(node);
    case Terms::kNarrow:
      if (IsFloat(node.number)) return Unknown(node);
      return Wrapped(arg(0), 8 * ir::SizeOf(node.dtype),
                     ir::Contains(ir::kSignedIntTypes, node.dtype));
    case Terms::kBelowZero:
      return arg(0) < 0;
    case Terms::kAtMostZero:
      return arg(0) <= 0;
    case Terms::kIsZero:
      return arg(0) == 0;
    case Terms::kOpaque:
      return Unknown(node);
    default:
      break;
  }
  const auto function = static_cast<Function>(node.code);
  const bool arith = arg(0).is_arith();
  switch (function) {
    case Function::kSelect:
      return z3::ite(Truth(node.args[0]), arg(1), arg(2));
    case Function::kAnd:
      return Truth(node.args[0]) && Truth(node.args[1]);
    case Function::kOr:
      return Truth(node.args[0]) || Truth(node.args[1]);
    case Function::kNot:
      return !Truth(node.args[0]);
    case Function::kEq:
      // Floats of an unknown sort: NaN is not equal to itself.
      return arith || arg(0).is_bool() ? arg(0) == arg(1) : Unknown(node);
    case Function::kLt:
      return arith ? arg(0) < arg(1) : Unknown(node);
    case Function::kLe:
      return arith ? arg(0) <= arg(1) : Unknown(node);
    case Function::kMin:
    case Function::kMax: {
      if (!arith) return Unknown(node);
      z3::expr extreme = arg(0);
      for (size_t i = 1; i < node.args.size(); ++i) {
        const z3::expr next = arg(i);
        extreme =
            z3::ite(function == Function::kMin ? next < extreme : next > extreme, next, extreme);
      }
      return extreme;
    }
    default:
      break;
  }
  return node.args.size() == 1 ? Unary(function, node, arg(0)) : Unknown(node);
}

z3::expr PiecewiseEncoder::Unary(Function function, const Node& node, const z3::expr& a) {
  const auto floor = [&](const z3::expr& v) {
    return z3::to_real(z3::expr(z3_, Z3_mk_real2int(z3_, v)));
  };
  const bool real = a.is_real();
  const bool narrow = a.is_int() && terms_.RangeOf(node.args[0]).has_value();
  switch (function) {
    case Function::kAbs:
      if (real || narrow) return z3::ite(a < 0, -a, a);
      break;
    case Function::kSign:
      if (real) return z3::ite(a < 0, z3_.real_val(-1), z3::ite(a > 0, z3_.real_val(1), a));
      if (a.is_int()) return z3::ite(a < 0, z3_.int_val(-1), z3::ite(a > 0, z3_.int_val(1), a));
      break;
    case Function::kFloor:
      if (real) return floor(a);
      break;
    case Function::kCeil:
      if (real) return -floor(-a);
      break;
    case Function::kTrunc:
      if (real) return z3::ite(a >= 0, floor(a), -floor(-a));
      break;
    default:
      break;
  }
  return Unknown(node);
}

z3::expr PiecewiseEncoder::Unknown(const Node& node) {
  z3::sort_vector sorts(z3_);
  z3::expr_vector args(z3_);
  std::string name = absl::StrCat(node.code, " ", static_cast<int>(node.number), " ",
                                  static_cast<int>(node.dtype), " ", node.name);
  for (const int arg : node.args) {
    args.push_back(Of(arg));
    sorts.push_back(args.back().get_sort());
    const Number kind = terms_.At(arg).number;
    // Of the reals there is one kind.
    absl::StrAppend(&name, " ", static_cast<int>(terms_.Reals(kind) ? Number::kF64 : kind));
  }
  const int number = functions_.emplace(name, static_cast<int>(functions_.size())).first->second;
  const z3::func_decl function =
      z3_.function(absl::StrCat("f", number).c_str(), sorts, SortOf(node.number));
  const z3::expr value = function(args);
  if (node.args.size() == 1 && value.is_real() && args[0].is_real())
    AssertKnown(node, args[0], value);
  return value;
}

void PiecewiseEncoder::AssertKnown(const Node& node, const z3::expr& argument,
                                   const z3::expr& value) {
  const auto at = [&](int x, int y) { solver_.add(z3::implies(argument == x, value == y)); };
  switch (static_cast<Function>(node.code)) {
    case Function::kExp:
      solver_.add(value > 0);
      return at(0, 1);
    case Function::kCos:
      return at(0, 1);
    case Function::kSqrt:
      solver_.add(value >= 0);
      if (terms_.ConstantOf(node.args[0]).has_value())
        solver_.add(z3::implies(argument >= 0, value * value == argument));
      return at(0, 0);
    case Function::kLog:
      return at(1, 0);
    case Function::kSin:
    case Function::kTanh:
    case Function::kErf:
      return at(0, 0);
    default:
      return;
  }
}

}  // namespace tessera::nests::internal
