// The type of a tensor value: dtype and symbolic dims.
#ifndef TESSERA_IR_TYPE_H_
#define TESSERA_IR_TYPE_H_

#include <string>
#include <vector>

#include "ir/dtype.h"
#include "solver/expr.h"

namespace tessera::ir {

using solver::Expr;

struct TensorType {
  DType dtype = DType::kF32;
  std::vector<Expr> dims;

  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  bool IsStatic() const;
  std::string ToString() const;  // `f32[N,3,2*floor(H/2)]`
  friend bool operator==(const TensorType&, const TensorType&) = default;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_TYPE_H_
