#include "codegen/source.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::codegen {
namespace {

size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// Where the line of `offset` begins.
size_t LineStart(const std::string& text, size_t offset) {
  return offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;
}

}  // namespace

Place OriginOf(Place place) {
  if (place.source == nullptr || place.source->parts.empty()) return place;
  const auto after = std::upper_bound(
      place.source->parts.begin(), place.source->parts.end(), place.offset,
      [](size_t offset, const Source::Part& part) { return offset < part.offset; });
  const Source::Part& part = after == place.source->parts.begin() ? *after : *(after - 1);
  return {part.origin.source, part.origin.offset + place.offset - part.offset};
}

int LineOf(Place place) {
  const Place origin = OriginOf(place);
  const std::string& text = origin.source->text;
  const size_t offset = std::min(origin.offset, text.size());
  return 1 + static_cast<int>(std::count(text.begin(),
                                         text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

int ColumnOf(Place place) {
  const Place origin = OriginOf(place);
  const size_t offset = std::min(origin.offset, origin.source->text.size());
  return 1 + static_cast<int>(offset - LineStart(origin.source->text, offset));
}

void Diagnostics::Error(Place place, absl::string_view message) {
  if (place.source == nullptr) {
    entries_.push_back({"", 0, absl::StrCat("error: ", message, "\n"), std::string(message)});
    return;
  }
  const Place origin = OriginOf(place);
  const std::string& text = origin.source->text;
  const size_t offset = std::min(origin.offset, text.size());
  const size_t line_start = LineStart(text, offset);
  const size_t line_end = std::min(text.find('\n', offset), text.size());
  std::string indent = text.substr(line_start, offset - line_start);
  for (char& c : indent) c = c == '\t' ? '\t' : ' ';
  std::string rendered =
      absl::StrCat(origin.source->path, ":", LineOf(origin), ":", ColumnOf(origin),
                   ": error: ", message, place.source->reader.empty() ? "" : " (",
                   place.source->reader, place.source->reader.empty() ? "" : ")", "\n  ",
                   text.substr(line_start, line_end - line_start), "\n  ", indent, "^\n");
  const bool known = std::any_of(entries_.begin(), entries_.end(),
                                 [&](const Entry& entry) { return entry.text == rendered; });
  if (!known)
    entries_.push_back({origin.source->path, offset, std::move(rendered), std::string(message)});
}

std::string Diagnostics::TakeFrom(size_t from) {
  if (from >= entries_.size()) return "";
  std::string first = std::move(entries_[from].message);
  entries_.resize(from);
  return first;
}

std::string Diagnostics::Render() const {
  std::vector<Entry> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.path, a.offset) < std::tie(b.path, b.offset);
  });
  std::string text;
  for (const Entry& entry : sorted) text += entry.text;
  return text;
}

std::string Suggestion(absl::string_view name, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  // A name of which nothing is left is not meant.
  size_t best_distance = std::min(std::max<size_t>(2, name.size() / 3) + 1, name.size());
  for (const std::string& candidate : known) {
    const size_t distance = EditDistance(name, candidate);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best != nullptr) return absl::StrCat(" (did you mean `", *best, "`?)");
  if (known.empty() || known.size() > 24) return "";
  return absl::StrCat(" (possible here: ", absl::StrJoin(known, ", "), ")");
}

}  // namespace tessera::codegen
