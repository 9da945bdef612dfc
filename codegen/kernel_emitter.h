// Emits the reference kernel of an op from its `ref`: one template over the element type,
// instantiated for numbers and for symbolic expressions.
#ifndef TESSERA_CODEGEN_KERNEL_EMITTER_H_
#define TESSERA_CODEGEN_KERNEL_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

struct KernelText {
  std::string code;  // functions `<Op>Kernel` and, if `symbolic`, `<Op>Symbolic`
  bool symbolic = false;
  bool elementwise = false;
  bool fast = false;
  bool index_valued = false;
  std::vector<bool> reads;  // per operand: the kernel reads its elements
};

KernelText EmitKernel(const Program& program, const Op& op, Diagnostics& diagnostics);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_KERNEL_EMITTER_H_
