#include "tools/proving/artifact.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "solver/certificate/order.h"
#include "solver/certificate/problem.h"
#include "solver/certificate/smtlib.h"
#include "solver/certificate/statement.h"
#include "tools/proving/artifact_sizes.h"
#include "tools/proving/certify.h"

namespace tessera::proving {
namespace {

using certificate::Certificate;
using Json = nlohmann::json;

// What is checked at run time.
struct Guard {
  std::string op, scope, constraint;
  certificate::Claim claim;
};

std::string Text(const Guard& guard) {
  return absl::StrCat("`", guard.constraint, "` of `", guard.op, "` at `", guard.scope, "`");
}

// Whether `own`, of the artifact, is what the certificate says of `stated`.
bool Agree(const Guard& own, const Guard& stated) {
  return own.op == stated.op && own.scope == stated.scope && own.constraint == stated.constraint &&
         certificate::Same(own.claim.statement, stated.claim.statement);
}

// The guards that the artifact has, with what it evaluates. Error: one is no statement over the
// certificate's symbols.
absl::StatusOr<std::vector<Guard>> GuardsOf(const Json& facts,
                                            const certificate::Problem& problem) {
  std::vector<Guard> guards;
  for (const Json& o : facts.value("obligations", Json::array())) {
    if (!o.is_object()) return absl::InvalidArgumentError("a guard of the artifact is no object");
    Guard& guard = guards.emplace_back(
        Guard{TextOf(o, "op"), TextOf(o, "scope"), TextOf(o, "constraint"), {}});
    absl::StatusOr<certificate::Claim> claim = problem.ReadClaim(TextOf(o, "predicate"));
    if (!claim.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the artifact's guard ", Text(guard), ": ", claim.status().message()));
    }
    guard.claim = *std::move(claim);
  }
  return guards;
}

// The same of the certificate.
absl::StatusOr<std::vector<Guard>> GuardsOf(const Certificate& certificate,
                                            const certificate::Problem& problem) {
  std::vector<Guard> guards;
  for (const certificate::Obligation& o : certificate.obligations) {
    if (o.verdict != certificate::Verdict::kGuarded) continue;
    absl::StatusOr<certificate::Claim> claim = problem.ReadClaim(o.statement);
    if (!claim.ok()) return claim.status();
    guards.push_back({o.op, absl::StrJoin(o.scopes, " + "), o.id, *std::move(claim)});
  }
  return guards;
}

absl::Status CompareGuards(const Json& facts, const Certificate& certificate,
                           std::vector<std::string>& failures) {
  const absl::StatusOr<certificate::Problem> problem = certificate::Problem::Read(certificate);
  if (!problem.ok()) return problem.status();
  const absl::StatusOr<std::vector<Guard>> stated = GuardsOf(certificate, *problem);
  if (!stated.ok()) return stated.status();
  const absl::StatusOr<std::vector<Guard>> own = GuardsOf(facts, *problem);
  if (!own.ok()) {
    failures.push_back(std::string(own.status().message()));
    return absl::OkStatus();
  }
  for (const Guard& guard : *stated) {
    const bool found =
        std::any_of(own->begin(), own->end(), [&](const Guard& o) { return Agree(o, guard); });
    if (!found)
      failures.push_back(absl::StrCat("guarded is ", Text(guard),
                                      ", which the artifact does not check at run time"));
  }
  for (const Guard& guard : *own) {
    const bool found = std::any_of(stated->begin(), stated->end(),
                                   [&](const Guard& o) { return Agree(guard, o); });
    if (!found)
      failures.push_back(absl::StrCat("the artifact checks ", Text(guard),
                                      " at run time, of which the certificate has no guard"));
  }
  return absl::OkStatus();
}

// Device, id and statement.
using Limits = std::set<std::tuple<std::string, std::string, std::string>>;

// A position along an axis of what a device does: any number that an index can be.
constexpr int64_t kMostPositions = INT32_MAX;

bool IsPosition(const certificate::DeclaredSymbol& symbol) {
  return symbol.lo == 0 && symbol.hi == kMostPositions && symbol.stride == 1;
}

// Symbols of a limit's statement.
absl::StatusOr<std::vector<std::string>> SymbolsOf(const targets::DeviceLimit& limit) {
  const absl::StatusOr<certificate::Statement> statement =
      certificate::ParseStatement(limit.statement);
  if (!statement.ok()) return statement.status();
  return statement->symbols;
}

// The certificate's symbols that stand in limits and are no sizes of the artifact: they take any
// value.
std::set<std::string> PositionsOf(const Json& facts, const targets::Artifact& artifact,
                                  const Certificate& certificate,
                                  std::vector<std::string>& failures) {
  std::set<std::string> sizes, in_limits, positions;
  for (const Json& own : ListOf(facts, "symbols")) sizes.insert(TextOf(own, "name"));
  for (const targets::DeviceLimit& limit : artifact.Limits()) {
    const absl::StatusOr<std::vector<std::string>> symbols = SymbolsOf(limit);
    if (symbols.ok()) in_limits.insert(symbols->begin(), symbols->end());
  }
  for (const certificate::DeclaredSymbol& symbol : certificate.symbols) {
    if (sizes.contains(symbol.name) || !in_limits.contains(symbol.name)) continue;
    positions.insert(symbol.name);
    if (!IsPosition(symbol))
      failures.push_back(absl::StrCat("symbol `", symbol.name,
                                      "` is declared as less than all positions that the artifact "
                                      "has"));
  }
  return positions;
}

void CompareLimits(const targets::Artifact& artifact, const Certificate& certificate,
                   std::vector<std::string>& failures) {
  Limits own, stated;
  for (const targets::DeviceLimit& limit : artifact.Limits())
    own.insert({limit.device, limit.id, limit.statement});
  for (const certificate::Obligation& o : certificate.obligations) {
    if (o.stage == kDeviceStage) stated.insert({o.op, o.id, o.statement});
  }
  const auto differ = [&](const Limits& these, const Limits& those, const char* what) {
    for (const auto& limit : these) {
      if (!those.contains(limit))
        failures.push_back(absl::StrCat("`", std::get<1>(limit), "` of ", std::get<0>(limit), ": `",
                                        std::get<2>(limit), "` ", what));
    }
  };
  differ(own, stated, "is asked of the artifact, and not in the certificate");
  differ(stated, own, "is in the certificate, and not asked of the artifact");
}

}  // namespace

absl::Status AddLimits(const std::vector<targets::DeviceLimit>& limits, Certificate& certificate) {
  if (limits.empty()) return absl::OkStatus();
  for (const targets::DeviceLimit& limit : limits) {
    certificate::Obligation obligation;
    obligation.id = limit.id;
    obligation.stage = kDeviceStage;
    obligation.op = limit.device;
    obligation.message = limit.message;
    obligation.statement = limit.statement;
    certificate.obligations.push_back(std::move(obligation));
    const absl::StatusOr<std::vector<std::string>> symbols = SymbolsOf(limit);
    if (!symbols.ok())
      return absl::Status(symbols.status().code(),
                          absl::StrCat("`", limit.id, "` of ", limit.device, ", ", limit.message,
                                       ": ", symbols.status().message()));
    for (const std::string& name : *symbols) {
      const auto declared = [&](const certificate::DeclaredSymbol& s) { return s.name == name; };
      if (std::any_of(certificate.symbols.begin(), certificate.symbols.end(), declared)) continue;
      certificate::DeclaredSymbol position{name, "a position in what the device computes"};
      position.lo = 0;
      position.hi = kMostPositions;
      certificate.symbols.push_back(std::move(position));
      certificate.witness[name] = 0;
    }
  }
  certificate::PutInOrder(certificate);
  return certificate::FillSmtLib(certificate);
}

absl::StatusOr<std::vector<std::string>> CompareArtifact(const std::string& path,
                                                         const targets::Artifact& artifact,
                                                         const Certificate& certificate,
                                                         const certificate::CheckOptions& options) {
  const std::map<std::string, std::string>& metadata = artifact.metadata();
  std::vector<std::string> failures;
  const auto claims = metadata.find(kClaims);
  if (claims == metadata.end()) {
    failures.push_back(
        absl::StrCat("`", path, "` does not name the certificate that it was written with"));
  } else if (const std::string digest = certificate::ClaimsDigest(certificate);
             claims->second != digest) {
    failures.push_back(absl::StrCat("`", path,
                                    "` was written with a certificate whose claims have SHA-256 ",
                                    claims->second, ", these have ", digest));
  }
  const std::string text = artifact.SizeFacts();
  const Json facts = text.empty() ? Json() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!facts.is_object()) {
    failures.push_back(absl::StrCat("`", path, "` says nothing of its sizes"));
    return failures;
  }
  CompareSymbols(facts, certificate, PositionsOf(facts, artifact, certificate, failures), failures);
  CompareCounted(facts, certificate, failures);
  CompareLimits(artifact, certificate, failures);
  if (absl::Status status = CompareGuards(facts, certificate, failures); !status.ok())
    return status;
  if (absl::Status status = CompareRelations(facts, certificate, options, failures); !status.ok())
    return status;
  return failures;
}

}  // namespace tessera::proving
