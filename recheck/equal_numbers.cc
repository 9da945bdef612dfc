#include "recheck/equal_numbers.h"

#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tessera::recheck {
namespace {

// Beyond it a double stands for several integers, which floats may round apart.
constexpr double kMostExact = 9007199254740992.0;  // 2^53

void AppendFloat(double number, std::string& text) {
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  absl::StrAppend(&text, "f", absl::Hex(bits), ",");
}

// Empty: it is none, or not all of its elements are told.
std::string TextOfConstant(const Tensor& tensor) {
  if (tensor.held != Tensor::Held::kTensor || !tensor.unread.empty()) return "";
  if (!tensor.has_elements && !tensor.has_numbers) return "";
  std::string text = absl::StrCat(tensor.dtype, "[");
  for (const Dim dim : tensor.dims) absl::StrAppend(&text, dim, ",");
  absl::StrAppend(&text, "]", tensor.has_elements ? "elements " : "");
  if (tensor.has_elements) {
    for (const Dim element : tensor.elements) absl::StrAppend(&text, element, ",");
  }
  absl::StrAppend(&text, tensor.has_numbers ? "numbers " : "");
  if (tensor.has_numbers) {
    for (const double number : tensor.numbers) {
      if (!tensor.has_elements && !(std::fabs(number) < kMostExact)) return "";
      AppendFloat(number, text);
    }
  }
  return text;
}

}  // namespace

int64_t EqualNumbers::Of(const TensorPtr& tensor) {
  const auto [it, fresh] = of_tensor_.try_emplace(tensor, next_);
  if (!fresh) return it->second;
  if (const std::string text = TextOfConstant(*tensor); !text.empty())
    it->second = of_constant_.try_emplace(text, next_).first->second;
  if (it->second == next_) ++next_;
  return it->second;
}

void EqualNumbers::Give(const std::string& how, const std::vector<TensorPtr>& results) {
  std::vector<int64_t>& numbers = of_results_[how];
  while (numbers.size() < results.size()) numbers.push_back(next_++);
  for (size_t i = 0; i < results.size(); ++i) of_tensor_.insert_or_assign(results[i], numbers[i]);
}

bool AppendValue(const Value& value, std::string& how) {
  switch (value.kind) {
    case Value::kAbsent:
      how += "-,";
      return true;
    case Value::kInt:
      absl::StrAppend(&how, "i", value.dim, ",");
      return true;
    case Value::kFloat:
      AppendFloat(value.number, how);
      return true;
    case Value::kText:
    case Value::kDType:
      absl::StrAppend(&how, "t", value.text.size(), ":", value.text, ",");
      return true;
    case Value::kList:
      absl::StrAppend(&how, "l", value.items.size(), ":");
      for (const Value& item : value.items) {
        if (!AppendValue(item, how)) return false;
      }
      return true;
    default:
      return false;
  }
}

}  // namespace tessera::recheck
