#include "solver/certificate/certificate.h"

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "support/sha256.h"

namespace tessera::certificate {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "tessera certificate";
constexpr int kVersion = 2;

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
  Json json = {{"id", obligation.id},
               {"stage", obligation.stage},
               {"op", obligation.op},
               {"node", obligation.node},
               {"scopes", obligation.scopes},
               {"message", obligation.message},
               {"statement", obligation.statement},
               {"verdict", obligation.verdict == Verdict::kProved ? "proved" : "guarded"},
               {"by", obligation.by}};
  if (!obligation.smt2.empty()) json["smt2"] = obligation.smt2;
  return json;
}

Json ToJson(const ListedTensor& tensor) {
  Json json = {{"name", tensor.name}, {"type", tensor.type}, {"dims", tensor.dims}};
  if (tensor.elements) json["elements"] = *tensor.elements;
  return json;
}

Json ToJson(const ListedOperation& operation);

template <class T>
Json ToJson(const std::vector<T>& list) {
  Json json = Json::array();
  for (const T& entry : list) json += ToJson(entry);
  return json;
}

Json ToJson(const ListedOperation& operation) {
  return {{"node", operation.node},
          {"op", operation.op},
          {"operands", operation.operands},
          {"results", ToJson(operation.results)},
          {"obligations", operation.obligations}};
}

// All but the seal.
Json ToJson(const Certificate& certificate, bool with_artifact) {
  Json json = {{"format", kFormat}, {"version", kVersion}, {"model", ToJson(certificate.model)}};
  if (!certificate.data.empty()) json["data"] = ToJson(certificate.data);
  if (certificate.artifact && with_artifact) json["artifact"] = ToJson(*certificate.artifact);
  json["options"] = certificate.options;
  json["symbols"] = ToJson(certificate.symbols);
  json["facts"] = Json::array();
  for (const DeclaredFact& fact : certificate.facts)
    json["facts"] += Json({{"statement", fact.statement}, {"origin", fact.origin}});
  json["witness"] = Json::object();
  for (const auto& [name, value] : certificate.witness) json["witness"][name] = value;
  json["terms"] = certificate.terms;
  json["inputs"] = ToJson(certificate.inputs);
  json["outputs"] = certificate.outputs;
  json["operations"] = ToJson(certificate.operations);
  json["obligations"] = ToJson(certificate.obligations);
  return json;
}

// The file's text up to where the seal goes.
std::string Sealed(const Certificate& certificate, bool with_artifact = true) {
  std::string text =
      ToJson(certificate, with_artifact).dump(2, ' ', false, Json::error_handler_t::replace);
  text.erase(text.rfind("\n}"));
  return text;
}

}  // namespace

std::string Seal(const Certificate& certificate) { return support::Sha256(Sealed(certificate)); }

std::string ClaimsDigest(const Certificate& certificate) {
  return support::Sha256(Sealed(certificate, false));
}

std::string WriteCertificate(const Certificate& certificate) {
  const std::string text = Sealed(certificate);
  return absl::StrCat(text, ",\n  \"sha256\": \"", support::Sha256(text), "\"\n}\n");
}

}  // namespace tessera::certificate
