#include "python/artifact.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/registry_scope.h"
#include "python/status.h"
#include "python/target.h"
#include "python/tensors.h"
#include "report/page.h"
#include "support/file.h"
#include "support/file_set.h"
#include "targets/all/all.h"
#include "targets/finding.h"
#include "tools/proving/beside.h"
#include "tools/proving/certify.h"

namespace tessera::python {

namespace py = pybind11;

absl::StatusOr<std::shared_ptr<Artifact>> Artifact::Of(
    const targets::Target& target, std::string_view bytes,
    std::optional<certificate::Certificate> certificate, std::string summary) {
  std::shared_ptr<Artifact> artifact(new Artifact(target, bytes));
  const ir::RegistryScope scope(RegistryOf(target));
  absl::StatusOr<std::unique_ptr<targets::Artifact>> read =
      target.Open(artifact->copy_.bytes, artifact->copy_.owner);
  if (!read.ok()) return read.status();
  artifact->artifact_ = *std::move(read);
  artifact->certificate_ = std::move(certificate);
  artifact->summary_ = std::move(summary);
  return artifact;
}

absl::StatusOr<std::shared_ptr<Artifact>> Artifact::Open(const std::string& path) {
  const absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  const targets::Target* const target =
      targets::TargetOf(path, std::string_view(*bytes).substr(0, targets::kRecognizedBy));
  if (target == nullptr)
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": no artifact of a target that there is"));
  const absl::StatusOr<std::string> beside = proving::CertificateBeside(path);
  if (!beside.ok()) return beside.status();
  std::optional<certificate::Certificate> certificate;
  if (!beside->empty()) {
    const absl::StatusOr<std::string> text = support::ReadFile(*beside);
    if (!text.ok()) return text.status();
    absl::StatusOr<certificate::Certificate> read = certificate::ReadCertificate(*text);
    if (!read.ok()) return read.status();
    certificate = *std::move(read);
  }
  absl::StatusOr<std::shared_ptr<Artifact>> artifact =
      Of(*target, *bytes, std::move(certificate), "");
  if (artifact.ok()) return artifact;
  return absl::Status(artifact.status().code(),
                      absl::StrCat(path, ": ", artifact.status().message()));
}

std::string_view Artifact::bytes() const {
  return {reinterpret_cast<const char*>(copy_.bytes.data()), copy_.bytes.size()};
}

std::string Artifact::Certificate() const {
  return certificate_.has_value() ? certificate::WriteCertificate(*certificate_) : "";
}

absl::Status Artifact::Save(const std::string& path) {
  support::FileSet files;
  absl::Status status = files.Add(path, bytes());
  if (status.ok() && certificate_.has_value()) {
    certificate::Certificate named = *certificate_;
    named.artifact = proving::DigestOf(path, copy_.bytes);
    status = files.Add(absl::StrCat(path, proving::kCertificateSuffix),
                       certificate::WriteCertificate(named));
  }
  return status.ok() ? files.Commit() : status;
}

absl::StatusOr<std::unique_ptr<targets::Executable>> Artifact::NewExecutable() const {
  const ir::RegistryScope scope(RegistryOf(target_));
  return artifact_->Load();
}

absl::StatusOr<targets::Executable*> Loaded::Get() {
  if (executable_ == nullptr) {
    absl::StatusOr<std::unique_ptr<targets::Executable>> executable = artifact_.NewExecutable();
    if (!executable.ok()) return executable.status();
    executable_ = *std::move(executable);
  }
  return executable_.get();
}

