// Networks compiled to artifacts.
#ifndef TESSERA_PYTHON_COMPILE_H_
#define TESSERA_PYTHON_COMPILE_H_

#include "pybind11/pybind11.h"

namespace tessera::python {

void DefineCompile(pybind11::module_& module);

}  // namespace tessera::python

#endif  // TESSERA_PYTHON_COMPILE_H_
