// Networks as they are, on the reference executor.
#ifndef TESSERA_PYTHON_NETWORK_H_
#define TESSERA_PYTHON_NETWORK_H_

#include "pybind11/pybind11.h"

namespace tessera::python {

void DefineNetwork(pybind11::module_& module);

}  // namespace tessera::python

#endif  // TESSERA_PYTHON_NETWORK_H_
