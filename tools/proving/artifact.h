// Whether an artifact is the one that a certificate speaks for.
#ifndef TESSERA_TOOLS_PROVING_ARTIFACT_H_
#define TESSERA_TOOLS_PROVING_ARTIFACT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/check.h"
#include "targets/target.h"

namespace tessera::proving {

// The stage of obligations that are limits of a device.
inline constexpr char kDeviceStage[] = "device";

// States that the limits are met. Error: a statement that cannot be read.
absl::Status AddLimits(const std::vector<targets::DeviceLimit>& limits,
                       certificate::Certificate& certificate);

// What the artifact, read from `path`, says of itself otherwise than the certificate does: which
// certificate it was written with, the ranges of its symbols, what else is assumed of them and
// guarded, which of them data decide, which limits of its device it has to meet; and what of these
// only one of the two says. `options`: how it is proved that ranges say an assumption already.
// Error: the certificate's statements cannot be read, the solver fails.
absl::StatusOr<std::vector<std::string>> CompareArtifact(
    const std::string& path, const targets::Artifact& artifact,
    const certificate::Certificate& certificate, const certificate::CheckOptions& options = {});

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_ARTIFACT_H_
