#include "tools/proving/table.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "solver/copy.h"
#include "solver/syntax.h"
#include "tools/cli/table.h"

namespace tessera::proving {
namespace {

constexpr size_t kShown = 72;

std::string Cut(std::string text, bool whole) {
  if (whole || text.size() <= kShown) return text;
  // The claim stands at the end, after the terms that it names.
  return "... " + text.substr(text.size() - kShown);
}

struct Row {
  const Entry* entry;
  std::string statement;
  int count = 0;
  double microseconds = 0;
};

}  // namespace

std::string LedgerTable(ir::Graph& graph, const Ledger& ledger, solver::Prover& prover,
                        bool whole) {
  std::vector<Row> rows;
  absl::flat_hash_map<std::pair<std::string, std::string>, size_t> places;
  for (const Entry& entry : ledger.entries()) {
    std::string statement = solver::ToText(solver::DerivationOf(entry.obligation.predicate));
    const auto [it, fresh] =
        places.try_emplace({entry.obligation.constraint, statement}, rows.size());
    if (fresh) rows.push_back({&entry, std::move(statement)});
    ++rows[it->second].count;
  }
  std::map<std::string, int> by;
  double total = 0;
  for (Row& row : rows) {
    const std::unique_ptr<solver::Context> apart = solver::Copy(graph.context());
    const auto start = std::chrono::steady_clock::now();
    prover.Prove(*apart, solver::Transfer(*apart, row.entry->obligation.predicate));
    row.microseconds =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    total += row.microseconds;
    ++by[row.entry->guarded ? "guarded" : row.entry->obligation.by];
  }

  std::vector<std::vector<std::string>> table = {
      {"verdict", "by", "us", "ops", "constraint", "first at", "statement"}};
  for (const Row& row : rows) {
    const ir::Obligation& obligation = row.entry->obligation;
    const std::string where = obligation.location.scopes.empty()
                                  ? std::string("(symbols)")
                                  : obligation.location.scopes.front();
    table.push_back({row.entry->guarded ? "guarded" : "proved", obligation.by,
                     absl::StrFormat("%.1f", row.microseconds), absl::StrCat(row.count),
                     absl::StrCat(obligation.op, " ", obligation.constraint), where,
                     Cut(row.statement, whole)});
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
  return absl::StrCat(
      text, ", 0 refuted, ", guarded, " guarded; ", absl::StrFormat("%.2f ms\n", total / 1000),
      rows.empty() ? "no dim is symbolic: the constraints were checked as numbers\n" : "");
}

}  // namespace tessera::proving
