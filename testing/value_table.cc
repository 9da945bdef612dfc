#include "testing/value_table.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "ir/registry.h"
#include "testing/example_case.h"
#include "testing/pattern_builder.h"
#include "testing/rewrite_values.h"

namespace tessera::testing {
namespace {

struct Row {
  Proof proof = Proof::kExact;
  bool fired = false, assumes = false;
  std::string why;
};
using Rows = std::map<std::string, Row>;

void Merge(const RewriteValues& values, Row& row) {
  row.fired = row.fired || values.fired > 0;
  if (values.proof <= row.proof) return;
  row.proof = values.proof;
  row.why = values.why;
}

std::string Cell(const std::string& text) {
  constexpr size_t kWidest = 160;
  const std::string cut =
      text.size() > kWidest ? absl::StrCat(text.substr(0, kWidest), " ...") : text;
  return absl::StrReplaceAll(cut, {{"|", "\\|"}, {"*", "\\*"}, {"\n", " "}, {"<", "&lt;"}});
}

std::string Percent(int part, int whole) {
  return whole == 0 ? "none" : absl::StrCat(part * 100 / whole, " %");
}

std::string Table(const std::string& title, const Rows& rows) {
  int exact = 0, reals = 0, rounded = 0, sampled = 0, neither = 0;
  for (const auto& [name, row] : rows) {
    ++(!row.fired                     ? neither
       : row.proof == Proof::kExact   ? exact
       : row.proof == Proof::kReals   ? reals
       : row.proof == Proof::kRounded ? rounded
                                      : sampled);
  }
  const int all = static_cast<int>(rows.size());
  std::string text = absl::StrCat(
      "\n## ", title, "\n", all, " in all: ", exact, " proved for every value of floats, ", reals,
      " over the reals, ", rounded, " but for the rounding of constants (together ",
      Percent(exact + reals + rounded, all), "), ", sampled, " sampled, ", neither,
      " neither.\n\n| | proved | assumes finite | why not more |\n|---|---|---|---|\n");
  for (const auto& [name, row] : rows) {
    absl::StrAppend(&text, "| ", name, " | ",
                    !row.fired                     ? "neither"
                    : row.proof == Proof::kExact   ? "exactly"
                    : row.proof == Proof::kReals   ? "over the reals"
                    : row.proof == Proof::kRounded ? "but for the rounding of constants"
                                                   : "sampled",
                    " | ", row.assumes ? "yes" : "", " | ", Cell(row.why), " |\n");
  }
  return text;
}

}  // namespace

std::string ValueTable(const std::vector<const std::vector<ops::OpExamples>*>& dialects,
                       const std::string& target) {
  Rows rewrites, lowerings;
  for (const std::vector<ops::OpExamples>* definitions : dialects) {
    for (const ops::OpExamples& op : *definitions) {
      for (const ops::RewriteExample& example : op.rewrites) {
        Row& row = rewrites[absl::StrCat(op.dialect, ".", example.rewrite)];
        Merge(CheckValues(example), row);
        const ir::RewriteInfo* rewrite = FindRewrite(example.rewrite, example.pattern.text);
        row.assumes = rewrite != nullptr && ir::Registry::Global().AssumesFinite(*rewrite);
      }
    }
  }
  for (const ops::OpExamples& op : *dialects[0]) {
    if (op.builder) continue;
    int number = 0;
    for (const ops::Example& example : op.examples) {
      Case c;
      if (example.reject || !Prepare(op, example, c).ok()) continue;
      ++number;
      const RewriteValues values = CheckLowering(c, target);
      if (values.fired > 0) Merge(values, lowerings[absl::StrCat(op.op, " ", number)]);
    }
  }
  return absl::StrCat(
      "# What keeps values\n\nBoth sides of every rewrite, and every op beside what its lowering "
      "makes "
      "of it, are compared element by element\nas terms over the elements of the inputs, for all "
      "their "
      "values, at the sizes and attributes of the examples in the\ndefinitions (`nests/terms.h`). "
      "Proved "
      "exactly: the same floating-point operations on the same values, up to what holds of\nevery "
      "float. "
      "Over the reals: equal polynomials, cases (min, abs, choices, indices that are data) decided "
      "by "
      "Z3, functions that others define as these, the rest known by their\narguments alone. But "
      "for the "
      "rounding of constants: so, where each constant stands for the simplest number whose nearest "
      "float it is (0.16666667 for 1/6, 0.70710677 for\nthe root of 1/2; `nests/terms.h` says "
      "which "
      "are simple), so that the sides differ by that rounding. Where "
      "floats "
      "part from\nthat at NaN, infinities, -0 or overflow, the rewrite says `assumes finite`, and "
      "`--strict-floats` leaves it out.\nThe others are compared at seeded values by the tests of "
      "their "
      "examples. This page is generated (`bazel run //docs:update`).\n",
      Table("Rewrites", rewrites),
      Table("Lowerings to Circle, by op and number of its example", lowerings));
}

}  // namespace tessera::testing
