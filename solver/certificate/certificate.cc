#include "solver/certificate/certificate.h"

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "support/sha256.h"

namespace tessera::certificate {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "tessera certificate";
constexpr int kVersion = 1;

Json ToJson(const FileDigest& digest) {
  return {{"file", digest.file}, {"bytes", digest.bytes}, {"sha256", digest.sha256}};
}

Json ToJson(const DeclaredSymbol& symbol) {
  Json json = {{"name", symbol.name}, {"origin", symbol.origin}};
  if (symbol.lo) json["lo"] = *symbol.lo;
  if (symbol.hi) json["hi"] = *symbol.hi;
  json["stride"] = symbol.stride;
  json["residue"] = symbol.residue;
  return json;
}

Json ToJson(const Obligation& obligation) {
  return {{"id", obligation.id},
          {"stage", obligation.stage},
          {"op", obligation.op},
          {"node", obligation.node},
          {"scopes", obligation.scopes},
          {"message", obligation.message},
          {"statement", obligation.statement},
          {"verdict", obligation.verdict == Verdict::kProved ? "proved" : "guarded"},
          {"by", obligation.by},
          {"smt2", obligation.smt2}};
}

// All but the seal.
Json ToJson(const Certificate& certificate) {
  Json json = {{"format", kFormat}, {"version", kVersion}, {"model", ToJson(certificate.model)}};
  if (certificate.artifact) json["artifact"] = ToJson(*certificate.artifact);
  json["options"] = certificate.options;
  json["symbols"] = Json::array();
  for (const DeclaredSymbol& symbol : certificate.symbols) json["symbols"] += ToJson(symbol);
  json["facts"] = Json::array();
  for (const DeclaredFact& fact : certificate.facts)
    json["facts"] += Json({{"statement", fact.statement}, {"origin", fact.origin}});
  json["witness"] = Json::object();
  for (const auto& [name, value] : certificate.witness) json["witness"][name] = value;
  json["obligations"] = Json::array();
  for (const Obligation& obligation : certificate.obligations)
    json["obligations"] += ToJson(obligation);
  return json;
}

// The file's text up to where the seal goes.
std::string Sealed(const Certificate& certificate) {
  std::string text = ToJson(certificate).dump(2, ' ', false, Json::error_handler_t::replace);
  text.erase(text.rfind("\n}"));
  return text;
}

}  // namespace

std::string Seal(const Certificate& certificate) { return support::Sha256(Sealed(certificate)); }

std::string WriteCertificate(const Certificate& certificate) {
  const std::string text = Sealed(certificate);
  return absl::StrCat(text, ",\n  \"sha256\": \"", support::Sha256(text), "\"\n}\n");
}

}  // namespace tessera::certificate
