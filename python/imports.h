// What is said of a model's inputs, from Python.
#ifndef TESSERA_PYTHON_IMPORTS_H_
#define TESSERA_PYTHON_IMPORTS_H_

#include <string>
#include <vector>

#include "frontends/onnx/import.h"
#include "pybind11/pybind11.h"

namespace tessera::python {

struct Imports {
  onnx_import::ImportOptions options;
  std::vector<std::string> texts;  // as on the command line
};

// Of a dict with some of: `dims` (texts of dim_option.h, or `auto`), `bind` (name: as FromBuffer
// has it), `strict_dims`, `strict_opset`, `readings`, `max_unroll`. Throws `tessera.Error`.
Imports ReadImports(const pybind11::dict& given);

}  // namespace tessera::python

#endif  // TESSERA_PYTHON_IMPORTS_H_
