// What one runtime was seen to do with each operator, as `probe` wrote it down.
//
//   # onert 0.1.0, its CPU backend
//   SLICE<tab>f32>f32<tab>-<tab>1-4<tab>runs
//   SLICE<tab>f32>f32<tab>-<tab>5-6<tab>wrong: by 3.43 of the range
//   SLICE<tab>i32>i32<tab>-<tab>1-6<tab>refused: Slice: unsupported data type
//
// Operator, types of operands and results (use.h), form, ranks, and what came of it. A row with a
// form is about uses that have it (all of them, where there are several: `broadcast,empty`), in
// place of none (`-`) about all.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_TABLE_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_TABLE_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/circle/runtimes/use.h"

namespace tessera::circle {

inline constexpr char kRuns[] = "runs";
inline constexpr char kWrong[] = "wrong: ";  // begins the outcome of what yields other values
inline constexpr char kEveryForm[] = "-";
inline constexpr char kNotTried[] = "not tried";  // begins the reason where no row tells

struct TableRow {
  std::string types, form;
  std::set<int64_t> ranks;
  std::string outcome;
};

class RuntimeTable {
 public:
  // Error: a line that is not of the form above, with its number.
  static absl::StatusOr<RuntimeTable> Parse(std::string_view text);

  const std::string& title() const { return title_; }  // the first line
  // The row's ranks join those of one that is alike.
  void Add(const std::string& op, TableRow row);
  std::string ToText() const;  // the rows
  // Why the runtime is not known to run this; empty: it ran.
  std::string WhyNot(const Use& use) const;
  // An operator with results of this type (of comparisons: operands), ranks up to `rank`, in the
  // plain form or that one.
  bool Runs(std::string_view op, std::string_view dtype, int64_t rank, std::string_view form) const;
  const std::map<std::string, std::vector<TableRow>, std::less<>>& rows() const { return rows_; }

 private:
  std::string title_;
  std::map<std::string, std::vector<TableRow>, std::less<>> rows_;  // by operator
};

// `1-4`, `1,3-4`.
std::string RanksText(const std::set<int64_t>& ranks);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_TABLE_H_
