// Element types of the IR and of the format.
#ifndef TESSERA_TARGETS_CIRCLE_EMISSION_DTYPES_H_
#define TESSERA_TARGETS_CIRCLE_EMISSION_DTYPES_H_

#include <optional>

#include "ir/dtype.h"
#include "targets/circle/file/model.h"

namespace tessera::circle {

// nullopt: tensors of that type cannot be written.
std::optional<TensorType> TypeOf(ir::DType dtype);
// nullopt for types that the IR does not have (4 bits, strings, complex numbers ...).
std::optional<ir::DType> DTypeOf(TensorType type);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_EMISSION_DTYPES_H_
