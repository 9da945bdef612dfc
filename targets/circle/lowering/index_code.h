// Operators that compute expressions at run time.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_INDEX_CODE_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_INDEX_CODE_H_

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/graph.h"
#include "ir/term_builder.h"
#include "solver/expr.h"
#include "targets/circle/lowering/size_bounds.h"

namespace tessera::circle {

// Builds before the insertion point of the builder's rewriter, which must come before all uses, and
// behind what counts the sizes that data decide; it may move on, not back.
// What has been computed is shared, and fits i32 on the way (size_bounds.h). Errors stick in the
// builder; then values are null.
class IndexCode {
 public:
  IndexCode(ir::Graph& graph, ir::TermBuilder& builder);

  // i32[1].
  ir::Value* Number(const solver::Expr& e);
  // A tensor of any rank, row-major.
  ir::Value* Tensor(const std::vector<solver::Expr>& elements, std::vector<int64_t> shape,
                    ir::DType dtype);

 private:
  ir::Value* Condition(const solver::Expr& e);  // bool[1]
  ir::Value* Symbol(const solver::Expr& e);
  ir::Value* Sum(const solver::View& view);
  ir::Value* Scaled(const solver::Expr& term, int64_t coefficient);
  ir::Value* Scaled(ir::Value* value, int64_t coefficient);
  ir::Value* Product(const solver::View& view);
  ir::Value* Atom(const solver::Expr& term);
  ir::Value* Quotient(const solver::Expr& numerator, const solver::Expr& divisor);
  // The same where the numerator is beyond i32 though the quotient is not.
  ir::Value* QuotientByParts(const solver::Expr& numerator, int64_t divisor);
  struct DivisionParts {
    ir::Value* quotient = nullptr;
    ir::Value* remainder = nullptr;
  };
  DivisionParts DivideProduct(ir::Value* term, int64_t factor, int64_t divisor,
                              solver::Range range);
  solver::Expr WithoutDecidedMinima(const solver::Expr& e);
  solver::Expr LeastOf(const solver::Expr& minimum);
  // Whether it fits; if not, that is the error.
  bool Fits(const solver::Expr& e);
  ir::Value* Dim(ir::Value* input, int64_t axis);
  ir::Value* Constant(int64_t value);
  ir::Value* Make(std::string_view op, std::vector<ir::Value*> operands,
                  const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs = {});

  ir::Graph& graph_;
  ir::TermBuilder& builder_;
  SizeBounds bounds_;
  absl::flat_hash_map<solver::Expr, ir::Value*> numbers_, products_, conditions_;
  absl::flat_hash_map<solver::Expr, ir::Value*> counted_;  // by the size that data decide
  std::map<int, ir::Value*> shapes_;                       // by the id of the input
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_INDEX_CODE_H_
