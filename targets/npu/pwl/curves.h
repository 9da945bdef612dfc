// Functions that tests and the manual's table are about, by the definitions of their operations.
#ifndef TESSERA_TARGETS_NPU_PWL_CURVES_H_
#define TESSERA_TARGETS_NPU_PWL_CURVES_H_

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "targets/npu/pwl/function.h"

namespace tessera::npu {

// Makes operations and their nests known.
void RegisterOperations();

// What `text` says between its one input and its one output, as a graph of the IR; aborts where it
// is wrong.
struct Curve {
  std::string name;
  Function function;
  double least, most;          // the inputs looked at
  std::vector<double> splits;  // where it turns from convex to concave, or the plugin splits it
};
Function FunctionOfText(const std::string& operations);

// sigmoid, tanh, softsign, exp, gelu, swish over the inputs that the plugin takes for them (gelu
// and swish, which it does not have: 10 to both sides).
std::vector<Curve> Curves();

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_CURVES_H_
