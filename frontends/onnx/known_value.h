// What the elements of a value are known to be while a model is imported.
#ifndef TESSERA_FRONTENDS_ONNX_KNOWN_VALUE_H_
#define TESSERA_FRONTENDS_ONNX_KNOWN_VALUE_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/tensor.h"
#include "ir/value.h"

namespace tessera::onnx_import {

// The elements of a value, whole numbers or bools, as expressions, row-major, if they follow from
// dims and constants: what the IR tracks, any constant, what EvaluateSmall finds, and sizes
// computed in floats where those are exact. The last may bound dims, for the sake of `where`
// (float_sizes.h).
std::optional<std::vector<ir::Expr>> KnownElements(solver::Context& context, ir::Value& value,
                                                   const std::string& where);

// The value itself where it follows from constants alone, through any ops that have a kernel: shape
// arithmetic that detours through floats. Gives up beyond 64 operations or a tensor of 64 KiB.
std::optional<ir::Tensor> EvaluateSmall(const ir::Value& value);

// Whether elements of `value` follow from those of inputs of the graph, so that no declaration
// makes them known.
bool DependsOnData(const ir::Value& value);

// Why the elements of `value` are not known, as the end of a sentence: which inputs of the graph
// they are computed from, and what would help.
std::string WhyUnknown(solver::Context& context, const ir::Value& value);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_KNOWN_VALUE_H_
