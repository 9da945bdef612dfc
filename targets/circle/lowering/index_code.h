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

namespace tessera::circle {

// Builds before the insertion point of the builder's rewriter, which must come before all uses, and
// behind what counts the sizes that data decide; it may move on, not back.
// What has been computed is shared. Errors stick in the builder; then values are null.
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
  ir::Value* Dim(ir::Value* input, int64_t axis);
  ir::Value* Constant(int64_t value);
  ir::Value* Make(std::string_view op, std::vector<ir::Value*> operands,
                  const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs = {});

  ir::Graph& graph_;
  ir::TermBuilder& builder_;
  absl::flat_hash_map<solver::Expr, ir::Value*> numbers_, conditions_;
  absl::flat_hash_map<solver::Expr, ir::Value*> counted_;  // by the size that data decide
  std::map<int, ir::Value*> shapes_;                       // by the id of the input
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_INDEX_CODE_H_
