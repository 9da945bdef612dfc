// Circle as the tools see it (targets/target.h).
#include "targets/target.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/circle/compile.h"
#include "targets/circle/describe.h"
#include "targets/circle/emission/branches.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/emission/emit.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/check.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/lowering/legalize.h"
#include "targets/circle/operators.h"
#include "targets/circle/runtimes/fit_file.h"
#include "targets/circle/runtimes/inspect.h"
#include "targets/circle/runtimes/launch.h"
#include "targets/circle/runtimes/runtimes.h"
#include "targets/circle/runtimes/use.h"
#include "targets/circle/toggles.h"

namespace tessera::circle {
namespace {

// Decibels of what is computed on integers, which round in other places than floats that are
// quantized behind each operator.
constexpr double kSnrOfIntegers = 20;

// What a network with quantized tensors became.
std::vector<std::string> LinesOf(const IntegersReport& report) {
  if (report.operators == 0) return {};
  std::vector<std::string> lines = {
      absl::StrCat("on integers: ", report.operators, " operators, and ", report.moved,
                   " that move them; on floats: ", report.islands.size())};
  for (const IntegersReport::Island& island : report.islands) {
    lines.push_back(absl::StrCat("  ", island.op, " at `", island.scope, "`: ", island.reason));
  }
  return lines;
}

// A text that is made when it is read.
class LateText : public support::ByteSource {
 public:
  explicit LateText(std::function<std::string()> make) : make_(std::move(make)) {}

  void Read(size_t begin, absl::Span<uint8_t> into) const override {
    std::call_once(made_, [this] { text_ = make_(); });
    for (size_t i = 0; i < into.size(); ++i)
      into[i] = begin + i < text_.size() ? static_cast<uint8_t>(text_[begin + i]) : uint8_t{0};
  }

 private:
  std::function<std::string()> make_;
  mutable std::once_flag made_;
  mutable std::string text_;
};

class CircleCompilation : public targets::Compilation {
 public:
  // `named`: the user said for which.
  CircleCompilation(Places places, bool named) : places_(std::move(places)), named_(named) {}
  passes::Pipeline pipeline() const override { return CirclePipeline(integers_, places_); }

  absl::Status Emit(ir::Graph& graph,
                    const std::map<std::string, std::string>& configuration) override {
    std::map<std::string, std::string> whole = configuration;
    if (named_) whole[std::string(targets::kRuntimeFlag)] = places_.name();
    absl::StatusOr<FileModel> model = circle::Emit(graph, whole, InBranches());
    if (!model.ok()) return model.status();
    FitFile(*model, places_);
    if (places_.strict()) {
      const std::vector<std::string> lines = NotHeld(*model, places_);
      if (!lines.empty())
        return absl::UnimplementedError(
            absl::StrCat("not for `", places_.name(), "`:\n  ", absl::StrJoin(lines, "\n  ")));
    } else {
      // The file does not say which of its unknown sizes may be 0.
      without_entries_ = NotHeldWithoutEntries(graph, places_);
    }
    model_ = *std::move(model);
    return absl::OkStatus();
  }

  bool CountsSizes() const override { return true; }

  targets::Summary Summarize() const override {
    targets::Summary summary;
    summary.counts = CountOperators(model_);
    for (const FileGraph& graph : model_.graphs) summary.operators += graph.operators.size();
    summary.lines = LinesOf(*integers_);
    if (!places_.strict()) {
      for (const std::string& line : NotHeld(model_, places_))
        summary.lines.push_back(absl::StrCat("not in every runtime: ", line));
      for (const std::string& line : without_entries_)
        summary.lines.push_back(absl::StrCat("not in every runtime: ", line));
    }
    return summary;
  }

  void SetMetadata(const std::string& name, std::string bytes) override {
    model_.metadata[name] = std::move(bytes);
  }

  void SetLateMetadata(const std::string& name, size_t size,
                       std::function<std::string()> make) override {
    model_.late_metadata[name] = {std::make_shared<const LateText>(std::move(make)), size};
  }

  absl::StatusOr<targets::Serialized> Serialize() const override {
    absl::StatusOr<SerializedCircle> file = SerializeCircle(model_);
    if (!file.ok()) return file.status();
    auto owner = std::make_shared<const SerializedCircle>(*std::move(file));
    return targets::Serialized{owner->runs, owner->size, owner};
  }

  // Sums are taken in another order than the reference's.
  targets::Tolerance tolerance() const override {
    return {1e-5, integers_->operators > 0 ? kSnrOfIntegers : 0};
  }

 private:
  // onert 0.1.0 takes the sizes that a PAD by computed widths yields in one branch for those of the
  // other: what goes by computed shapes is computed whatever the condition is, as all was before.
  static MayBranch InBranches() {
    return [](const ir::Operation& op) {
      const std::optional<Use> use = UseOf(op);
      return !use.has_value() || use->forms.count(kComputed) == 0;
    };
  }

  Places places_;
  bool named_;
  FileModel model_;
  std::vector<std::string> without_entries_;  // operators that need some, and why
  const std::shared_ptr<IntegersReport> integers_ = std::make_shared<IntegersReport>();
};

std::vector<targets::Port> PortsOf(const FileGraph& graph, const std::vector<int32_t>& tensors) {
  std::vector<targets::Port> ports;
  for (int32_t t : tensors) {
    const FileTensor& tensor = graph.tensors[static_cast<size_t>(t)];
    ports.push_back({tensor.name, DTypeOf(tensor.type).value_or(ir::DType::kF32), tensor.shape});
  }
  return ports;
}

class CircleExecutable : public targets::Executable {
 public:
  explicit CircleExecutable(Executor executor) : executor_(std::move(executor)) {
    const FileGraph& graph = executor_.model().main();
    inputs_ = PortsOf(graph, graph.inputs);
    outputs_ = PortsOf(graph, graph.outputs);
  }

