// What a target is to the tools. Each target is one object of this interface in a room of its own,
// and one line in the list of `targets/all`; no tool knows one by name.
//
//   compile   Configure(flags) -> Compilation: pipeline, then Emit, then Serialize
//   verify    the same, then Open(bytes) -> Artifact, Load() -> Executable, Run
//   inspect   Recognizes, Open, Describe, Report, Json, Check
//   run       Recognizes, Open, Load, Run
//   bench     the same, many times, and Profile
//   tune      Tune -> Tuning: pipeline, Measure, Serialize
//   prove     Open, metadata, SizeFacts, Limits, Operators
#ifndef TESSERA_TARGETS_TARGET_H_
#define TESSERA_TARGETS_TARGET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "passes/pass.h"
#include "recheck/artifact.h"
#include "report/page.h"
#include "support/byte_run.h"
#include "targets/finding.h"
#include "targets/toggle.h"

namespace tessera::targets {

// A flag of the target's own, without the dashes. Flags of all targets live side by side: their
// names begin with the target's (`npu-device`), or are meant alike by all that have them.
struct Flag {
  std::string name;
  std::string placeholder;  // empty: a switch
  std::string doc;          // ends with the default, if there is one to tell
  bool repeated = false;
  std::vector<std::string> choices = {};  // the values that it takes; empty: not a few names
  // What its values name that is read: nothing; a file, if there is one of that name; a folder of
  // samples.
  enum class Reads : uint8_t { kNothing, kFile, kSamples } reads = Reads::kNothing;
};
// The folder with sets of inputs over which a target measures values, of any that does.
inline constexpr std::string_view kCalibrationFlag = "calibrate";
// The runtime of others that an artifact is for, of any target that has such.
inline constexpr std::string_view kRuntimeFlag = "runtime";
// What was given, by name: the values in their order, of a switch `true`.
using FlagValues = std::map<std::string, std::vector<std::string>, std::less<>>;

// Rows of text, the first one the header.
using Rows = std::vector<std::vector<std::string>>;

// An artifact's bytes as runs, one after the other, of what the compilation holds.
struct Serialized {
  std::vector<support::ByteRun> runs;
  int64_t size = 0;  // of all together
  std::shared_ptr<const void> owner;

  std::string Join() const;
};

// What a user wants to know of an artifact when it has been made.
struct Summary {
  Rows counts;           // of operations by kind
  size_t operators = 0;  // in all
  std::vector<std::string> lines;
};

// How outputs may differ from the reference's and still hold.
struct Tolerance {
  double peir = 0;  // tools/verification/comparison.h
  double snr = 0;   // decibels at least; above 0 it decides in place of the PEIR
};

// A limit of the device that an artifact meets, for its certificate.
struct DeviceLimit {
  std::string device, id;  // `gna-3.0`, `affine.input.H`
  std::string message;     // for people
  std::string statement;   // over numbers (solver/certificate/statement.h)
};

// One compilation. The order of calls is that of declaration.
class Compilation {
 public:
  virtual ~Compilation() = default;
  // The target's own passes, which run behind the canonical ones.
  virtual passes::Pipeline pipeline() const = 0;
  // From the graph that the passes left; `configuration` is what the artifact shall say of how it
  // was made. The graph must live as long as this.
  virtual absl::Status Emit(ir::Graph& graph,
                            const std::map<std::string, std::string>& configuration) = 0;
  // Whether artifacts have sizes that data decide.
  virtual bool CountsSizes() const { return false; }
  virtual Summary Summarize() const = 0;
  // Of what was emitted: each limit with each value that had to meet it, once.
  virtual std::vector<DeviceLimit> Limits() const { return {}; }
  // An entry of the artifact's metadata.
  virtual void SetMetadata(const std::string& name, std::string bytes) = 0;
  // The same, of `size` bytes that take their time: `make` is called at once, or when the artifact
  // is read as far as that.
  virtual void SetLateMetadata(const std::string& name, size_t size,
                               std::function<std::string()> make) {
    (void)size;
    SetMetadata(name, make());
  }
  virtual absl::StatusOr<Serialized> Serialize() const = 0;
  virtual Tolerance tolerance() const = 0;
};

// A piece of a description: text as it is, then a table.
struct Part {
  std::string text;
  Rows table;
};
struct Detail {
  bool operators = false;  // every operation with its options
  bool tensors = false;    // every tensor
};

// An input or output as the artifact declares it.
struct Port {
  std::string name;
  ir::DType dtype = ir::DType::kF32;
  std::vector<int64_t> dims;  // -1: known only at run time
};

// A step of a run: a dispatch, an operator.
struct StepTime {
  std::string name, location;
  double seconds = 0;
  int64_t flops = -1, bytes = -1;  // computed; read and written; -1: not known
};

class Executable {
 public:
  virtual ~Executable() = default;
  virtual const std::vector<Port>& inputs() const = 0;
  virtual const std::vector<Port>& outputs() const = 0;
  // In the order of the ports, in the layouts and dtypes of the network. States last from one run
  // to the next.
  virtual absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs) = 0;
  // The same, and nothing follows: what comes late is among the outputs, and the states are as at
  // the beginning. No inputs at all, behind a run with some: only what is still to come.
  virtual absl::StatusOr<std::vector<ir::Tensor>> RunLast(absl::Span<const ir::Tensor> inputs) {
    return Run(inputs);
  }
  // Whether runs depend on earlier ones: inputs are parts of a stream.
  virtual bool KeepsStates() const { return false; }
  // What there is to say of the runs so far besides their outputs, in sentences without an end.
  virtual std::vector<std::string> Notes() const { return {}; }
  // What runs it, by its own name; empty: this process.
  virtual std::string Device() const { return ""; }
  // Runs once, and says what each step took. Unimplemented: they are not told apart.
  virtual absl::StatusOr<std::vector<StepTime>> Profile(absl::Span<const ir::Tensor> inputs) {
    (void)inputs;
    return absl::UnimplementedError("its steps are not told apart");
  }
};

