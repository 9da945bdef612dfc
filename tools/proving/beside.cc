#include "tools/proving/beside.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "solver/certificate/certificate.h"
#include "support/file.h"
#include "support/sha256.h"

namespace tessera::proving {

absl::StatusOr<std::string> CertificateBeside(const std::string& artifact) {
  std::string path = absl::StrCat(artifact, kCertificateSuffix);
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (absl::IsNotFound(text.status())) return std::string();
  if (!text.ok()) return text.status();
  const absl::StatusOr<certificate::Certificate> certificate = certificate::ReadCertificate(*text);
  if (!certificate.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", path, "` is no certificate: ", certificate.status().message()));
  }
  const absl::StatusOr<support::FileSha256> file = support::Sha256OfFile(artifact);
  if (!file.ok()) return file.status();
  if (certificate->artifact && certificate->artifact->bytes == file->bytes &&
      certificate->artifact->sha256 == file->digest)
    return path;
  return absl::InvalidArgumentError(absl::StrCat(
      "`", path, "` was made for another artifact than `", artifact, "`: compile again"));
}

}  // namespace tessera::proving
