// Verification and proofs.
#ifndef TESSERA_PYTHON_CHECKS_H_
#define TESSERA_PYTHON_CHECKS_H_

#include "pybind11/pybind11.h"

namespace tessera::python {

void DefineChecks(pybind11::module_& module);

}  // namespace tessera::python

#endif  // TESSERA_PYTHON_CHECKS_H_