absl::Status Loaded::Run(
    const std::function<absl::StatusOr<std::vector<ir::Tensor>>(targets::Executable& executable)>&
        run,
    const Consumer& consume) {
  const absl::StatusOr<targets::Executable*> executable = Get();
  if (!executable.ok()) return executable.status();
  const ir::RegistryScope scope(RegistryOf(artifact_.target()));
  absl::StatusOr<std::vector<ir::Tensor>> outputs = run(**executable);
  if (!outputs.ok()) {
    executable_ = nullptr;
    return outputs.status();
  }
  consume(*std::move(outputs));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<targets::Port>> Artifact::Ports(bool outputs) {
  const std::lock_guard lock(loaded_.mutex());
  const absl::StatusOr<targets::Executable*> executable = loaded_.Get();
  if (!executable.ok()) return executable.status();
  return outputs ? (*executable)->outputs() : (*executable)->inputs();
}

absl::Status Artifact::Run(const std::vector<ir::Tensor>& inputs, const Consumer& consume) {
  const std::lock_guard lock(loaded_.mutex());
  return loaded_.Run([&](targets::Executable& whole) { return whole.RunLast(inputs); }, consume);
}

absl::StatusOr<std::vector<std::string>> Artifact::Notes() {
  const std::lock_guard lock(loaded_.mutex());
  const absl::StatusOr<targets::Executable*> executable = loaded_.Get();
  if (!executable.ok()) return executable.status();
  return (*executable)->Notes();
}

absl::StatusOr<std::shared_ptr<Stream>> Stream::Of(std::shared_ptr<Artifact> artifact) {
  std::shared_ptr<Stream> stream(new Stream(std::move(artifact)));
  const absl::StatusOr<targets::Executable*> executable = stream->loaded_.Get();
  if (!executable.ok()) return executable.status();
  return stream;
}

absl::Status Stream::Run(const std::vector<ir::Tensor>& inputs, const Consumer& consume) {
  const std::lock_guard lock(loaded_.mutex());
  const absl::Status status =
      loaded_.Run([&](targets::Executable& part) { return part.Run(inputs); }, consume);
  begun_ = status.ok();
  return status;
}

absl::Status Stream::End(const Consumer& consume) {
  const std::lock_guard lock(loaded_.mutex());
  if (!begun_) return absl::OkStatus();
  begun_ = false;
  const absl::StatusOr<targets::Executable*> executable = loaded_.Get();
  if (!executable.ok()) return executable.status();
  // Without states each run was whole.
  if (!(*executable)->KeepsStates()) return absl::OkStatus();
  return loaded_.Run([](targets::Executable& rest) { return rest.RunLast({}); }, consume);
}

namespace {

py::list PortsOf(Artifact& artifact, bool outputs) {
  absl::StatusOr<std::vector<targets::Port>> ports;
  {
    const py::gil_scoped_release unlocked;
    ports = artifact.Ports(outputs);
  }
  py::list list;
  for (const targets::Port& port : ValueOf(std::move(ports)))
    list.append(py::make_tuple(Text(port.name), std::string(ir::NameOf(port.dtype)),
                               py::tuple(py::cast(port.dims))));
  return list;
}

// What `run` consumes, as Python has it.
template <class Runs>
py::list OutputsOf(const Runs& run) {
  py::list outputs;
  absl::Status status;
  {
    const py::gil_scoped_release unlocked;
    status = run([&](std::vector<ir::Tensor> tensors) {
      const py::gil_scoped_acquire lock;
      for (ir::Tensor& tensor : tensors) outputs.append(ToBuffer(std::move(tensor)));
    });
  }
  Check(status);
  return outputs;
}

template <class Runner>
py::list Run(Runner& runner, const py::sequence& arrays) {
  const std::vector<ir::Tensor> inputs = FromBuffers(arrays);
  return OutputsOf([&](const Consumer& consume) { return runner.Run(inputs, consume); });
}

py::list Notes(Artifact& artifact) {
  absl::StatusOr<std::vector<std::string>> notes;
  {
    // A run that holds the lock wants the interpreter's.
    const py::gil_scoped_release unlocked;
    notes = artifact.Notes();
  }
  return Texts(ValueOf(std::move(notes)));
}

std::shared_ptr<Stream> Begin(const std::shared_ptr<Artifact>& artifact) {
  absl::StatusOr<std::shared_ptr<Stream>> stream;
  {
    const py::gil_scoped_release unlocked;
    stream = Stream::Of(artifact);
  }
  return ValueOf(std::move(stream));
}

py::list Describe(const Artifact& artifact, bool operators, bool tensors) {
  py::list list;
  for (const targets::Part& part : artifact.read().Describe({operators, tensors})) {
    py::list rows;
    for (const std::vector<std::string>& row : part.table) rows.append(Texts(row));
    list.append(py::make_tuple(Text(part.text), rows));
  }
  return list;
}

}  // namespace

void DefineArtifact(py::module_& module) {
  py::class_<Artifact, std::shared_ptr<Artifact>>(module, "Artifact")
      .def_property_readonly("target",
                             [](const Artifact& a) { return std::string(a.target().name()); })
      .def_property_readonly("suffix",
                             [](const Artifact& a) { return std::string(a.target().suffix()); })
      .def_property_readonly("summary", [](const Artifact& a) { return Text(a.summary()); })
      .def_property_readonly("certificate", [](const Artifact& a) { return Text(a.Certificate()); })
      .def_property_readonly(
          "data", [](const Artifact& a) { return py::bytes(a.bytes().data(), a.bytes().size()); })
      .def_property_readonly("inputs", [](Artifact& a) { return PortsOf(a, false); })
      .def_property_readonly("outputs", [](Artifact& a) { return PortsOf(a, true); })
      .def("run", &Run<Artifact>)
      .def("stream", &Begin)
      .def("notes", &Notes)
      .def("save",
           [](Artifact& a, const std::string& path) {
             absl::Status status;
             {
               const py::gil_scoped_release unlocked;
               status = a.Save(path);
             }
             Check(status);
           })
      .def("describe", &Describe)
      .def("json", [](const Artifact& a) { return Text(a.read().Json()); })
      .def("html",
           [](const Artifact& a, const std::string& title) {
             report::Page page = a.read().Report();
             page.title = title;
             return Text(report::ToHtml(page));
           })
      .def("check",
           [](const Artifact& a) {
             py::list list;
             for (const targets::Finding& finding : a.read().Check())
               list.append(py::make_tuple(finding.is_error, Text(finding.text)));
             return list;
           })
      .def("not_run_by", [](const Artifact& a, const std::string& runtime) {
        return Texts(ValueOf(a.read().NotRunBy(runtime)));
      });
  py::class_<Stream, std::shared_ptr<Stream>>(module, "Stream")
      .def("run", &Run<Stream>)
      .def("end", [](Stream& stream) {
        return OutputsOf([&](const Consumer& consume) { return stream.End(consume); });
      });
  module.def("open", [](const std::string& path) {
    absl::StatusOr<std::shared_ptr<Artifact>> artifact;
    {
      const py::gil_scoped_release unlocked;
      artifact = Artifact::Open(path);
    }
    return ValueOf(std::move(artifact));
  });
}

}  // namespace tessera::python
