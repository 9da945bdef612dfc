// Small models for tests.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_SAMPLE_MODELS_H_
#define TESSERA_TARGETS_CIRCLE_FILE_SAMPLE_MODELS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "targets/circle/file/model.h"

namespace tessera::circle {

FileTensor Activation(std::string name, std::vector<int64_t> shape);

template <class T>
FileTensor Constant(std::string name, TensorType type, std::vector<int64_t> shape,
                    std::vector<T> values) {
  FileTensor tensor;
  tensor.name = std::move(name);
  tensor.type = type;
  tensor.shape = std::move(shape);
  tensor.is_constant = true;
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  tensor.data = {reinterpret_cast<const uint8_t*>(owner->data()), owner->size() * sizeof(T)};
  tensor.owner = owner;
  return tensor;
}

// c = a + b, of shape [-1, 2].
FileModel AddModel();

// 2-D convolution of [1, 4, 5, 2] with three 3x3 filters, SAME, stride 2 by 1, ReLU.
FileModel ConvModel();

// n and x to x * 2^n: a WHILE whose body adds x to itself.
FileModel WhileModel();

// The same with the size of x computed in the model: 0 of x's shape is added before the loop.
FileModel ComputedSizeLoopModel();

// The integers x in the shape that is given.
FileModel ComputedShapeModel();

// x + x goes to others before it goes to the loop or the choice of `model`, one of those above and
// below, which is also given what the last of those others yields, 32 * x, and does nothing to it.
FileModel SharedOperandModel(FileModel model);

// c and x to x + x where c holds, to x * x where not: an IF.
FileModel IfModel();

// Something of each kind that a file can hold: dynamic dims, scalars, types of all widths,
// quantization, states, shared and empty constants, operators of codes below zero and above 127,
// from both unions of options, custom ones, absent inputs, signatures, metadata. Not meaningful as
// a network, but `CheckCircle` finds no errors.
FileModel EveryKindModel();

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_SAMPLE_MODELS_H_
