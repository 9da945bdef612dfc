// Certificates of compiled networks (docs/certificate.md).
#ifndef TESSERA_TOOLS_PROVING_CERTIFY_H_
#define TESSERA_TOOLS_PROVING_CERTIFY_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "solver/certificate/certificate.h"
#include "tools/proving/discharge.h"
#include "tools/proving/record.h"

namespace tessera::proving {

// The entry of an artifact's metadata that holds certificate::ClaimsDigest.
inline constexpr char kClaims[] = "tessera.certificate";

// SHA-256 and size; `path` may have folders, which are dropped.
certificate::FileDigest DigestOf(const std::string& path, absl::Span<const uint8_t> bytes);
// As was computed elsewhere.
certificate::FileDigest NamedDigest(const std::string& path, int64_t bytes, std::string sha256);
absl::StatusOr<certificate::FileDigest> DigestOfFile(const std::string& path);
// Of the files that a model's tensors are in: paths by location, as onnx_import::ImportResult has
// them.
absl::StatusOr<std::vector<certificate::FileDigest>> DigestsOfData(
    const std::map<std::string, std::string>& data);

// The symbols and facts of `graph`, sizes that satisfy them, what was imported into it, and all
// entries of the ledger, equal ones once, with their SMT-LIB queries. The digests are the caller's
// to fill in. Error: no sizes satisfy the facts.
absl::StatusOr<certificate::Certificate> Certify(ir::Graph& graph, const Record& imported,
                                                 const Ledger& ledger,
                                                 std::vector<std::string> options);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_CERTIFY_H_
