#include "codegen/support/kernel_io.h"

#include <algorithm>

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
    if (!inputs[i]->steps.empty()) infos[i].has_elements = false;
    if (infos[i].has_elements) infos[i].elements = inputs[i]->elements;
  }
  return infos;
}

const Fraction* SymbolicIo::ReadFractions(const ir::SymbolicTensor& tensor) {
  auto& read = read_.emplace_back(std::make_unique<std::vector<Fraction>>());
  read->reserve(tensor.elements.size() + 1);  // null would mean an absent operand
  const int bits = PrecisionOf(tensor.dtype);
  for (size_t i = 0; i < tensor.elements.size(); ++i) {
    Fraction& fraction = read->emplace_back(tensor.elements[i]);
    fraction.bits = bits;
    fraction.needs = tensor.needs;
    if (i < tensor.denominators.size()) fraction.den = tensor.denominators[i];
    if (i < tensor.rounded.size()) fraction.rounded = tensor.rounded[i];
    if (i < tensor.steps.size()) fraction.steps = tensor.steps[i];
  }
  return read->data();
}

Fraction* SymbolicIo::WriteFractions(size_t index) {
  const size_t count = args_.outputs[index].elements.size();
  written_.emplace_back(index, std::make_unique<std::vector<Fraction>>(count));
  return written_.back().second->data();
}

void SymbolicIo::Finish() {
  if (loses_steps_) {
    for (ir::SymbolicTensor& tensor : args_.outputs)
      std::fill(tensor.elements.begin(), tensor.elements.end(), solver::Expr::Invalid());
    return;
  }
  for (const auto& [index, fractions] : written_) {
    ir::SymbolicTensor& tensor = args_.outputs[index];
    const bool real = ir::IsFloat(tensor.dtype);
    bool follows = false;
    tensor.needs = 1;
    tensor.denominators.clear();
    tensor.rounded.clear();
    tensor.steps.clear();
    for (size_t i = 0; i < fractions->size(); ++i) {
      const Fraction& fraction = (*fractions)[i];
      tensor.elements[i] = real || fraction.bits == 0 ? fraction.num : solver::Expr::Invalid();
      tensor.needs = solver::And(tensor.needs, fraction.needs);
      tensor.steps.push_back(fraction.steps);
      follows |= !fraction.steps.empty();
      if (!real) continue;
      tensor.denominators.push_back(fraction.den);
      tensor.rounded.push_back(fraction.rounded);
    }
    if (!follows) tensor.steps.clear();
  }
}

}  // namespace tessera::kernels
