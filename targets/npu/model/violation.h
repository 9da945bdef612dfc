// Why a device refuses a model: the place, what was seen there, and the limit.
#ifndef TESSERA_TARGETS_NPU_MODEL_VIOLATION_H_
#define TESSERA_TARGETS_NPU_MODEL_VIOLATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "targets/npu/model/model.h"

namespace tessera::npu {

// What kind of thing is wrong, as the device's library names it.
enum class Item : uint8_t {
  kModelOperations,
  kOperationOperands,
  kOperationParameters,
  kOperandMode,
  kOperandType,
  kOperandData,
  kParameter,
  kShapeNumberOfDimensions,
  kShapeDimensions,
  kInternal,  // it names no place more precise than the operation or operand
};
enum class Reason : uint8_t {
  kNullNotAllowed,
  kNullRequired,
  kBelowRange,
  kAboveRange,
  kNotEqual,
  kNotInSet,
  kNotMultiplicity,
  kNotAligned,
  kOther,
};

std::string_view NameOf(Item item);      // `ShapeDimensions`
std::string_view NameOf(Reason reason);  // `AboveRange`

struct Violation {
  Item item = Item::kInternal;
  Reason reason = Reason::kOther;
  std::optional<int64_t> operation, operand, parameter, dimension;
  int64_t value = 0;  // what was seen; types and modes by number, an address modulo 64
  std::string limit;  // id and text: `affine.input.H: 8..65535, a multiple of 8`

  // `operation 0 (FullyConnectedAffine), operand 0 (input), dimension 0: NotMultiplicity: 28;
  // gna-2.0 affine.input.H: ...`.
  std::string Text(const Model& model, std::string_view device) const;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_MODEL_VIOLATION_H_
