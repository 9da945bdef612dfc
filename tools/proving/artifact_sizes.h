// What an artifact says of the sizes that it admits, next to what a certificate says of them.
#ifndef TESSERA_TOOLS_PROVING_ARTIFACT_SIZES_H_
#define TESSERA_TOOLS_PROVING_ARTIFACT_SIZES_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "solver/certificate/certificate.h"
#include "solver/certificate/check.h"

namespace tessera::proving {

// Of the artifact's JSON (targets/size_facts.h); empty: it has none.
std::string TextOf(const nlohmann::json& object, const char* key);
std::vector<nlohmann::json> ListOf(const nlohmann::json& facts, const char* key);

// Differences go to `failures`, either way: an artifact that checks less runs at sizes for which
// nothing was proved.

// Ranges and remainders; `positions` are symbols of the certificate that are no sizes.
void CompareSymbols(const nlohmann::json& facts, const certificate::Certificate& certificate,
                    const std::set<std::string>& positions, std::vector<std::string>& failures);
// The sizes that data decide: they are checked when a tensor of the artifact tells them.
void CompareCounted(const nlohmann::json& facts, const certificate::Certificate& certificate,
                    std::vector<std::string>& failures);
// What is assumed beside ranges. Error: the certificate's statements cannot be read, the solver
// fails.
absl::Status CompareRelations(const nlohmann::json& facts,
                              const certificate::Certificate& certificate,
                              certificate::CheckOptions options,
                              std::vector<std::string>& failures);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_ARTIFACT_SIZES_H_
