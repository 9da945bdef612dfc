#include "codegen/guard_emitter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/guard_translator.h"

namespace tessera::codegen {
namespace {

struct Clause {
  Place place;
  std::string guard;  // empty: `otherwise`
};

// `LINE:COLUMN`.
std::string PositionOf(Place place) { return absl::StrCat(LineOf(place), ":", ColumnOf(place)); }

std::vector<Clause> ClausesOf(const LowerClause& lower, GuardTranslator& translator) {
  std::vector<Clause> clauses;
  for (const ClauseItem& item : lower.items) {
    if (item.kind == ClauseItem::kLet) {
      translator.Let(item);
    } else if (item.kind == ClauseItem::kWhen) {
      clauses.push_back({item.place, translator.Truth(item.condition)});
    } else {
      clauses.push_back({item.place, ""});
    }
  }
  return clauses;
}

void Append(const Op& op, const LowerClause& lower, std::string& table) {
  GuardTranslator translator(op);
  const std::vector<Clause> clauses = ClausesOf(lower, translator);
  for (const Clause& clause : clauses) {
    if (clauses.size() == 1) return;
    std::vector<std::string> conditions;
    if (!clause.guard.empty()) conditions.push_back(clause.guard);
    std::string name =
        absl::StrCat(OriginOf(clause.place).source->path, ":", PositionOf(clause.place));
    const auto add = [&] {
      const std::string claim = absl::StrCat("!(", absl::StrJoin(conditions, " && "), ")");
      absl::StrAppend(&table, lower.target, " ", op.name, "\t", name, "\t",
                      absl::StrJoin(translator.FactsOf(claim), "; "), "\t", claim, "\tinvalid\n");
    };
    if (!conditions.empty()) add();
    for (const Clause* earlier = clauses.data(); earlier != &clause; ++earlier) {
      conditions.push_back(absl::StrCat("!", earlier->guard));
      absl::StrAppend(&name, earlier == clauses.data() ? " after " : ", ",
                      PositionOf(earlier->place));
      add();
    }
  }
}

}  // namespace

std::string EmitGuards(const std::vector<const File*>& files) {
  std::string table;
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      for (const LowerClause& lower : op.lowers) Append(op, lower, table);
    }
  }
  return table;
}

}  // namespace tessera::codegen