  const std::vector<targets::Port>& inputs() const override { return inputs_; }
  const std::vector<targets::Port>& outputs() const override { return outputs_; }
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs) override {
    return executor_.Run(inputs);
  }

 private:
  Executor executor_;
  std::vector<targets::Port> inputs_, outputs_;
};

class CircleArtifact : public targets::Artifact {
 public:
  CircleArtifact(absl::Span<const uint8_t> bytes, std::shared_ptr<const void> owner,
                 FileModel model)
      : bytes_(bytes), owner_(std::move(owner)), model_(std::move(model)) {}

  std::vector<targets::Part> Describe(const targets::Detail& detail) const override {
    return circle::Describe(model_, detail);
  }
  std::string Json() const override { return JsonText(model_); }
  std::vector<targets::Finding> Check() const override { return CheckCircle(model_); }
  const std::map<std::string, std::string>& metadata() const override { return model_.metadata; }
  std::optional<recheck::Artifact> Operators() const override {
    RegisterOperators();
    return OperatorsOf(model_);
  }

  absl::StatusOr<std::vector<std::string>> NotRunBy(std::string_view runtime) const override {
    RegisterOperators();
    const absl::StatusOr<Places> places = Places::Of(runtime);
    if (!places.ok()) return places.status();
    return NotHeld(model_, *places);
  }

  targets::Tolerance ToleranceOr(const targets::Tolerance& unless) const override {
    RegisterOperators();
    const recheck::Artifact read = OperatorsOf(model_);
    const bool on_integers =
        std::any_of(read.operators.begin(), read.operators.end(),
                    [](const recheck::Artifact::Operator& op) { return op.dialect == kIntegers; });
    return on_integers ? targets::Tolerance{unless.peir, kSnrOfIntegers} : unless;
  }

  absl::StatusOr<std::unique_ptr<targets::Executable>> Load() const override {
    absl::StatusOr<Executor> executor = Executor::Create(bytes_, owner_);
    if (!executor.ok()) return executor.status();
    return std::make_unique<CircleExecutable>(*std::move(executor));
  }

 private:
  absl::Span<const uint8_t> bytes_;
  std::shared_ptr<const void> owner_;
  FileModel model_;
};

class CircleTarget : public targets::Target {
 public:
  std::string_view name() const override { return "circle"; }
  std::string_view title() const override { return "Circle"; }
  void Register() const override { RegisterOperators(); }

  std::vector<targets::Flag> flags() const override {
    return {{std::string(targets::kRuntimeFlag), "NAME",
             absl::StrCat("the artifact runs in that runtime, or is refused: one of ",
                          absl::StrJoin(PlaceNames(), ", "),
                          "; `any`: in all of them, but for what has no form for all, which is "
                          "said; default: as `any`, but that what is quantized stays on integers "
                          "where one of them has those operators"),
             /*repeated=*/false, PlaceNames()}};
  }

  std::vector<targets::Toggle> toggles() const override { return Toggles(); }

  absl::StatusOr<std::unique_ptr<targets::Compilation>> Configure(
      const targets::FlagValues& flags) const override {
    const auto given = flags.find(targets::kRuntimeFlag);
    if (given == flags.end())
      return std::make_unique<CircleCompilation>(Places::ByDefault(), false);
    absl::StatusOr<Places> places = Places::Of(given->second.back());
    if (!places.ok()) return places.status();
    return std::make_unique<CircleCompilation>(*std::move(places), true);
  }

  std::vector<std::string> Runtimes() const override {
    std::vector<std::string> names;
    for (const Runtime& runtime : circle::Runtimes()) names.push_back(runtime.name);
    return names;
  }
  absl::StatusOr<std::vector<ir::Tensor>> RunIn(
      const targets::ForeignRuntime& runtime, std::string_view artifact,
      absl::Span<const ir::Tensor> inputs) const override {
    const Launch launch{std::string(artifact), {inputs.begin(), inputs.end()}};
    absl::StatusOr<std::vector<LaunchOutputs>> outputs =
        circle::RunIn(runtime.name, runtime.packages, {&launch, 1});
    if (!outputs.ok()) return outputs.status();
    return std::move(outputs->front());
  }

  bool Recognizes(std::string_view first_bytes) const override {
    // The root's offset, then the identifier.
    return first_bytes.size() >= 8 && ::circle::ModelBufferHasIdentifier(first_bytes.data());
  }

  absl::StatusOr<std::unique_ptr<targets::Artifact>> Open(
      absl::Span<const uint8_t> bytes, std::shared_ptr<const void> owner) const override {
    absl::StatusOr<FileModel> model = ReadCircle(bytes, owner);
    if (!model.ok()) return model.status();
    return std::make_unique<CircleArtifact>(bytes, std::move(owner), *std::move(model));
  }
};

}  // namespace

const targets::Target& TheTarget() {
  static const CircleTarget* const target = new CircleTarget();
  return *target;
}

}  // namespace tessera::circle
