// An artifact in memory, as Python has it.
#ifndef TESSERA_PYTHON_ARTIFACT_H_
#define TESSERA_PYTHON_ARTIFACT_H_

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "pybind11/pybind11.h"
#include "solver/certificate/certificate.h"
#include "support/aligned_copy.h"
#include "targets/target.h"

namespace tessera::python {

using Consumer = std::function<void(std::vector<ir::Tensor>)>;

class Artifact;

// An artifact's executable, loaded when it is needed, and again behind an error: it may have
// stopped on the way, in whatever state. What is called holds the lock.
class Loaded {
 public:
  explicit Loaded(const Artifact& artifact) : artifact_(artifact) {}
  std::mutex& mutex() { return mutex_; }
  absl::StatusOr<targets::Executable*> Get();
  // Calls `consume` with the outputs before anything they may be views of goes.
  absl::Status Run(
      const std::function<absl::StatusOr<std::vector<ir::Tensor>>(targets::Executable& executable)>&
          run,
      const Consumer& consume);

 private:
  const Artifact& artifact_;
  std::mutex mutex_;
  std::unique_ptr<targets::Executable> executable_;
};

class Artifact {
 public:
  // Error: of the format's reader.
  static absl::StatusOr<std::shared_ptr<Artifact>> Of(
      const targets::Target& target, std::string_view bytes,
      std::optional<certificate::Certificate> certificate, std::string summary);
  // A file, and the certificate beside it, where one was made for it.
  static absl::StatusOr<std::shared_ptr<Artifact>> Open(const std::string& path);

  const targets::Target& target() const { return target_; }
  const targets::Artifact& read() const { return *artifact_; }
  std::string_view bytes() const;
  const std::string& summary() const { return summary_; }
  // Empty: there is none.
  std::string Certificate() const;
  // Writes it, and its certificate beside it, both or none.
  absl::Status Save(const std::string& path);

  absl::StatusOr<std::vector<targets::Port>> Ports(bool outputs);
  // Inputs from beginning to end: what comes late is among the outputs, and no run depends on
  // another. One run at a time.
  absl::Status Run(const std::vector<ir::Tensor>& inputs, const Consumer& consume);
  absl::StatusOr<std::vector<std::string>> Notes();
  // One of its own, ready to run.
  absl::StatusOr<std::unique_ptr<targets::Executable>> NewExecutable() const;

 private:
  Artifact(const targets::Target& target, std::string_view bytes) : target_(target), copy_(bytes) {}

  const targets::Target& target_;
  const support::AlignedCopy copy_;
  std::unique_ptr<targets::Artifact> artifact_;
  std::optional<certificate::Certificate> certificate_;
  std::string summary_;
  Loaded loaded_{*this};
};

// A stream's parts one after the other, through an executable that keeps the states.
class Stream {
 public:
  static absl::StatusOr<std::shared_ptr<Stream>> Of(std::shared_ptr<Artifact> artifact);
  // As Artifact::Run, but that more may follow.
  absl::Status Run(const std::vector<ir::Tensor>& inputs, const Consumer& consume);
  // What is still to come. What runs next begins another stream.
  absl::Status End(const Consumer& consume);

 private:
  explicit Stream(std::shared_ptr<Artifact> artifact)
      : artifact_(std::move(artifact)), loaded_(*artifact_) {}

  const std::shared_ptr<Artifact> artifact_;
  Loaded loaded_;
  bool begun_ = false;
};

void DefineArtifact(pybind11::module_& module);

}  // namespace tessera::python

#endif  // TESSERA_PYTHON_ARTIFACT_H_
