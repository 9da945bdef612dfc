#include "codegen/support/kernel_io.h"

namespace tessera::kernels {

ConcreteInfos::ConcreteInfos(absl::Span<const ir::Tensor* const> inputs,
                             absl::Span<const ir::OperandSpec> specs) {
  elements_.resize(inputs.size());
  infos.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    const ir::Tensor& tensor = *inputs[i];
    ir::OperandInfo<int64_t>& info = infos[i];
    info.present = true;
    info.dtype = tensor.dtype();
    info.dims = tensor.shape();
    if (specs.empty() || !specs[std::min(i, specs.size() - 1)].elements) continue;
    for (int64_t e = 0; e < tensor.size(); ++e) elements_[i].push_back(tensor.AsInt(e));
    info.has_elements = true;
    info.elements = elements_[i];
  }
}

std::vector<ir::OperandInfo<solver::Expr>> SymbolicInfos(
    absl::Span<const ir::SymbolicTensor* const> inputs) {
  std::vector<ir::OperandInfo<solver::Expr>> infos(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    infos[i].present = true;
    infos[i].dtype = inputs[i]->dtype;
    infos[i].dims = inputs[i]->dims;
    infos[i].has_elements = inputs[i]->has_elements;
    infos[i].elements = inputs[i]->elements;
  }
  return infos;
}

}  // namespace tessera::kernels
