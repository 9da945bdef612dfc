#include "targets/vulkan/runtime/expressions.h"

#include <algorithm>

namespace tessera::vulkan {
namespace {

using Number = std::optional<int64_t>;
using Numbers = std::vector<Number>;

// How many arguments an operation takes: at least, at most.
struct Arity {
  size_t least, most;
};
constexpr size_t kAny = 1u << 20;

std::optional<Arity> ArityOf(file::Operation operation) {
  switch (operation) {
    case file::Operation_CONSTANT:
    case file::Operation_SYMBOL:
    case file::Operation_AXIS:
      return Arity{0, 0};
    case file::Operation_SUM:
    case file::Operation_PRODUCT:
    case file::Operation_AND:
      return Arity{0, kAny};
    case file::Operation_LEAST:
      return Arity{1, kAny};
    case file::Operation_FLOOR_DIV:
      return Arity{2, 2};
    case file::Operation_IF:
      return Arity{3, 3};
    case file::Operation_EQ_ZERO:
    case file::Operation_GE_ZERO:
      return Arity{1, 1};
  }
  return std::nullopt;
}

Number Sum(const file::Expression& e, const Numbers& values) {
  int64_t sum = e.constant(), term = 0;
  for (size_t i = 0; e.arguments() != nullptr && i < e.arguments()->size(); ++i) {
    const Number& value = values[e.arguments()->Get(static_cast<uint32_t>(i))];
    if (!value ||
        __builtin_mul_overflow(e.coefficients()->Get(static_cast<uint32_t>(i)), *value, &term) ||
        __builtin_add_overflow(sum, term, &sum))
      return std::nullopt;
  }
  return sum;
}

Number Apply(file::Operation operation, const Numbers& args) {
  if (operation == file::Operation_IF) {
    if (!args[0]) return std::nullopt;
    return args[*args[0] != 0 ? 1 : 2];
  }
  if (std::any_of(args.begin(), args.end(), [](const Number& n) { return !n.has_value(); }))
    return std::nullopt;
  switch (operation) {
    case file::Operation_PRODUCT: {
      int64_t product = 1;
      for (const Number& n : args) {
        if (__builtin_mul_overflow(product, *n, &product)) return std::nullopt;
      }
      return product;
    }
    case file::Operation_FLOOR_DIV: {
      if (*args[1] <= 0) return std::nullopt;
      const int64_t quotient = *args[0] / *args[1];
      return *args[0] % *args[1] < 0 ? quotient - 1 : quotient;
    }
    case file::Operation_LEAST:
      return *std::min_element(args.begin(), args.end());
    case file::Operation_EQ_ZERO:
      return *args[0] == 0 ? 1 : 0;
    case file::Operation_GE_ZERO:
      return *args[0] >= 0 ? 1 : 0;
    case file::Operation_AND:
      return std::all_of(args.begin(), args.end(), [](const Number& n) { return *n != 0; }) ? 1 : 0;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool AreWellFormed(const Expressions& expressions, size_t symbols, size_t axes) {
  for (uint32_t i = 0; i < expressions.size(); ++i) {
    const file::Expression& e = *expressions.Get(i);
    const std::optional<Arity> arity = ArityOf(e.operation());
    const size_t count = e.arguments() == nullptr ? 0 : e.arguments()->size();
    if (!arity || count < arity->least || count > arity->most) return false;
    for (uint32_t k = 0; k < count; ++k) {
      if (e.arguments()->Get(k) >= i) return false;
    }
    if (e.operation() == file::Operation_SUM &&
        (e.coefficients() == nullptr ? 0 : e.coefficients()->size()) != count)
      return false;
    const bool symbol = e.operation() == file::Operation_SYMBOL;
    if ((symbol || e.operation() == file::Operation_AXIS) &&
        (e.constant() < 0 || static_cast<uint64_t>(e.constant()) >= (symbol ? symbols : axes)))
      return false;
  }
  return true;
}

std::vector<std::optional<int64_t>> Evaluate(const Expressions& expressions,
                                             std::span<const int64_t> symbols) {
  Numbers values, args;
  values.reserve(expressions.size());
  for (const file::Expression* e : expressions) {
    switch (e->operation()) {
      case file::Operation_CONSTANT:
        values.push_back(e->constant());
        break;
      case file::Operation_SYMBOL:
        values.push_back(symbols[static_cast<size_t>(e->constant())]);
        break;
      case file::Operation_SUM:
        values.push_back(Sum(*e, values));
        break;
      case file::Operation_AXIS:
        values.emplace_back();
        break;
      default:
        args.clear();
        for (uint32_t k = 0; e->arguments() != nullptr && k < e->arguments()->size(); ++k)
          args.push_back(values[e->arguments()->Get(k)]);
        values.push_back(Apply(e->operation(), args));
        break;
    }
  }
  return values;
}

}  // namespace tessera::vulkan
