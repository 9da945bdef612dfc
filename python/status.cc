#include "python/status.h"

#include "absl/strings/ascii.h"
#include "solver/remedy.h"

namespace tessera::python {

namespace py = pybind11;

py::str Text(std::string_view text) {
  PyObject* const decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

py::list Texts(const std::vector<std::string>& texts) {
  py::list list;
  for (const std::string& text : texts) list.append(Text(text));
  return list;
}

void Check(const absl::Status& status) {
  if (status.ok()) return;
  const py::object error =
      py::module_::import("tessera.errors")
          .attr("refusal")(absl::AsciiStrToLower(absl::StatusCodeToString(status.code())),
                           Text(std::string(status.message())), Text(solver::ConstraintOf(status)),
                           Texts(solver::Attached(status)));
  PyErr_SetObject(error.get_type().ptr(), error.ptr());
  throw py::error_already_set();
}

}  // namespace tessera::python
