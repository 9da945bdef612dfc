// What `//tools:verify` compares with the reference: something that makes bytes of a graph, and
// outputs of bytes and inputs. The targets that a program links are such things, and in tests there
// are runtimes of others.
#ifndef TESSERA_TOOLS_VERIFICATION_TARGET_H_
#define TESSERA_TOOLS_VERIFICATION_TARGET_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "targets/target.h"

namespace tessera::verification {

class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  // The whole pipeline of the target, from an imported graph, which it may change.
  virtual absl::StatusOr<std::string> Compile(ir::Graph& graph) const = 0;
  // What is compared in place of that; null: what it makes.
  virtual const std::string* artifact() const { return nullptr; }
  // From the bytes alone. Inputs and outputs are in the graph's order, in its layouts and dtypes.
  virtual absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view artifact, absl::Span<const ir::Tensor> inputs) const = 0;
  // The same with what there is to say of the run.
  struct Execution {
    std::vector<ir::Tensor> outputs;
    std::vector<std::string> notes;
  };
  virtual absl::StatusOr<Execution> ExecuteWithNotes(std::string_view artifact,
                                                     absl::Span<const ir::Tensor> inputs) const {
    absl::StatusOr<std::vector<ir::Tensor>> outputs = Execute(artifact, inputs);
    if (!outputs.ok()) return outputs.status();
    return Execution{*std::move(outputs), {}};
  }
  // The artifact's outputs against the reference's, as a PEIR.
  virtual double tolerance() const = 0;
  // Decibels; above 0 they decide in place of the PEIR.
  virtual double least_snr() const { return 0; }
};

// One that the program links, with flags of its own. Error: a value that a flag does not take.
// With a runtime of others its artifacts are executed in that. With an artifact nothing is
// compiled: it is what is compared, and the flags only say how exact it is.
struct GivenArtifact {
  std::string bytes;
  const targets::Artifact* read = nullptr;
};
absl::StatusOr<std::unique_ptr<const Target>> MakeTarget(
    const targets::Target& target, const targets::FlagValues& flags,
    std::optional<targets::ForeignRuntime> runtime = std::nullopt,
    std::optional<GivenArtifact> given = std::nullopt);

// Whether the target measures values before it compiles, and is given no data for it.
bool LacksCalibration(const targets::Target& target, const targets::FlagValues& flags);

// A target that measures values before it compiles takes the data that it is compared on, in the
// folder `data`, unless others are given.
void CalibrateWith(const std::string& data, const targets::Target& target,
                   targets::FlagValues& flags);

// The one of that name without flags; null if there is none.
const Target* FindTarget(std::string_view name);

}  // namespace tessera::verification

#endif  // TESSERA_TOOLS_VERIFICATION_TARGET_H_
