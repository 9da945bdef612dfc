#include "tools/proving/artifact.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "targets/all/all.h"
#include "tools/proving/certify.h"

namespace tessera::proving {
namespace {

using certificate::Certificate;
using Json = nlohmann::json;

// Op, scope, constraint.
using Guard = std::tuple<std::string, std::string, std::string>;

std::string Text(const Guard& guard) {
  const auto& [op, scope, constraint] = guard;
  return absl::StrCat("`", constraint, "` of `", op, "` at `", scope, "`");
}

std::string TextOf(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

void CompareGuards(const Json& facts, const Certificate& certificate,
                   std::vector<std::string>& failures) {
  std::map<Guard, int> excess;  // how many more the artifact has
  for (const Json& o : facts.value("obligations", Json::array())) {
    if (o.is_object()) ++excess[{TextOf(o, "op"), TextOf(o, "scope"), TextOf(o, "constraint")}];
  }
  for (const certificate::Obligation& o : certificate.obligations) {
    if (o.verdict != certificate::Verdict::kGuarded) continue;
    const Guard guard{o.op, absl::StrJoin(o.scopes, " + "), o.id};
    // Equal ones stand in the certificate once.
    const auto it = excess.find(guard);
    if (it == excess.end()) {
      failures.push_back(absl::StrCat("guarded is ", Text(guard),
                                      ", which the artifact does not check at run time"));
    } else {
      it->second = 0;
    }
  }
  for (const auto& [guard, count] : excess) {
    if (count > 0)
      failures.push_back(absl::StrCat("the artifact checks ", Text(guard),
                                      " at run time, of which the certificate has no guard"));
  }
}

void CompareSymbols(const Json& facts, const Certificate& certificate,
                    std::vector<std::string>& failures) {
  std::map<std::string, const certificate::DeclaredSymbol*> symbols;
  for (const certificate::DeclaredSymbol& symbol : certificate.symbols)
    symbols[symbol.name] = &symbol;
  for (const Json& own : facts.value("symbols", Json::array())) {
    if (!own.is_object()) continue;
    const std::string name = TextOf(own, "name");
    const auto it = symbols.find(name);
    if (it == symbols.end()) {
      failures.push_back(absl::StrCat("the artifact has a symbol `", name,
                                      "`, which the certificate does not declare"));
      continue;
    }
    const auto compare = [&](const char* key, int64_t otherwise, int64_t declared) {
      const auto value = own.find(key);
      const int64_t here =
          value != own.end() && value->is_number_integer() ? value->get<int64_t>() : otherwise;
      if (here != declared)
        failures.push_back(absl::StrCat("symbol `", name, "`: `", key, "` is ", declared,
                                        ", in the artifact it is ", here));
    };
    compare("min", INT64_MIN, it->second->lo.value_or(INT64_MIN));
    compare("max", INT64_MAX, it->second->hi.value_or(INT64_MAX));
    // A stride of 0: a single size, which the range says too.
    if (own.contains("stride") && own["stride"] == 0) continue;
    compare("stride", 1, it->second->stride);
    compare("residue", 0, it->second->residue);
  }
}

}  // namespace

absl::StatusOr<std::vector<std::string>> CompareArtifact(const std::string& path,
                                                         const Certificate& certificate) {
  const absl::StatusOr<targets::OpenedArtifact> opened = targets::OpenFile(path);
  if (!opened.ok()) return opened.status();
  const std::map<std::string, std::string>& metadata = opened->artifact->metadata();
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
  const std::string text = opened->artifact->SizeFacts();
  const Json facts = text.empty() ? Json() : Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!facts.is_object()) {
    failures.push_back(absl::StrCat("`", path, "` says nothing of its sizes"));
    return failures;
  }
  CompareSymbols(facts, certificate, failures);
  CompareGuards(facts, certificate, failures);
  return failures;
}

}  // namespace tessera::proving
