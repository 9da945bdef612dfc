#include "passes/invariant.h"

#include <map>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace tessera::passes {

const Invariant& NoneOf(const std::string& dialect) {
  static std::map<std::string, Invariant>* const all = new std::map<std::string, Invariant>;
  const auto [it, fresh] = all->try_emplace(dialect);
  if (!fresh) return it->second;
  const auto check = [dialect](const ir::Graph& graph) {
    for (const ir::Operation* op : graph.TopologicalOrder()) {
      if (op->info().dialect != dialect) continue;
      return absl::InternalError(absl::StrCat("`", std::string(op->info().name), "` at `",
                                              op->location().ToString(), "` is of `", dialect,
                                              "`"));
    }
    return absl::OkStatus();
  };
  it->second = {absl::StrCat("none-of-", dialect),
                absl::StrCat("no operation is one of `", dialect, "`"), check};
  return it->second;
}

}  // namespace tessera::passes
