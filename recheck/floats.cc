// Sizes that networks compute in floats or narrow integers, element by element.
#include <utility>

#include "absl/strings/str_cat.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {
namespace {

bool IsHalf(const Fraction& v) { return v.scale == 1 && v.divisor == 2 && !v.under && !v.rounded; }

}  // namespace

using codegen::RefStatement;

Value Interpreter::ReadThrough(const Tensor& tensor, size_t at) {
  const int bits = SignificandOf(tensor.dtype);
  if (at < tensor.through.size()) {
    // What came back to integers is a size like others.
    if (bits == 0) {
      if (const auto size = Fractions(terms_, needs_).Size(tensor.through[at]))
        return Value::Int(*size);
    }
    return Value::Through(tensor.through[at]);
  }
  if (bits != 0 && at < tensor.numbers.size()) {
    if (const auto number = Fractions(terms_, needs_).Number(tensor.numbers[at], bits))
      return Value::Through(*number);
  }
  return Unsupported("an element that is not listed");
}

std::optional<Value> Interpreter::FractionCall(const std::string& name,
                                               const std::vector<Value>& args) {
  Fractions fractions(terms_, needs_);
  const auto as_fraction = [&](const Value& value) -> std::optional<Fraction> {
    if (value.kind == Value::kFraction) return value.fraction;
    return value.kind == Value::kInt ? fractions.Integer(value.dim) : std::nullopt;
  };
  std::optional<Fraction> result;
  if (name == "cast" && args.size() == 2 && args[0].kind == Value::kDType) {
    const bool real = SignificandOf(args[0].text) != 0;
    if (args[1].kind != Value::kFraction && !real) return std::nullopt;
    if (const auto v = as_fraction(args[1])) result = fractions.Convert(*v, args[0].text);
    if (result && !real) {
      if (const auto size = fractions.Size(*result)) return Value::Int(*size);
    }
  } else if (args.size() == 1 && args[0].kind == Value::kFraction) {
    if (name == "floor" || name == "ceil" || name == "round" || name == "trunc")
      result = fractions.Whole(name, args[0].fraction);
    if (name == "sqrt") result = RootOf(args[0].fraction);
  } else if (args.size() == 2 && (name == "min" || name == "max") &&
             (args[0].kind == Value::kFraction || args[1].kind == Value::kFraction)) {
    const auto a = as_fraction(args[0]), b = as_fraction(args[1]);
    if (a && b) result = fractions.Extreme(name, *a, *b);
    if (result && result->bits == 0) {
      if (const auto size = fractions.Size(*result)) return Value::Int(*size);
    }
  } else if (args.size() == 2 && name == "pow" && args[0].kind == Value::kFraction &&
             args[1].kind == Value::kFraction) {
    if (IsHalf(args[1].fraction)) {
      if (const auto root = RootOf(args[0].fraction)) return Value::Through(*root);
      return Unsupported("the root of a size that is no square");
    }
    const auto size = fractions.Size(args[1].fraction);
    const auto exponent = size ? terms_.Number(*size) : std::nullopt;
    if (exponent && *exponent >= 1 && *exponent <= 8) result = args[0].fraction;
    for (int64_t i = 1; result && i < *exponent; ++i)
      result = fractions.Apply("*", *result, args[0].fraction);
  } else {
    return std::nullopt;
  }
  if (result) return Value::Through(*result);
  return Unsupported(absl::StrCat("`", name, "` of sizes in floats"));
}

std::optional<Fraction> Interpreter::RootOf(const Fraction& v) {
  const std::optional<Dim> root = session_.RootOf(v.base);
  return root ? Fractions(terms_, needs_).Root(v, *root) : std::nullopt;
}

std::optional<Fraction> Interpreter::DividedBySize(const Fraction& a, const Fraction& b) {
  constexpr int64_t kMostParts = 16;
  Fractions fractions(terms_, needs_);
  const auto sides = fractions.Sides(a, b);
  if (!sides) return std::nullopt;
  for (int64_t parts = 1; parts <= kMostParts; ++parts) {
    const Dim several = terms_.Make(Operator::kMultiply, sides->first, terms_.Integer(parts));
    if (const auto ratio = session_.QuotientOf(several, sides->second))
      return fractions.Divide(a, b, std::pair(parts, *ratio));
  }
  return fractions.Divide(a, b, std::nullopt);
}

Value Interpreter::FractionOf(const std::string& op, const Value& a, const Value& b) {
  if (a.kind == Value::kFraction && b.kind == Value::kFraction) {
    const bool by_size = op == "/" && !terms_.Number(b.fraction.base);
    const auto result = by_size ? DividedBySize(a.fraction, b.fraction)
                                : Fractions(terms_, needs_).Apply(op, a.fraction, b.fraction);
    if (result) return Value::Through(*result);
  }
  return Unsupported(absl::StrCat("`", op, "` of sizes in floats"));
}

