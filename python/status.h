// Refusals as exceptions of Python.
#ifndef TESSERA_PYTHON_STATUS_H_
#define TESSERA_PYTHON_STATUS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pybind11/pybind11.h"
#include "pybind11/stl.h"  // one meaning of every conversion

namespace tessera::python {

// Bytes that are not UTF-8 become U+FFFD.
pybind11::str Text(std::string_view text);
pybind11::list Texts(const std::vector<std::string>& texts);

// Throws `tessera.Error` (errors.py) of a status that is not OK. The lock of the interpreter is
// held.
void Check(const absl::Status& status);

template <class T>
T ValueOf(absl::StatusOr<T> value) {
  Check(value.status());
  return *std::move(value);
}

}  // namespace tessera::python

#endif  // TESSERA_PYTHON_STATUS_H_
