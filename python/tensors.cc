#include "python/tensors.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "python/status.h"

namespace tessera::python {

namespace py = pybind11;

namespace {

// What an array of numpy is over.
struct Bytes {
  ir::Tensor tensor;
};

// A buffer that is let go of when the last one does who has it, on whatever thread that is.
struct Kept {
  explicit Kept(const py::buffer& buffer) {
    if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_SIMPLE) != 0) throw py::error_already_set();
  }
  ~Kept() {
    const py::gil_scoped_acquire lock;
    PyBuffer_Release(&view);
  }
  Kept(const Kept&) = delete;
  Py_buffer view = {};
};

}  // namespace

ir::Tensor FromBuffer(const py::tuple& lent) {
  const auto [buffer, shape, name] =
      lent.cast<std::tuple<py::buffer, std::vector<int64_t>, std::string>>();
  const std::optional<ir::DType> dtype = ir::DTypeFromName(name);
  if (!dtype.has_value()) throw py::value_error(absl::StrCat("there is no type `", name, "`"));
  const int64_t count = ValueOf(ir::ElementCount(shape, ir::SizeOf(*dtype)));
  auto kept = std::make_shared<const Kept>(buffer);
  const absl::Span<const uint8_t> bytes(static_cast<const uint8_t*>(kept->view.buf),
                                        static_cast<size_t>(kept->view.len));
  if (bytes.size() != static_cast<size_t>(count) * ir::SizeOf(*dtype))
    throw py::value_error(absl::StrCat(bytes.size(), " bytes are not ", count, " of ", name));
  return ValueOf(ir::Tensor::View(*dtype, shape, std::move(kept), bytes));
}

std::vector<ir::Tensor> FromBuffers(const py::sequence& lent) {
  std::vector<ir::Tensor> tensors;
  for (const py::handle each : lent) tensors.push_back(FromBuffer(each.cast<py::tuple>()));
  return tensors;
}

py::tuple ToBuffer(ir::Tensor tensor) {
  const std::vector<int64_t> shape = tensor.shape();
  const std::string dtype(ir::NameOf(tensor.dtype()));
  // What others have too, a constant of a mapped file say, must not be written to.
  if (tensor.owner() == nullptr || tensor.owner().use_count() > 1) {
    ir::Tensor copy = ValueOf(ir::Tensor::Allocate(tensor.dtype(), shape));
    if (tensor.size() > 0)
      std::memcpy(copy.mutable_data<uint8_t>(), tensor.bytes().data(), tensor.bytes().size());
    tensor = std::move(copy);
  }
  return py::make_tuple(std::make_unique<Bytes>(Bytes{std::move(tensor)}),
                        py::tuple(py::cast(shape)), dtype);
}

void DefineTensors(py::module_& module) {
  py::class_<Bytes>(module, "Bytes", py::buffer_protocol()).def_buffer([](Bytes& bytes) {
    const absl::Span<const uint8_t> all = bytes.tensor.bytes();
    return py::buffer_info(const_cast<uint8_t*>(all.data()), static_cast<py::ssize_t>(all.size()));
  });
}

}  // namespace tessera::python
