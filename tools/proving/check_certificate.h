// The check of a certificate against everything that it speaks of.
#ifndef TESSERA_TOOLS_PROVING_CHECK_CERTIFICATE_H_
#define TESSERA_TOOLS_PROVING_CHECK_CERTIFICATE_H_

#include <string>

#include "absl/status/statusor.h"
#include "solver/certificate/check.h"

namespace tessera::proving {

struct CertificateVerdict {
  enum Kind {
    kAccepted,
    kNotProved,  // nothing is wrong, but something was only evaluated, or not derived
    kRejected,
  } kind = kRejected;
  std::string text;  // for people, with line breaks
};

// Checks statements, files, and, where `options.model` names the model, that they are what model
// and definitions require. `allow_evaluated` accepts statements that were only evaluated. Errors:
// a file cannot be read; those of certificate::Check.
absl::StatusOr<CertificateVerdict> CheckCertificate(const std::string& path,
                                                    certificate::CheckOptions options,
                                                    bool allow_evaluated);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_CHECK_CERTIFICATE_H_
