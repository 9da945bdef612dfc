// Tensors as buffers (https://docs.python.org/3/c-api/buffer.html), which numpy makes arrays of:
// nothing is copied where it lies in memory as it should, and no version of numpy is asked for.
#ifndef TESSERA_PYTHON_TENSORS_H_
#define TESSERA_PYTHON_TENSORS_H_

#include <vector>

#include "ir/tensor.h"
#include "pybind11/pybind11.h"

namespace tessera::python {

// Of a tuple (buffer, shape, name of the dtype), as `tessera.arrays.lent` makes it: a view of the
// buffer's bytes, which stay as long as the tensor and must not change meanwhile. Throws ValueError
// where they are not as many as the shape takes.
ir::Tensor FromBuffer(const pybind11::tuple& lent);
std::vector<ir::Tensor> FromBuffers(const pybind11::sequence& lent);

// The same form of a tensor, for `tessera.arrays.taken`: a buffer over its bytes where nobody else
// has them, else over a copy. It can be written to.
pybind11::tuple ToBuffer(ir::Tensor tensor);

void DefineTensors(pybind11::module_& module);

}  // namespace tessera::python

#endif  // TESSERA_PYTHON_TENSORS_H_
