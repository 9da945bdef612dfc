// Whether an artifact is the one that a certificate speaks for.
#ifndef TESSERA_TOOLS_PROVING_ARTIFACT_H_
#define TESSERA_TOOLS_PROVING_ARTIFACT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "solver/certificate/certificate.h"

namespace tessera::proving {

// What the artifact at `path` says of itself otherwise than the certificate does: which certificate
// it was written with, the ranges of its symbols, what it checks at run time. Error: it cannot be
// read.
absl::StatusOr<std::vector<std::string>> CompareArtifact(
    const std::string& path, const certificate::Certificate& certificate);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_ARTIFACT_H_
