// Runs a Circle file on the CPU, from its bytes, with the kernels of the operators' definitions. It
// knows nothing of the graph that the file was made of.
#ifndef TESSERA_TARGETS_CIRCLE_EXECUTOR_H_
#define TESSERA_TARGETS_CIRCLE_EXECUTOR_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/attribute.h"
#include "ir/op_info.h"
#include "ir/tensor.h"
#include "targets/circle/emission/size_facts.h"
#include "targets/circle/file/model.h"

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
  size_t input_count() const { return model_.inputs.size(); }
  size_t output_count() const { return model_.outputs.size(); }

  // Inputs and outputs in the file's order. Tensors are released after their last use. Errors:
  // inputs that are not of the declared types and sizes; facts about sizes in the file's metadata
  // that do not hold; an operator whose constraints the tensors violate; Internal where a result
  // is not of the type and sizes that the file gives it.
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs) const;

 private:
  struct Step {
    const ir::OpInfo* info;
    std::vector<ir::Attribute> attrs;
    std::vector<int32_t> released;  // tensors that nothing after it reads
  };

  absl::Status Prepare();
  absl::Status CheckType(int32_t index, const ir::Tensor& tensor) const;

  FileModel model_;
  std::vector<Step> steps_;                           // one per operator
  std::vector<std::optional<ir::Tensor>> constants_;  // by tensor
  std::optional<SizeFacts> facts_;
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_EXECUTOR_H_
