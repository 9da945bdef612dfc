// Checks the files that a certificate speaks of.
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "solver/certificate/check.h"
#include "support/file.h"
#include "support/mapped_file.h"
#include "support/sha256.h"

namespace tessera::certificate {
namespace {

constexpr char kSuffix[] = ".cert.json";

// Empty where the file is the one that the certificate was made with.
std::string Difference(const char* what, const std::string& path, const FileDigest& digest) {
  const absl::StatusOr<support::MappedFile> file = support::MapFile(path);
  if (!file.ok()) return absl::StrCat("the ", what, ": ", file.status().message());
  if (static_cast<int64_t>(file->bytes.size()) != digest.bytes) {
    return absl::StrCat("the ", what, " `", path, "` has ", file->bytes.size(),
                        " bytes, the certificate was made for one of ", digest.bytes);
  }
  const std::string actual = support::Sha256(file->bytes);
  if (actual == digest.sha256) return "";
  return absl::StrCat("the ", what, " `", path, "` has SHA-256 ", actual,
                      ", the certificate was made for ", digest.sha256);
}

}  // namespace

absl::StatusOr<FileReport> CheckFile(const std::string& path, const CheckOptions& options) {
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (!text.ok()) return text.status();
  absl::StatusOr<Certificate> certificate = ReadCertificate(*text);
  if (!certificate.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("`", path, "` is no certificate: ", certificate.status().message()));
  }
  FileReport result{*std::move(certificate), {}};
  std::vector<std::string>& failures = result.report.failures;
  // Digests that are not sealed say nothing; Check reports it.
  const bool sealed = Seal(result.certificate) == result.certificate.sha256;
  if (sealed && result.certificate.artifact) {
    const std::string artifact(absl::StripSuffix(path, kSuffix));
    std::string difference = absl::EndsWith(path, kSuffix)
                                 ? Difference("artifact", artifact, *result.certificate.artifact)
                                 : absl::StrCat("`", path, "` does not end in `", kSuffix,
                                                "`: where its artifact is cannot be told");
    if (!difference.empty()) failures.push_back(std::move(difference));
  }
  if (sealed && !options.model.empty()) {
    std::string difference = Difference("model", options.model, result.certificate.model);
    if (!difference.empty()) failures.push_back(std::move(difference));
    const std::string folder = options.model.substr(0, options.model.rfind('/') + 1);
    for (const FileDigest& data : result.certificate.data) {
      difference = Difference("model's data", folder + data.file, data);
      if (!difference.empty()) failures.push_back(std::move(difference));
    }
  }
  if (!failures.empty()) return result;
  absl::StatusOr<CheckReport> report = Check(result.certificate, options);
  if (!report.ok()) return report.status();
  result.report = *std::move(report);
  return result;
}

}  // namespace tessera::certificate
