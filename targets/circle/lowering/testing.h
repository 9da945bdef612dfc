// Graphs of Circle's operators for tests.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_TESTING_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_TESTING_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "ir/graph.h"
#include "ir/registry.h"
#include "ir/term_builder.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::ops {
const ir::Dialect& CircleOps();
}  // namespace tessera::ops

namespace tessera::circle {

class TestGraph {
 public:
  using Attrs = std::vector<std::pair<std::string_view, ir::TermAttribute>>;

  TestGraph() : rewriter_(graph_), builder_(rewriter_) {
    ir::Registry::Global().Add(ops::CircleOps());
  }

  ir::Graph& graph() { return graph_; }
  ir::Expr Symbol(std::string_view name) { return graph_.context().Symbol(std::string(name)); }

  ir::Value* Input(std::string name, std::vector<ir::Expr> dims,
                   ir::DType dtype = ir::DType::kF32) {
    auto value = rewriter_.AddInput(std::move(name), {dtype, std::move(dims)});
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? *value : nullptr;
  }
  ir::Value* Op(std::string_view op, std::vector<ir::Value*> operands, const Attrs& attrs = {}) {
    const std::vector<ir::Value*> results =
        builder_.Create(kDialect, op, std::move(operands), attrs);
    EXPECT_TRUE(builder_.ok()) << op << ": " << builder_.status();
    return results.empty() ? nullptr : results[0];
  }
  ir::Value* List(const std::vector<ir::Expr>& elements) {
    return builder_.TensorOf(elements, ir::DType::kI32);
  }
  ir::Value* Fill(double v, const std::vector<ir::Expr>& dims) {
    return builder_.Fill(v, dims, ir::DType::kF32);
  }
  ir::Value* Transposed(ir::Value* x, const std::vector<ir::Expr>& perm) {
    return Op("TRANSPOSE", {x, List(perm)});
  }
  void Output(std::string name, ir::Value* value) {
    const absl::Status status = rewriter_.AddOutput(std::move(name), value);
    EXPECT_TRUE(status.ok()) << status;
  }

  // The operators in their order, without constants.
  std::vector<std::string> Ops() const {
    std::vector<std::string> names;
    for (const ir::Operation* op : graph_.TopologicalOrder()) {
      if (op->info().dialect == kDialect) names.emplace_back(op->info().name);
    }
    return names;
  }
  int64_t Count(std::string_view op) const {
    const std::vector<std::string> names = Ops();
    return std::count(names.begin(), names.end(), op);
  }

 private:
  ir::Graph graph_;
  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_TESTING_H_
