// Runs a Circle file on the CPU, from its bytes, with the kernels of the operators' definitions. It
// knows nothing of the graph that the file was made of.
#ifndef TESSERA_TARGETS_CIRCLE_EXECUTOR_H_
#define TESSERA_TARGETS_CIRCLE_EXECUTOR_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/attribute.h"
#include "ir/op_info.h"
#include "ir/tensor.h"
#include "targets/circle/file/calls.h"
#include "targets/circle/file/model.h"
#include "targets/size_facts.h"

namespace tessera::circle {

class Executor {
 public:
  // `bytes` start at a multiple of 16 and live as long as `owner`. Errors: what `ReadCircle` and
  // `CheckCircle` find; an operator without definition here, or options and types that its
  // definition does not have.
  static absl::StatusOr<Executor> Create(absl::Span<const uint8_t> bytes,
                                         std::shared_ptr<const void> owner);
  static absl::StatusOr<Executor> FromFile(const std::string& path);

  const FileModel& model() const { return model_; }
  size_t input_count() const { return model_.main().inputs.size(); }
  size_t output_count() const { return model_.main().outputs.size(); }

  // Inputs and outputs in the file's order. Tensors are released after their last use. Errors:
  // inputs that are not of the declared types and sizes; facts about sizes in the file's metadata
  // that do not hold; an operator whose constraints the tensors violate, or a result of which is
  // not of the type and sizes that the file gives it: none is Internal, since a file may say this.
  // ResourceExhausted where more than `most_steps` operators have run: a file may loop for ever.
  static constexpr int64_t kMostSteps = int64_t{1} << 28;
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs,
                                              int64_t most_steps = kMostSteps) const;

 private:
  using Tensors = std::vector<ir::Tensor>;
  struct Step {
    const ir::OpInfo* info = nullptr;  // null: it runs other graphs
    std::vector<ir::Attribute> attrs;
    // Operands that are no tensors of the file but what tensors are quantized by; absent: a tensor.
    std::vector<std::optional<ir::Tensor>> parameters;
    GraphCall call;
    std::vector<int32_t> released;  // tensors that nothing after it reads
  };
  struct Program {                                     // of one graph
    std::vector<Step> steps;                           // one per operator
    std::vector<std::optional<ir::Tensor>> constants;  // by tensor
  };

  absl::Status Prepare();
  absl::Status Prepare(const FileGraph& graph);
  static absl::StatusOr<Step> StepOf(const FileGraph& graph, const FileOperator& op);
  static absl::Status CheckType(const FileGraph& graph, int32_t index, const ir::Tensor& tensor);
  // `sizes`: those that are known, of the main graph, to which those are added that data decide.
  absl::StatusOr<Tensors> RunGraph(size_t index, Tensors inputs, int64_t& left,
                                   solver::Assignment* sizes = nullptr) const;
  // What tensor `index` of the main graph counts.
  absl::Status Count(int32_t index, const ir::Tensor& tensor, solver::Assignment& sizes) const;
  absl::StatusOr<Tensors> RunStep(const Step& step, const std::vector<const ir::Tensor*>& operands,
                                  int64_t& left) const;

  FileModel model_;
  std::vector<Program> programs_;  // by graph
  std::optional<targets::SizeFacts> facts_;
  std::multimap<int32_t, std::string> counted_;  // symbols, by tensor of the main graph
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_EXECUTOR_H_
