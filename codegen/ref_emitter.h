// What kernels and nests of a `ref` have in common: which of its names are tensors, the types that
// it computes in, and the calls that only a `ref` has.
#ifndef TESSERA_CODEGEN_REF_EMITTER_H_
#define TESSERA_CODEGEN_REF_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/element_types.h"
#include "codegen/expression_emitter.h"

namespace tessera::codegen {

class RefEmitter : public ExpressionEmitter {
 public:
  using ExpressionEmitter::ExpressionEmitter;

 protected:
  virtual std::string ElementType(const std::vector<std::string>& classes, Place place) = 0;
  virtual Typed Read(const Node& node, const NodePtr& otherwise) = 0;
  // `within(i, n)`: the element i, which is an index into an axis of n entries or an error.
  virtual Typed Within(const Node& node) = 0;
  // A function of the run time's with a number type, as it is called.
  virtual std::string OfType(const std::string& function, const std::string& type,
                             const std::string& arguments) const = 0;
  virtual std::string SingleFloat() const = 0;  // the number type of f32

  std::string DTypeOfElement(const std::string& element) const override;
  bool Special(const NodePtr& pointer, Typed& out) override;

  bool IsTensor(const NodePtr& node) const;
  const Operand* FindResult(const std::string& name) const;
  std::string ElementOf(const RefStatement& ref);  // what its target is computed in

  ElementTypes types_{op_};
  const Operand* each_ = nullptr;  // the operands that a `ref each` goes over

 private:
  // `cast(T, x)`, `zero(T)`, `lowest(T)`, `highest(T)`.
  Typed TypeCall(const Node& node);
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_REF_EMITTER_H_
