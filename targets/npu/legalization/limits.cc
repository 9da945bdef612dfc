#include "targets/npu/legalization/limits.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tessera::npu {
namespace {

bool Admits(const Limit& limit, DataType type, int64_t value) {
  return value >= limit.least && value <= limit.most && value % limit.MultipleFor(type) == 0;
}

const Limit* Find(const Device& device, std::string_view layer, std::string_view place, char dim) {
  const Layer* found = device.Find(layer);
  const Place* at = found == nullptr ? nullptr : found->Find(place);
  return at == nullptr ? nullptr : at->Find(dim);
}

}  // namespace

Sizes::Sizes(const Device& device, std::string_view layer, const Widths& widths)
    : device_(device), layer_name_(layer), layer_(device.Find(layer)), widths_(widths) {
  if (layer_ == nullptr) {
    text_ = absl::StrCat(device.name, " has no layer ", layer_name_);
    return;
  }
  for (const Rule& rule : layer_->rules) {
    const bool filters = rule.kind == Rule::kSameType && rule.place == "filters";
    same_type_ = same_type_ || (filters && rule.other == "input");
  }
}

void Sizes::Complain(std::string_view what, int64_t value, std::string_view id,
                     const std::string& limit) {
  absl::StrAppend(&text_, text_.empty() ? "" : "; ", std::string(what), " is ", value, "; ",
                  device_.name, " ", layer_name_, ".", std::string(id), ": ", limit);
}

Sizes& Sizes::Check(std::string_view place, char dim, int64_t value) {
  if (layer_ == nullptr) return *this;
  const std::string what = absl::StrCat(std::string(place), ".", std::string(1, dim));
  seen_.push_back({what, value});
  const Limit* limit = npu::Find(device_, layer_name_, place, dim);
  if (limit == nullptr || Admits(*limit, TypeOf(place), value)) return *this;
  Complain(what, value, what, limit->Text(TypeOf(place)));
  return *this;
}

DataType Sizes::TypeOf(std::string_view place) const {
  const bool weights = place == "filters" || place == "weights";
  return weights && !same_type_ ? widths_.weights : widths_.input;
}

bool Sizes::Holds(const Condition& condition) const {
  if (condition.dim == 0) {
    const DataType type = TypeOf(condition.place);
    return std::find(condition.types.begin(), condition.types.end(), type) != condition.types.end();
  }
  const std::string what = absl::StrCat(condition.place, ".", std::string(1, condition.dim));
  for (const auto& [place, value] : seen_) {
    if (place == what) return Admits(condition.limit, TypeOf(condition.place), value);
  }
  return false;
}

Sizes& Sizes::CheckRules(bool with_table) {
  if (layer_ == nullptr) return *this;
  for (const Rule& rule : layer_->rules) {
    if (rule.with_table && !with_table) continue;
    if (!std::all_of(rule.when.begin(), rule.when.end(),
                     [&](const Condition& condition) { return Holds(condition); }))
      continue;
    if (rule.kind == Rule::kSameType) {
      if (TypeOf(rule.place) != TypeOf(rule.other)) {
        absl::StrAppend(&text_, text_.empty() ? "" : "; ", rule.place, " and ", rule.other,
                        " are of different types; ", device_.name, " ", layer_name_, ".",
                        rule.name);
      }
      continue;
    }
    std::vector<std::pair<std::string, int64_t>> of_place;
    for (const auto& [what, value] : seen_) {
      if (what.starts_with(rule.place + ".")) of_place.push_back({what, value});
    }
    if (rule.kind == Rule::kSquare) {
      for (const auto& [what, value] : of_place) {
        if (value != of_place[0].second) Complain(what, value, rule.name, "square");
      }
      continue;
    }
    for (const auto& [what, value] : of_place) {
      if (what.back() == rule.dim && !Admits(rule.limit, TypeOf(rule.place), value))
        Complain(what, value, rule.name, rule.limit.Text(TypeOf(rule.place)));
    }
  }
  return *this;
}

int64_t Most(const Device& device, std::string_view layer, std::string_view place, char dim) {
  const Limit* limit = Find(device, layer, place, dim);
  return limit == nullptr ? 0 : limit->most;
}

int64_t MultipleOf(const Device& device, std::string_view layer, std::string_view place, char dim,
                   DataType type) {
  const Limit* limit = Find(device, layer, place, dim);
  return limit == nullptr ? 1 : limit->MultipleFor(type);
}

}  // namespace tessera::npu
