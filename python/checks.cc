#include "python/checks.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/registry_scope.h"
#include "python/imports.h"
#include "python/status.h"
#include "python/target.h"
#include "python/tensors.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/check.h"
#include "support/mapped_file.h"
#include "targets/target.h"
#include "tools/cli/assumptions.h"
#include "tools/proving/check_certificate.h"
#include "tools/proving/discharge.h"
#include "tools/proving/prove_model.h"
#include "tools/proving/table.h"
#include "tools/verification/comparison.h"
#include "tools/verification/target.h"
#include "tools/verification/verify.h"

namespace tessera::python {

namespace py = pybind11;

namespace {

// Whether it holds, the report as text, and as JSON. An empty target: the reference alone.
py::tuple Verify(const std::string& model, const std::string& target_name,
                 targets::FlagValues flags, const py::dict& given, const std::string& data,
                 size_t sizes, const std::string& runtime, const std::string& packages) {
  verification::Request request;
  request.model = model;
  request.data = data;
  request.random_sizes = sizes;
  std::unique_ptr<const verification::Target> made;
  std::optional<ir::RegistryScope> scope;
  if (!target_name.empty()) {
    const targets::Target& target = TargetOf(target_name);
    scope.emplace(RegistryOf(target));
    CheckFlags(target, flags);
    verification::CalibrateWith(data, target, flags);
    std::optional<targets::ForeignRuntime> foreign;
    if (!runtime.empty()) foreign = {RuntimeOf(target, runtime), packages};
    made = ValueOf(verification::MakeTarget(target, flags, foreign));
  }
  request.target = made.get();
  request.options = ReadImports(given).options;
  request.options.check = proving::ShapeCheck(model);
  absl::StatusOr<verification::Report> report;
  {
    const py::gil_scoped_release unlocked;
    report = verification::Verify(request);
  }
  Check(report.status());
  return py::make_tuple(report->holds(), Text(report->ToText()), Text(report->ToJson()));
}

// The table of what was proved, the certificate, and what was assumed.
py::tuple Prove(const std::string& model, const py::dict& given, bool guards, bool whole) {
  Imports imports = ReadImports(given);
  absl::StatusOr<certificate::Certificate> certificate;
  std::string table;
  std::vector<std::string> assumptions;
  {
    const py::gil_scoped_release unlocked;
    const absl::StatusOr<std::unique_ptr<proving::ProvedModel>> proved =
        proving::ProveModel(model, imports.options, guards);
    if (proved.ok()) {
      proving::ProvedModel& p = **proved;
      certificate = proving::CertificateOf(model, p, imports.texts);
      table = proving::LedgerTable(*p.import.graph, p.ledger, p.prover, whole);
      assumptions = cli::Assumptions(p.import, imports.options);
      const absl::Status unchanged = support::CheckUnchanged(p.import.files);
      if (!unchanged.ok()) certificate = unchanged;
    } else {
      certificate = proved.status();
    }
  }
  Check(certificate.status());
  return py::make_tuple(Text(table), Text(certificate::WriteCertificate(*certificate)),
                        Texts(assumptions));
}

// `accepted`, `not proved` or `rejected`, and the text.
py::tuple CheckCertificate(const std::string& path, const std::string& model,
                           const std::string& solver, const std::string& libraries,
                           bool allow_evaluated, int64_t seconds) {
  certificate::CheckOptions options;
  options.model = model;
  options.cvc5 = solver;
  options.libraries = libraries;
  options.seconds = seconds;
  absl::StatusOr<proving::CertificateVerdict> verdict;
  {
    const py::gil_scoped_release unlocked;
    verdict = proving::CheckCertificate(path, options, allow_evaluated);
  }
  Check(verdict.status());
  const char* kind = "rejected";
  if (verdict->kind == proving::CertificateVerdict::kAccepted) kind = "accepted";
  if (verdict->kind == proving::CertificateVerdict::kNotProved) kind = "not proved";
  return py::make_tuple(kind, Text(verdict->text));
}

// Whether outputs are what they should be, why not, and the PEIR; as FromBuffer has them.
py::tuple Compare(const py::sequence& expected_and_actual, double tolerance) {
  const std::vector<ir::Tensor> pair = FromBuffers(expected_and_actual);
  const verification::Comparison comparison =
      verification::Compare(pair.at(0), pair.at(1), tolerance);
  return py::make_tuple(comparison.holds, Text(comparison.complaint), comparison.peir);
}

}  // namespace

void DefineChecks(py::module_& module) {
  module.def("compare", &Compare);
  module.def("verify", &Verify);
  module.def("prove", &Prove);
  module.def("check_certificate", &CheckCertificate);
}

}  // namespace tessera::python
