// A dialect `t` of hand-written ops, for tests of the IR itself.
#ifndef TESSERA_IR_TEST_DIALECT_H_
#define TESSERA_IR_TEST_DIALECT_H_

#include <string_view>
#include <vector>

#include "ir/rewriter.h"

namespace tessera::ir {

// Adds the dialect to the global registry.
void RegisterOpsForTest();

// How often any of the ops has been inferred since the program began.
int InferencesForTest();

const OpInfo& OpForTest(std::string_view name);

// Creates an operation of `t`; aborts where that fails.
Operation* Make(Rewriter& rewriter, std::string_view name, std::vector<Value*> operands,
                std::vector<Attribute> attrs = {});

// Where tests break a graph on purpose.
class GraphBreaker {
 public:
  static void SetOperand(Operation& op, size_t index, Value* value) { op.operands_[index] = value; }
  static void SetProducer(Value& value, Operation* producer) { value.producer_ = producer; }
  static void SetDim(Value& value, size_t dim, Expr size) { value.type_.dims[dim] = size; }
  static void SetDType(Value& value, DType dtype) { value.type_.dtype = dtype; }
  static void SetName(Value& value, std::string name) { value.name_ = std::move(name); }
  static void AddUse(Value& value, Use use) { value.uses_.push_back(use); }
  static void DropUse(Value& value) { value.uses_.pop_back(); }
  static void SetElement(Value& value, size_t index, Expr e) { (*value.elements_)[index] = e; }
  static void DropAttrs(Operation& op) { op.attrs_.clear(); }
  static void DropOutput(Value& value) { value.outputs_.pop_back(); }
  static void DropOutputName(Graph& graph) { graph.output_names_.pop_back(); }
  static void DropInput(Graph& graph) { graph.inputs_.pop_back(); }
  static void SetOrder(Operation& op, uint64_t order) { op.order_ = order; }
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_TEST_DIALECT_H_
