// An artifact and the certificate beside it.
#ifndef TESSERA_TOOLS_PROVING_BESIDE_H_
#define TESSERA_TOOLS_PROVING_BESIDE_H_

#include <string>

#include "absl/status/statusor.h"

namespace tessera::proving {

// Behind the name of an artifact: that of its certificate.
inline constexpr char kCertificateSuffix[] = ".cert.json";

// The path of the certificate beside `artifact`, where there is one: empty if there is none. Error:
// it was made for another artifact, as after a copy of one of the two, or a compile that was killed
// between them; or it cannot be read. Proofs are not checked: that is `prove --check`.
absl::StatusOr<std::string> CertificateBeside(const std::string& artifact);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_BESIDE_H_
