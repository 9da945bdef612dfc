// What tensors are quantized by, which operators over integers state and files keep with the
// tensors. Of an operand or result NAME: attributes NAME_scale and NAME_zero_point or, for a scale
// at each entry of an axis, an operand NAME_scale and the attribute NAME_quantized_dimension; the
// attribute NAME_type is its element type.
#ifndef TESSERA_TARGETS_CIRCLE_EMISSION_PARAMETERS_H_
#define TESSERA_TARGETS_CIRCLE_EMISSION_PARAMETERS_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "targets/circle/file/model.h"

namespace tessera::circle {

// Whether an attribute or operand is a parameter of one of the op's tensors.
bool IsParameter(const ir::OpInfo& info, std::string_view name);

// Of an operator of a file that reads or makes quantized tensors, that over integers; where there
// is none, and of others, that over elements as they are stored. Null: none is known.
const ir::OpInfo* DefinitionOf(const FileGraph& graph, const FileOperator& op);

// By what `op` takes its operand or result NAME to be quantized; nullopt: it does not say. Error
// (Internal): scales that are not constants.
absl::StatusOr<std::optional<FileQuantization>> QuantizationOf(const ir::Operation& op,
                                                               std::string_view name);

// The other way: the attributes of `info` that are parameters, from the tensors of an operator of a
// file. `tensor(name)` is the one that is operand or result NAME, null where there is none. Error:
// parameters that the operator does not have here.
using TensorByName = absl::FunctionRef<const FileTensor*(std::string_view)>;
const FileTensor* TensorNamed(const FileGraph& graph, const FileOperator& op,
                              const ir::OpInfo& info, std::string_view name);
absl::Status ReadParameters(const ir::OpInfo& info, TensorByName tensor,
                            std::vector<ir::Attribute>& attrs);
// And its operands that are; absent for those that are tensors of the file.
absl::StatusOr<std::vector<std::optional<ir::Tensor>>> ReadParameterOperands(const ir::OpInfo& info,
                                                                             TensorByName tensor);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_EMISSION_PARAMETERS_H_
