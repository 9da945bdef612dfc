#include "solver/certificate/problem.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::certificate {

absl::StatusOr<Problem> Problem::Read(const Certificate& certificate) {
  Problem problem;
  problem.symbols_ = certificate.symbols;
  for (const DeclaredSymbol& symbol : problem.symbols_) {
    if (!problem.index_.emplace(symbol.name, problem.index_.size()).second)
      return absl::InvalidArgumentError(absl::StrCat("symbol `", symbol.name, "` is there twice"));
  }
  absl::StatusOr<Library> library = Library::Read(certificate.terms);
  if (!library.ok()) return library.status();
  problem.library_ = *std::move(library);
  for (const std::string& name : problem.library_.statement().names) {
    if (problem.index_.contains(name))
      return absl::InvalidArgumentError(absl::StrCat("a term has the name of symbol `", name, "`"));
  }
  for (const DeclaredFact& fact : certificate.facts) {
    absl::StatusOr<Claim> claim = problem.ReadClaim(fact.statement);
    if (!claim.ok())
      return absl::InvalidArgumentError(
          absl::StrCat("fact `", Shown(fact.statement), "`: ", claim.status().message()));
    problem.facts_.push_back(*std::move(claim));
  }
  return problem;
}

absl::StatusOr<Claim> Problem::ReadClaim(std::string_view statement) const {
  absl::StatusOr<Statement> parsed = ParseStatement(statement, library_);
  if (!parsed.ok()) return parsed.status();
  Claim claim{*std::move(parsed), {}};
  for (const std::string& name : claim.statement.names) {
    if (index_.contains(name))
      return absl::InvalidArgumentError(absl::StrCat("a term has the name of symbol `", name, "`"));
  }
  for (const std::string& name : claim.statement.symbols) {
    const auto it = index_.find(name);
    if (it == index_.end())
      return absl::InvalidArgumentError(absl::StrCat("symbol `", name, "` is not declared"));
    claim.symbols.push_back(it->second);
  }
  return claim;
}

Problem::Neighbourhood Problem::NeighbourhoodOf(const Claim& claim) const {
  std::vector<bool> reached(symbols_.size()), used(facts_.size());
  for (uint32_t symbol : claim.symbols) reached[symbol] = true;
  bool grows = true;
  while (grows) {
    grows = false;
    for (size_t i = 0; i < facts_.size(); ++i) {
      const std::vector<uint32_t>& own = facts_[i].symbols;
      if (used[i] || std::none_of(own.begin(), own.end(), [&](uint32_t s) { return reached[s]; }))
        continue;
      used[i] = grows = true;
      for (uint32_t symbol : own) reached[symbol] = true;
    }
  }
  Neighbourhood result;
  for (uint32_t i = 0; i < reached.size(); ++i) {
    if (reached[i]) result.symbols.push_back(i);
  }
  for (uint32_t i = 0; i < used.size(); ++i) {
    if (used[i]) result.facts.push_back(i);
  }
  return result;
}

}  // namespace tessera::certificate