Value Interpreter::CompareFractions(Operator op, const std::string& text, const Value& a,
                                    const Value& b) {
  Fractions fractions(terms_, needs_);
  const int bits = a.kind == Value::kFraction ? a.fraction.bits : b.fraction.bits;
  const auto as_fraction = [&](const Value& value) -> std::optional<Fraction> {
    if (value.kind == Value::kFraction) return value.fraction;
    if (value.kind == Value::kInt) return fractions.Integer(value.dim);
    return value.kind == Value::kFloat ? fractions.Number(value.number, bits) : std::nullopt;
  };
  const auto x = as_fraction(a), y = as_fraction(b);
  if (x && y) {
    if (const auto holds = fractions.Compare(op, *x, *y)) return Value::Int(*holds);
  }
  return Unsupported(absl::StrCat("`", text, "` of sizes in floats"));
}

void Interpreter::Pass(const Op& op, const std::vector<Value>& operands, Tensor& listed) {
  int64_t count = 1;
  std::vector<int64_t> shape;
  for (const Dim dim : listed.dims) {
    const std::optional<int64_t> size = terms_.Number(dim);
    if (!size || *size < 0 || *size > kMaxTracked || (count *= *size) > kMaxTracked) return;
    shape.push_back(*size);
  }
  const RefStatement* ref = nullptr;
  for (const RefStatement& each : op.refs) {
    if (each.kind == RefStatement::kFast) continue;
    if (ref != nullptr || each.kind == RefStatement::kTemp || each.kind == RefStatement::kExtern)
      return;
    ref = &each;
  }
  if (ref == nullptr) return;
  const bool reading = std::exchange(reading_, true), data = std::exchange(data_, false);
  passing_ = true;
  needs_.clear();
  std::vector<Fraction> through;
  const std::vector<std::pair<TensorPtr, size_t>> joined =
      ref->kind == RefStatement::kEach ? Joined(*ref, operands, shape)
                                       : std::vector<std::pair<TensorPtr, size_t>>();
  if (ref->kind == RefStatement::kEach && joined.size() != static_cast<size_t>(count)) count = 0;
  for (int64_t n = 0; ok() && !data_ && n < count; ++n) {
    const auto entry = [&](const TensorPtr& part, size_t at) {
      if (!part->has_elements) return ReadThrough(*part, at);
      return at < part->elements.size() ? Value::Int(part->elements[at])
                                        : Unsupported("an element that is not listed");
    };
    const auto k = static_cast<size_t>(n);
    const Value element = joined.empty() ? ElementAt(*ref, PositionOf(n, shape))
                                         : entry(joined[k].first, joined[k].second);
    if (element.kind == Value::kFraction) {
      through.push_back(element.fraction);
    } else if (element.kind == Value::kInt && SignificandOf(listed.dtype) == 0) {
      through.push_back(Fraction{element.dim, 1, 1, 0, false});
    } else {
      Unsupported("an element of another kind");
    }
  }
  passing_ = false;
  reading_ = reading;
  const bool known = ok() && !data_ && !through.empty();
  unsupported_.clear();
  data_ = data;
  if (!known) return;
  listed.through = std::move(through);
  listed.needs = std::move(needs_);
  needs_.clear();
  for (const Value& operand : operands) {
    const TensorPtr tensor = AsTensor(operand);
    if (tensor != nullptr)
      listed.needs.insert(listed.needs.end(), tensor->needs.begin(), tensor->needs.end());
  }
  for (const Fraction& v : listed.through) {
    if (v.divisor != 1 || v.under || SignificandOf(listed.dtype) != 0) continue;
    if (const std::optional<Dim> fits = FitsIn(listed.dtype, v.base)) listed.needs.push_back(*fits);
  }
}

Value Interpreter::Sizes(const Value& value) {
  const TensorPtr tensor = AsTensor(value);
  const bool numbers =
      tensor != nullptr && tensor->has_numbers && SignificandOf(tensor->dtype) != 0;
  if (tensor == nullptr || tensor->has_elements || (tensor->through.empty() && !numbers))
    return Elements(value);
  std::vector<Value> items;
  for (size_t at = 0; numbers && at < tensor->numbers.size(); ++at) {
    const Value number = ReadThrough(*tensor, at);
    if (!ok()) return {};
    const std::optional<Dim> size = Fractions(terms_, needs_).Size(number.fraction);
    if (!size) return Unsupported("elements that are no whole numbers");
    items.push_back(Value::Int(*size));
  }
  for (const Fraction& v : tensor->through) {
    const std::optional<Dim> size = Fractions(terms_, needs_).Size(v);
    if (!size) return Unsupported("elements that are no whole numbers");
    items.push_back(Value::Int(*size));
  }
  session_.TakeExact(node_.name, tensor->needs);
  return Value::List(std::move(items));
}

}  // namespace tessera::recheck
