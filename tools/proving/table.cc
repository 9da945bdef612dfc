#include "tools/proving/table.h"

#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/cli/table.h"
#include "tools/proving/decided_statements.h"

namespace tessera::proving {
namespace {

constexpr size_t kShown = 72;

std::string Cut(std::string text, bool whole) {
  if (whole || text.size() <= kShown) return text;
  // The claim stands at the end, after the terms that it names.
  return "... " + text.substr(text.size() - kShown);
}

}  // namespace

std::string LedgerTable(const ir::Graph& graph, const Ledger& ledger, solver::Prover& prover,
                        bool whole) {
  const std::vector<DecidedStatement> rows = DecideAgain(graph, ledger, prover);
  std::map<std::string, int> by;
  double total = 0;
  for (const DecidedStatement& row : rows) {
    total += row.microseconds;
    ++by[row.entry->guarded ? "guarded" : row.entry->obligation.by];
  }

  std::vector<std::vector<std::string>> table = {
      {"verdict", "by", "us", "ops", "constraint", "first at", "statement"}};
  for (const DecidedStatement& row : rows) {
    const ir::Obligation& obligation = row.entry->obligation;
    const std::string where = obligation.location.scopes.empty()
                                  ? std::string("(symbols)")
                                  : obligation.location.scopes.front();
    table.push_back({row.entry->guarded ? "guarded" : "proved", obligation.by,
                     absl::StrFormat("%.1f", row.microseconds), absl::StrCat(row.count),
                     absl::StrCat(obligation.op, " ", obligation.constraint), where,
                     Cut(row.text, whole)});
  }
  std::string text = rows.empty() ? std::string() : cli::Table(table) + "\n";
  const int guarded = by.contains("guarded") ? by.at("guarded") : 0;
  absl::StrAppend(&text, rows.size(), " statements of ", ledger.entries().size(),
                  " constraints: ", rows.size() - static_cast<size_t>(guarded), " proved");
  by.erase("guarded");
  if (!by.empty()) {
    absl::StrAppend(&text, " (",
                    absl::StrJoin(by, ", ",
                                  [](std::string* out, const auto& layer) {
                                    absl::StrAppend(out, layer.first, " ", layer.second);
                                  }),
                    ")");
  }
  std::string left;
  for (const std::string& line : ledger.data_indices())
    absl::StrAppend(&left, line, ": executors check them\n");
  return absl::StrCat(
      text, ", 0 refuted, ", guarded, " guarded; ", absl::StrFormat("%.2f ms\n", total / 1000),
      rows.empty() ? "no dim is symbolic: the constraints were checked as numbers\n" : "", left);
}

}  // namespace tessera::proving
