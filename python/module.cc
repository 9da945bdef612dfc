// The module `tessera._native`: the tools' libraries as Python calls them. What users see is
// written in Python (python/tessera), and says what each function does.
#include "pybind11/pybind11.h"
#include "python/artifact.h"
#include "python/checks.h"
#include "python/compile.h"
#include "python/network.h"
#include "python/quantize.h"
#include "python/target.h"
#include "python/tensors.h"
#include "tools/cli/op_sets.h"

PYBIND11_MODULE(_native, module) {
  tessera::cli::LinkOps();
  module.attr("VERSION") = TESSERA_VERSION;
  tessera::python::DefineArtifact(module);
  tessera::python::DefineChecks(module);
  tessera::python::DefineCompile(module);
  tessera::python::DefineNetwork(module);
  tessera::python::DefineQuantize(module);
  tessera::python::DefineTargets(module);
  tessera::python::DefineTensors(module);
}
