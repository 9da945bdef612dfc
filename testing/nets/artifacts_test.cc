// What an exporter made of programs: the networks compile to Circle in little, and their
// certificates are accepted, with all that models and artifacts require derived again.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/check.h"
#include "support/file.h"
#include "support/temporary_folder.h"
#include "targets/all/all.h"
#include "testing/nets/corpus.h"
#include "testing/nets/trial.h"
#include "tools/compilation/compile.h"
#include "tools/proving/beside.h"
#include "tools/proving/certify.h"
#include "tools/proving/check_certificate.h"

namespace tessera::testing {
namespace {

TEST(Artifacts, OfExportedNetworksAreCertified) {
  RegisterOps();
  const support::TemporaryFolder folder;
  const std::string model = absl::StrCat(folder.path(), "/model.onnx");
  const std::string artifact = absl::StrCat(folder.path(), "/model.circle");
  const std::string certificate = absl::StrCat(artifact, proving::kCertificateSuffix);
  int compiled = 0;
  for (const Network& network : WrittenNetworks()) {
    if (!absl::StartsWith(network.name, "exported_") || network.truth != "all") continue;
    ASSERT_TRUE(support::WriteFile(model, network.model.SerializeAsString()).ok());
    auto plan = compilation::MakePlan(*targets::Find("circle"), {});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto made = compilation::Compile(model, *plan, {});
    ASSERT_TRUE(made.ok()) << network.name << ": " << made.status();
    ASSERT_TRUE(support::WriteFileFromRuns(artifact, (*made)->artifact.runs).ok());
    const auto digest = proving::DigestOfFile(artifact);
    ASSERT_TRUE(digest.ok()) << digest.status();
    const std::string text = certificate::WriteCertificate((*made)->text, *digest);
    ASSERT_TRUE(support::WriteFile(certificate, text).ok());
    certificate::CheckOptions options;
    options.model = model;
    const auto verdict = proving::CheckCertificate(certificate, options, false);
    ASSERT_TRUE(verdict.ok()) << network.name << ": " << verdict.status();
    EXPECT_EQ(verdict->kind, proving::CertificateVerdict::kAccepted)
        << network.name << ": " << verdict->text;
    ++compiled;
  }
  EXPECT_GE(compiled, 12);
}

}  // namespace
}  // namespace tessera::testing
