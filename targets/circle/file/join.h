// A CONCATENATION of one tensor: a copy whose sizes are found out when it runs, in every runtime.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_JOIN_H_
#define TESSERA_TARGETS_CIRCLE_FILE_JOIN_H_

#include <cstdint>

#include "targets/circle/file/model.h"

namespace tessera::circle {

// Of a tensor that has an axis.
inline FileOperator JoinOfOne(int32_t tensor, int32_t result) {
  FileOperator op;
  op.builtin_code = ::circle::BuiltinOperator_CONCATENATION;
  op.inputs = {tensor};
  op.outputs = {result};
  op.options_table = "ConcatenationOptions";
  op.options = {{"axis", int64_t{0}}, {"fused_activation_function", "NONE"}};
  return op;
}

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_JOIN_H_
