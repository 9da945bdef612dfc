// Compression of models.
#ifndef TESSERA_PYTHON_QUANTIZE_H_
#define TESSERA_PYTHON_QUANTIZE_H_

#include "pybind11/pybind11.h"

namespace tessera::python {

void DefineQuantize(pybind11::module_& module);

}  // namespace tessera::python

#endif  // TESSERA_PYTHON_QUANTIZE_H_
