#include "targets/circle/runtimes/table.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::circle {
namespace {

constexpr int64_t kHighestRank = 16;

bool ParseRanks(absl::string_view text, std::set<int64_t>& ranks) {
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, '-');
    int64_t first = 0, last = 0;
    if (ends.size() > 2 || !absl::SimpleAtoi(ends.front(), &first) ||
        !absl::SimpleAtoi(ends.back(), &last) || first < 0 || last < first || last > kHighestRank)
      return false;
    for (int64_t rank = first; rank <= last; ++rank) ranks.insert(rank);
  }
  return true;
}

// The type that `runs` of a definition names.
absl::string_view MainType(absl::string_view types) {
  const std::vector<absl::string_view> sides = absl::StrSplit(types, '>');
  const absl::string_view result = *absl::StrSplit(sides.back(), ',').begin();
  return result == "bool" && !sides.front().empty() ? *absl::StrSplit(sides.front(), ',').begin()
                                                    : result;
}

bool Fits(const TableRow& row, const std::set<std::string>& forms) {
  if (row.form == kEveryForm) return true;
  const std::vector<std::string> parts = absl::StrSplit(row.form, ',');
  return std::all_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return forms.count(part) != 0; });
}

}  // namespace

std::string RanksText(const std::set<int64_t>& ranks) {
  std::vector<std::string> parts;
  for (auto first = ranks.begin(); first != ranks.end();) {
    auto last = first;
    while (std::next(last) != ranks.end() && *std::next(last) == *last + 1) ++last;
    parts.push_back(first == last ? absl::StrCat(*first) : absl::StrCat(*first, "-", *last));
    first = std::next(last);
  }
  return absl::StrJoin(parts, ",");
}

absl::StatusOr<RuntimeTable> RuntimeTable::Parse(std::string_view text) {
  RuntimeTable table;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    ++number;
    if (number == 1 && absl::ConsumePrefix(&line, "# ")) table.title_ = std::string(line);
    if (line.empty() || line[0] == '#' || number == 1) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    TableRow row;
    if (cells.size() != 5 || cells[0].empty() || cells[4].empty() ||
        !absl::StrContains(cells[1], '>') || !ParseRanks(cells[3], row.ranks))
      return absl::InvalidArgumentError(absl::StrCat(
          "line ", number, ": not operator, types, form, ranks and outcome, but `", line, "`"));
    row.types = cells[1];
    row.form = cells[2];
    row.outcome = cells[4];
    table.rows_[cells[0]].push_back(std::move(row));
  }
  if (table.title_.empty()) return absl::InvalidArgumentError("no title in line 1");
  return table;
}

void RuntimeTable::Add(const std::string& op, TableRow row) {
  for (TableRow& other : rows_[op]) {
    if (other.types != row.types || other.form != row.form || other.outcome != row.outcome)
      continue;
    other.ranks.merge(row.ranks);
    return;
  }
  rows_[op].push_back(std::move(row));
}

std::string RuntimeTable::ToText() const {
  std::string text;
  for (const auto& [op, rows] : rows_) {
    for (const TableRow& row : rows)
      absl::StrAppend(&text, op, "\t", row.types, "\t", row.form, "\t", RanksText(row.ranks), "\t",
                      row.outcome, "\n");
  }
  return text;
}

std::string RuntimeTable::WhyNot(const Use& use) const {
  const auto rows = rows_.find(use.op);
  bool ran = false;
  if (rows != rows_.end()) {
    for (const TableRow& row : rows->second) {
      if (row.types != use.types || !Fits(row, use.forms) || row.ranks.count(use.rank) == 0)
        continue;
      if (row.outcome != kRuns) return row.outcome;
      ran = true;
    }
  }
  return ran ? "" : absl::StrCat(kNotTried, ": ", TextOf(use));
}

bool RuntimeTable::Runs(std::string_view op, std::string_view dtype, int64_t rank,
                        std::string_view form) const {
  const auto rows = rows_.find(op);
  if (rows == rows_.end()) return false;
  const std::set<std::string> forms =
      absl::StrSplit(absl::string_view(form.data(), form.size()), ',');
  bool ran = false;
  for (const TableRow& row : rows->second) {
    if (MainType(row.types) != absl::string_view(dtype.data(), dtype.size()) || !Fits(row, forms) ||
        row.ranks.count(rank) == 0)
      continue;
    if (row.outcome != kRuns) return false;
    ran = true;
  }
  return ran;
}

}  // namespace tessera::circle
