// Constants of a model.
#ifndef TESSERA_RECHECK_CONSTANTS_H_
#define TESSERA_RECHECK_CONSTANTS_H_

#include <string>

#include "onnx/onnx_pb.h"
#include "recheck/terms.h"
#include "recheck/value.h"

namespace tessera::recheck {

// `f32`, `i64` ...; empty: no dtype of the definitions.
std::string DTypeNameOf(int onnx_type);

// With its dims, and, where it is small or holds indices, what is known of its values. Data in
// files of its own is looked for in `folder`, which ends in a slash or is empty. Null: it is of no
// dtype of the definitions.
TensorPtr ReadConstant(const onnx::TensorProto& proto, const std::string& folder, Terms& terms);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_CONSTANTS_H_
