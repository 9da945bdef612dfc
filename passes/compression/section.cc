#include "passes/compression/section.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "support/nearest.h"

namespace tessera::compression {
namespace {

std::optional<bool> FlagOf(std::string_view text) {
  for (const char* yes : {"true", "on", "yes"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"false", "off", "no"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<double> NumberOf(const std::string& text) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

absl::Status Section::Set(std::string_view name, Entry entry) {
  const std::string spelled(name);
  const auto fail = [&](std::string_view text) {
    return absl::InvalidArgumentError(
        absl::StrCat(entry.place, ": `", spelled, "` ", std::string(text)));
  };
  const auto key = std::find_if(keys_.begin(), keys_.end(),
                                [&](const Key& known) { return known.name == name; });
  if (key == keys_.end()) {
    std::vector<std::string> names;
    for (const Key& known : keys_) names.emplace_back(known.name);
    return absl::InvalidArgumentError(absl::StrCat(entry.place, ": unknown key `", spelled, "`",
                                                   support::DidYouMean(name, names)));
  }
  if (key->kind != Key::Kind::kNames && entry.texts.size() != 1) return fail("takes one value");
  if (key->kind == Key::Kind::kFlag && !FlagOf(entry.texts[0])) return fail("is `true` or `false`");
  if (key->kind == Key::Kind::kNumber || key->kind == Key::Kind::kCount) {
    const bool count = key->kind == Key::Kind::kCount;
    const std::optional<double> value = NumberOf(entry.texts[0]);
    if (!value || (count && *value != std::floor(*value)))
      return fail(
          absl::StrCat("is a ", count ? "whole " : "", "number, not `", entry.texts[0], "`"));
    if (key->low < key->high && (*value < key->low || *value > key->high))
      return fail(
          absl::StrCat("must lie within ", key->low, " and ", key->high, ", it is ", *value));
  }
  if (key->kind == Key::Kind::kText && !key->choices.empty()) {
    const std::vector<std::string> choices = absl::StrSplit(std::string(key->choices), '|');
    if (std::find(choices.begin(), choices.end(), entry.texts[0]) == choices.end())
      return fail(absl::StrCat("is one of `", absl::StrJoin(choices, "`, `"), "`, not `",
                               entry.texts[0], "`", support::DidYouMean(entry.texts[0], choices)));
  }
  if (!entries_.emplace(spelled, entry).second) return fail("is there twice");
  return absl::OkStatus();
}

const Key& Section::Known(std::string_view name) const {
  for (const Key& key : keys_) {
    if (key.name == name) return key;
  }
  std::cerr << "no key " << name << "\n";
  std::abort();
}

std::vector<std::string> Section::Texts() const {
  std::vector<std::string> texts;
  for (const auto& [key, entry] : entries_) {
    texts.push_back(absl::StrCat(key, "=", entry.texts.size()));
    texts.insert(texts.end(), entry.texts.begin(), entry.texts.end());
  }
  return texts;
}

void Section::Override(std::string_view key, std::vector<std::string> texts) {
  Entry& entry = entries_[std::string(key)];
  entry.texts = std::move(texts);
  if (entry.place.empty()) entry.place = place_;
}

bool Section::Knows(std::string_view key) const {
  return std::any_of(keys_.begin(), keys_.end(),
                     [&](const Key& known) { return known.name == key; });
}

bool Section::Has(std::string_view key) const { return entries_.find(key) != entries_.end(); }

std::string Section::Text(std::string_view key) const {
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? std::string(Known(key).default_text) : entry->second.texts[0];
}

bool Section::Flag(std::string_view key) const { return FlagOf(Text(key)).value_or(false); }

double Section::Number(std::string_view key) const { return NumberOf(Text(key)).value_or(0); }

std::vector<std::string> Section::Names(std::string_view key) const {
  const auto entry = entries_.find(key);
  if (entry != entries_.end()) return entry->second.texts;
  return absl::StrSplit(std::string(Known(key).default_text), ',', absl::SkipEmpty());
}

absl::Status Section::Error(std::string_view key, std::string_view text) const {
  const auto entry = entries_.find(key);
  return absl::InvalidArgumentError(
      absl::StrCat(entry == entries_.end() ? place_ : entry->second.place, ": `", std::string(key),
                   "` ", std::string(text)));
}

}  // namespace tessera::compression