// One that has been read, and is as its format's reader wants it.
class Artifact {
 public:
  virtual ~Artifact() = default;
  virtual std::vector<Part> Describe(const Detail& detail) const = 0;
  virtual std::string Json() const = 0;
  // A page for people, without a title: that is the file's name. Unless overridden, the whole
  // description in tables.
  virtual report::Page Report() const;
  // Errors first.
  virtual std::vector<Finding> Check() const = 0;
  virtual const std::map<std::string, std::string>& metadata() const = 0;
  // The entry kSizeFactsName of the metadata. JSON: symbols and what is checked at run time
  // (size_facts.h says the form). Empty: it says nothing of them.
  std::string SizeFacts() const;
  // The same as Compilation::Limits, from the bytes.
  virtual std::vector<DeviceLimit> Limits() const { return {}; }
  // Its operators, each with a definition in the target's dialect: what they require of shapes is
  // derived again from it. Null: no definitions say what they are.
  virtual std::optional<recheck::Artifact> Operators() const { return std::nullopt; }
  // How its outputs may differ, where a compilation with its flags alone would say `unless`.
  virtual Tolerance ToleranceOr(const Tolerance& unless) const { return unless; }
  virtual absl::StatusOr<std::unique_ptr<Executable>> Load() const = 0;
  // What a runtime of others is not known to run of it, and why, a line each. Error
  // (InvalidArgument): no runtime of that name runs artifacts of this kind.
  virtual absl::StatusOr<std::vector<std::string>> NotRunBy(std::string_view runtime) const {
    (void)runtime;
    return absl::InvalidArgumentError("no runtime of others runs such a file");
  }
};

// A runtime of others on this machine.
struct ForeignRuntime {
  std::string name;
  std::string packages;  // the folder that holds its package; empty: where it is looked for
};

// What a target measures on its device, to choose by when it compiles.
class Tuning {
 public:
  virtual ~Tuning() = default;
  // Those of a compilation.
  virtual passes::Pipeline pipeline() const = 0;
  // Times every way to compute the graph that the passes left, for each of these sets of inputs,
  // the median of so many runs, and adds that to what is known. `label` names each of the sets;
  // `progress` is told what comes next.
  virtual absl::Status Measure(ir::Graph& graph, absl::Span<const std::vector<ir::Tensor>> inputs,
                               absl::Span<const std::string> labels, int runs,
                               const std::function<void(const std::string&)>& progress) = 0;
  virtual std::string Serialize() const = 0;
  virtual std::vector<std::string> Summarize() const = 0;
};

class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view title() const = 0;                 // for people: `Circle`
  virtual std::string_view suffix() const { return name(); }  // of the artifacts' files
  virtual std::vector<Flag> flags() const { return {}; }
  // Keys of the configuration besides those that all targets have.
  virtual std::vector<Toggle> toggles() const { return {}; }
  // Makes its operations known to the registry; once is enough, more does no harm.
  virtual void Register() const = 0;
  // Error: InvalidArgument for a value that a flag does not take; others for files that flags name.
  virtual absl::StatusOr<std::unique_ptr<Compilation>> Configure(const FlagValues& flags) const = 0;

  // `known` is what Serialize of an earlier one gave, or empty. Unimplemented: there is nothing to
  // choose by measurements.
  virtual absl::StatusOr<std::unique_ptr<Tuning>> Tune(const FlagValues& flags,
                                                       std::string_view known) const {
    (void)flags, (void)known;
    return absl::UnimplementedError("it chooses nothing by measurements");
  }

  // Runtimes of others that run its artifacts, by name.
  virtual std::vector<std::string> Runtimes() const { return {}; }
  // What the artifact computes in one of them, in a process of its own. Errors: it is not installed
  // (FailedPrecondition, with how to install it), or what it says of the artifact.
  virtual absl::StatusOr<std::vector<ir::Tensor>> RunIn(const ForeignRuntime& runtime,
                                                        std::string_view artifact,
                                                        absl::Span<const ir::Tensor> inputs) const {
    (void)runtime, (void)artifact, (void)inputs;
    return absl::UnimplementedError("no runtime of others runs such artifacts");
  }

  // Whether a file that begins so is one of its artifacts, by its magic number.
  virtual bool Recognizes(std::string_view first_bytes) const = 0;
  // `bytes` start at a multiple of 16 and live as long as `owner`. Safe on any bytes.
  virtual absl::StatusOr<std::unique_ptr<Artifact>> Open(
      absl::Span<const uint8_t> bytes, std::shared_ptr<const void> owner) const = 0;
};

// Whether the artifact can have all sizes of the graph. Error: Unimplemented, with each size that
// data decide and its place.
absl::Status TakesSizes(const Compilation& compilation, const ir::Graph& graph);

// Bytes of a file that are enough for `Recognizes`.
inline constexpr size_t kRecognizedBy = 64;

}  // namespace tessera::targets

#endif  // TESSERA_TARGETS_TARGET_H_
