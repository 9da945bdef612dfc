// Whether an artifact is the one that a certificate speaks for.
#ifndef TESSERA_TOOLS_PROVING_ARTIFACT_H_
#define TESSERA_TOOLS_PROVING_ARTIFACT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "solver/certificate/certificate.h"
#include "targets/target.h"

namespace tessera::proving {

// What the artifact, read from `path`, says of itself otherwise than the certificate does: which
// certificate it was written with, the ranges of its symbols, what it checks at run time. Error:
// the certificate's statements cannot be read.
absl::StatusOr<std::vector<std::string>> CompareArtifact(
    const std::string& path, const targets::Artifact& artifact,
    const certificate::Certificate& certificate);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_ARTIFACT_H_
