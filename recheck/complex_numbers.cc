// Complex numbers of an exported program, each of which is two tensors, as the clauses of
// definitions say: what makes parts of parts, is linear, or names both parts.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recheck/interpreter.h"
#include "recheck/program_reader.h"

namespace tessera::recheck {
namespace {

// No name of a program, which has no blanks.
std::string NameOf(size_t argument) { return absl::StrCat("argument ", argument); }

bool IsReal(const TensorPtr& tensor) {
  return tensor != nullptr && (absl::StartsWith(tensor->dtype, "f") || tensor->dtype == "bf16");
}

}  // namespace

bool ProgramReader::IsComplex(const ProgramItem& item) const {
  if (item.kind != ProgramItem::kName) return item.kind == ProgramItem::kComplex;
  const auto it = values_.find(item.text);
  return it != values_.end() && it->second.imaginary != nullptr;
}

bool ProgramReader::IsComplexResult(const ProgramCall& call, size_t result) const {
  if (result >= call.results.size()) return false;
  const auto it = program_.tensors.find(call.results[result]);
  return it != program_.tensors.end() && it->second.complex;
}

bool ProgramReader::SpeaksOfComplex(const ProgramCall& call) const {
  for (size_t i = 0; i < call.results.size(); ++i) {
    if (IsComplexResult(call, i)) return true;
  }
  for (const ProgramArgument& argument : call.arguments) {
    for (const ProgramItem& item : argument.items) {
      const auto it = program_.tensors.find(item.text);
      if (item.kind == ProgramItem::kComplex ||
          (item.kind == ProgramItem::kName && it != program_.tensors.end() && it->second.complex))
        return true;
    }
  }
  return false;
}

ProgramReader::Results ProgramReader::Derive(const ProgramCall& call, const Overload& overload,
                                             const std::vector<bool>& wanted) {
  if (overload.clause->complex) return DerivePairs(call, overload, wanted);
  bool complex = false;
  for (const ProgramArgument& argument : call.arguments) {
    for (const ProgramItem& item : argument.items) complex = complex || IsComplex(item);
  }
  if (complex && overload.clause->linear) return DeriveProducts(call, overload, wanted);
  if (complex && overload.clause->parts) return DeriveParts(call, overload, wanted);
  const auto tensors = Interpret(call, overload, wanted);
  if (!tensors) return std::nullopt;
  std::vector<Numbers> results;
  for (const TensorPtr& tensor : *tensors) results.push_back({tensor, nullptr});
  return results;
}

ProgramReader::Results ProgramReader::DeriveParts(const ProgramCall& call, const Overload& overload,
                                                  const std::vector<bool>& wanted) {
  for (const ProgramArgument& argument : call.arguments) {
    const auto is_complex = [&](const ProgramItem& item) { return IsComplex(item); };
    const auto is_real = [&](const ProgramItem& item) {
      return item.kind == ProgramItem::kName && !IsComplex(item) && IsReal(PartOf(item, false));
    };
    const std::vector<ProgramItem>& items = argument.items;
    const bool some = std::any_of(items.begin(), items.end(), is_complex);
    if (!std::any_of(items.begin(), items.end(), is_real) &&
        (!some || std::all_of(items.begin(), items.end(), is_complex)))
      continue;
    session_.Fail(absl::StrCat("`", call.name, "`: `", argument.name, "` is real beside complex"));
    return std::nullopt;
  }
  const auto real = Interpret(call, overload, wanted);
  if (!real) return std::nullopt;
  for (const ProgramArgument& argument : call.arguments) {
    for (const ProgramItem& item : argument.items) {
      if (IsComplex(item)) imaginary_.insert(&item);
    }
  }
  const auto imaginary = Interpret(call, overload, wanted);
  imaginary_.clear();
  if (!imaginary) return std::nullopt;
  std::vector<Numbers> results;
  for (size_t i = 0; i < real->size() && i < imaginary->size(); ++i)
    results.push_back({(*real)[i], IsComplexResult(call, i) ? (*imaginary)[i] : nullptr});
  return results;
}

ProgramReader::Results ProgramReader::DeriveProducts(const ProgramCall& call,
                                                     const Overload& overload,
                                                     const std::vector<bool>& wanted) {
  std::vector<const ProgramItem*> items;
  for (const ProgramArgument& argument : call.arguments) {
    for (const ProgramItem& item : argument.items) {
      if (IsComplex(item)) items.push_back(&item);
    }
  }
  std::vector<Numbers> results;
  // A bit for each of them says which part it is; i times i is -1.
  for (size_t parts = 0; parts < size_t{1} << items.size(); ++parts) {
    imaginary_.clear();
    for (size_t i = 0; i < items.size(); ++i) {
      if ((parts >> i & 1) == 1) imaginary_.insert(items[i]);
    }
    const size_t count = imaginary_.size();
    const auto terms = Interpret(call, overload, wanted);
    imaginary_.clear();
    if (!terms) return std::nullopt;
    results.resize(terms->size());
    for (size_t i = 0; i < terms->size(); ++i) {
      TensorPtr& sum = count % 2 == 0 ? results[i].tensor : results[i].imaginary;
      if (sum == nullptr) {
        sum = (*terms)[i];
        continue;
      }
      const char* const put_together = count % 4 < 2 ? "<complex>.add" : "<complex>.sub";
      const auto made =
          Converted(call.name, put_together, {{sum, nullptr}, {(*terms)[i], nullptr}}, 1);
      if (!made) return std::nullopt;
      sum = made->front();
    }
  }
  return results;
}

ProgramReader::Results ProgramReader::DerivePairs(const ProgramCall& call, const Overload& overload,
                                                  const std::vector<bool>& wanted) {
  std::vector<bool> parts;
  for (size_t i = 0; i < wanted.size(); ++i)
    parts.insert(parts.end(), IsComplexResult(call, i) ? 2 : 1, wanted[i]);
  const auto tensors = Interpret(call, overload, std::move(parts));
  if (!tensors) return std::nullopt;
  std::vector<Numbers> results;
  size_t next = 0;
  const auto take = [&] { return next < tensors->size() ? (*tensors)[next++] : nullptr; };
  for (size_t i = 0; i < call.results.size(); ++i) {
    TensorPtr real = take();
    results.push_back({std::move(real), IsComplexResult(call, i) ? take() : nullptr});
  }
  return results;
}

std::optional<std::vector<TensorPtr>> ProgramReader::Converted(
    const std::string& place, const std::string& overload, const std::vector<Numbers>& arguments,
    size_t results) {
  ProgramCall call;
  call.overload = overload;
  call.name = place;
  for (size_t i = 0; i < arguments.size(); ++i) {
    ProgramArgument argument;
    argument.name = i == 0 ? "self" : "other";
    argument.items.push_back({.kind = ProgramItem::kName, .text = NameOf(i)});
    call.arguments.push_back(std::move(argument));
    values_[NameOf(i)] = {.tensor = arguments[i].tensor, .imaginary = arguments[i].imaginary};
  }
  auto made = Interpret(call, FindOverload(overload, arguments[0].imaginary != nullptr),
                        std::vector<bool>(results, true));
  for (size_t i = 0; i < arguments.size(); ++i) values_.erase(NameOf(i));
  if (made && made->size() != results) made.reset();
  return made;
}

void ProgramReader::TakeParts(const ProgramInput& input, const std::string& place, Slot& slot) {
  const auto stated = program_.tensors.find(input.name);
  // Of what nothing reads there are no parts.
  if (stated == program_.tensors.end() || !stated->second.complex || slot.tensor == nullptr ||
      !session_.HasNext(place))
    return;
  const auto made = Converted(place, "view_as_complex.default", {{slot.tensor, nullptr}}, 2);
  slot.tensor = made ? (*made)[0] : nullptr;
  slot.imaginary = made ? (*made)[1] : nullptr;
}

TensorPtr ProgramReader::Joined(const std::string& place, const Numbers& numbers) {
  const auto made = Converted(place, "view_as_real.default", {numbers}, 1);
  return made ? (*made)[0] : nullptr;
}

}  // namespace tessera::recheck
