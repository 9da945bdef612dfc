// One operation of a model as the operations of the dialect that it stands for.
#ifndef TESSERA_TARGETS_NPU_EMULATOR_LAYERS_H_
#define TESSERA_TARGETS_NPU_EMULATOR_LAYERS_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/attribute.h"
#include "ir/tensor.h"
#include "targets/npu/device/device.h"
#include "targets/npu/emulator/operand_data.h"
#include "targets/npu/model/model.h"

namespace tessera::npu {

// Of an operation that the device admits.
class LayerRun {
 public:
  // `from`: where the input is the result of another operation, that; else null.
  LayerRun(const Operation& operation, const Device& device, bool use_fast, const ir::Tensor* from)
      : operation_(operation), device_(device), use_fast_(use_fast), from_(from) {}

  absl::StatusOr<ir::Tensor> Output();
  // How often something was clamped on the way.
  int64_t saturations() const { return saturations_; }

 private:
  using Attributes = std::vector<std::pair<std::string_view, ir::Attribute>>;

  absl::StatusOr<ir::Tensor> Input() const;
  // The first result of an operation of the dialect.
  absl::StatusOr<ir::Tensor> Run(std::string_view op,
                                 const std::vector<const ir::Tensor*>& operands,
                                 const Attributes& attributes);
  absl::StatusOr<ir::Tensor> ThroughTable(absl::StatusOr<ir::Tensor> sums);
  absl::StatusOr<ir::Tensor> Affine(const ir::Tensor& x);
  absl::StatusOr<ir::Tensor> Recurrent(const ir::Tensor& x);
  absl::StatusOr<ir::Tensor> RowConvolution(const ir::Tensor& x);
  absl::StatusOr<ir::Tensor> ImageConvolution(const ir::Tensor& x);
  absl::StatusOr<ir::Tensor> Movement(const ir::Tensor& x);

  const Operation& operation_;
  const Device& device_;
  const bool use_fast_;
  const ir::Tensor* from_;
  int64_t saturations_ = 0;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_EMULATOR_LAYERS_H_
