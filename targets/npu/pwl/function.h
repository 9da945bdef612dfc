// A function of one number, as the definitions of elementwise operations say it: what becomes of
// each element of a value on the way to another one.
#ifndef TESSERA_TARGETS_NPU_PWL_FUNCTION_H_
#define TESSERA_TARGETS_NPU_PWL_FUNCTION_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/value.h"
#include "nests/scalar.h"
#include "solver/expr.h"

namespace tessera::npu {

class Function {
 public:
  // Computed in f64, whatever the types of the values. `context` is that of their graph; the nests
  // of their operations are known to nests::Library. Error (Unimplemented): `to` depends on
  // something else than `from` and constants that are one number each, or an element of it on
  // several elements of `from`; names the operation.
  static absl::StatusOr<Function> Between(const ir::Value* from, const ir::Value* to,
                                          solver::Context& context);
  static Function Identity();

  double operator()(double x) const;
  bool is_identity() const { return steps_.size() == 1; }

 private:
  friend class FunctionBuilder;
  struct Step {
    enum Kind : uint8_t { kInput, kConstant, kCall, kCast } kind = kInput;
    nests::Value constant;
    nests::Function function = nests::Function::kAdd;
    nests::Number number = nests::Number::kF64;  // of kCast
    std::vector<size_t> args;                    // earlier steps
  };
  std::vector<Step> steps_;  // the last one is the result
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PWL_FUNCTION_H_
