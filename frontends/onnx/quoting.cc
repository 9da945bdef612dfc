#include "frontends/onnx/quoting.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tessera::onnx_import {
namespace {

constexpr size_t kLongestQuoted = 120;
constexpr size_t kLongestCompared = 64;

bool IsPlain(absl::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '`'; });
}

// Insertions, deletions, replacements and swaps of neighbours, each counted once.
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> before_last, last, row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last = std::move(last);
    last = std::move(row);
    row.assign(b.size() + 1, i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, row[j - 1] + 1, last[j] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

std::string Quoted(absl::string_view name) {
  const bool cut = name.size() > kLongestQuoted;
  if (cut) {
    name = name.substr(0, kLongestQuoted);
    // Not in the middle of a UTF-8 sequence.
    while (!name.empty() && (name.back() & 0xc0) == 0x80) name.remove_suffix(1);
    if (!name.empty() && (name.back() & 0x80) != 0) name.remove_suffix(1);
  }
  const std::string escaped = IsPlain(name)
                                  ? std::string(name)
                                  : absl::StrReplaceAll(absl::CHexEscape(name), {{"`", "\\x60"}});
  return absl::StrCat("`", escaped, cut ? "..." : "", "`");
}

std::string QuotedList(absl::Span<const std::string> names, size_t at_most) {
  std::string out;
  for (size_t i = 0; i < names.size() && i < at_most; ++i) {
    absl::StrAppend(&out, i > 0 ? ", " : "", Quoted(names[i]));
  }
  if (names.size() > at_most) absl::StrAppend(&out, " and ", names.size() - at_most, " more");
  return out;
}

std::vector<std::string> NearestNames(absl::string_view name,
                                      absl::Span<const std::string> candidates) {
  const std::string wanted = absl::AsciiStrToLower(name.substr(0, kLongestCompared));
  const size_t limit = std::max<size_t>(1, wanted.size() / 3);
  std::vector<std::pair<size_t, std::string>> found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestCompared || candidate == name) continue;
    const size_t longer = std::max(candidate.size(), wanted.size());
    const size_t shorter = std::min(candidate.size(), wanted.size());
    if (longer - shorter > limit) continue;
    const size_t distance = EditDistance(wanted, absl::AsciiStrToLower(candidate));
    if (distance <= limit && distance < shorter) found.emplace_back(distance, candidate);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() > 3) found.resize(3);
  std::vector<std::string> names;
  for (auto& [distance, candidate] : found) names.push_back(std::move(candidate));
  return names;
}

std::string NearestClause(absl::string_view name, absl::Span<const std::string> candidates) {
  const std::vector<std::string> names = NearestNames(name, candidates);
  if (names.empty()) return "";
  return absl::StrCat(names.size() == 1 ? "; nearest is " : "; nearest are ", QuotedList(names));
}

}  // namespace tessera::onnx_import
