#include "python/compile.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/registry_scope.h"
#include "python/artifact.h"
#include "python/imports.h"
#include "python/status.h"
#include "python/target.h"
#include "support/mapped_file.h"
#include "targets/target.h"
#include "tools/cli/configuration.h"
#include "tools/cli/progress.h"
#include "tools/compilation/compile.h"
#include "tools/compilation/summary.h"

namespace tessera::python {

namespace py = pybind11;

namespace {

void Disable(const std::vector<std::string>& names, compilation::Plan& plan) {
  std::vector<std::string> known;
  for (const passes::Pass& pass : plan.pipeline) known.push_back(pass.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      Unknown("disable_passes", name, known);
    plan.run.disabled.insert(name);
  }
}

std::shared_ptr<Artifact> Compile(const std::string& model, const std::string& target_name,
                                  const targets::FlagValues& flags, const py::dict& imports,
                                  bool guards, const std::vector<std::string>& disabled,
                                  bool strict_floats, const std::string& config,
                                  const py::object& progress) {
  const targets::Target& target = TargetOf(target_name);
  CheckFlags(target, flags);
  const ir::RegistryScope scope(RegistryOf(target));
  compilation::Plan plan = ValueOf(compilation::MakePlan(target, flags));
  plan.guards = guards;
  plan.run.strict_floats = strict_floats;
  Imports read = ReadImports(imports);
  plan.import = std::move(read.options);
  plan.options = std::move(read.texts);
  if (!config.empty()) {
    const cli::Configured configured =
        ValueOf(cli::ReadConfiguration(config, {plan.pipeline, target.toggles()}, plan.run));
    for (const std::string& note : configured.notes)
      py::module_::import("logging").attr("getLogger")("tessera").attr("warning")("%s", note);
  }
  Disable(disabled, plan);

  cli::Progress times(/*quiet=*/true);
  compilation::Observer observer;
  observer.begins = [&](const std::string& phase) {
    times.Start(phase);
    const py::gil_scoped_acquire lock;
    // Between phases it can be interrupted.
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress.is_none()) progress(phase);
  };
  absl::StatusOr<std::shared_ptr<Artifact>> artifact;
  {
    const py::gil_scoped_release unlocked;
    absl::StatusOr<std::unique_ptr<compilation::Compiled>> made =
        compilation::Compile(model, plan, observer);
    times.Stop();
    if (made.ok()) {
      compilation::Compiled& compiled = **made;
      // What is known when this was read is asked for behind it.
      const std::string bytes = compiled.artifact.Join();
      absl::Status unchanged = support::CheckUnchanged(compiled.import.files);
      if (unchanged.ok()) unchanged = compiled.completed;
      if (unchanged.ok()) {
        artifact = Artifact::Of(
            target, bytes, std::move(compiled.certificate),
            compilation::Summary(compiled.import, plan.import, plan.compilation->Summarize(),
                                 compiled.ledger, compiled.artifact.size, times, plan.pipeline,
                                 compiled.reports));
      } else {
        artifact = unchanged;
      }
    } else {
      artifact = made.status();
    }
  }
  return ValueOf(std::move(artifact));
}

}  // namespace

void DefineCompile(py::module_& module) { module.def("compile", &Compile); }

}  // namespace tessera::python
