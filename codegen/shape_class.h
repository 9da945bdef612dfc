// The shape struct of one op: what `EmitShapes` builds from.
#ifndef TESSERA_CODEGEN_SHAPE_CLASS_H_
#define TESSERA_CODEGEN_SHAPE_CLASS_H_

#include <set>
#include <string>

#include "codegen/expression_emitter.h"
#include "codegen/shape_emitter.h"

namespace tessera::codegen {

class ShapeEmitter : public ExpressionEmitter {
 public:
  using ExpressionEmitter::ExpressionEmitter;

  ShapeCode Run();

 private:
  void Declare(const std::string& type, const std::string& name, const std::string& init = "{}");

  void BindOperands();

  // `first`: the condition under which a type variable is bound rather than checked, for variadic
  // operands.
  void CheckType(const Operand& operand, const std::string& dtype, std::set<std::string>& bound,
                 const std::string& first);

  void BindForm(const Operand& operand, const std::string& dims, std::set<std::string>& bound);

  void BindComplete(const AttributeDecl& attribute, const std::string& at);

  void Defaults();

  std::string DefaultCode(const AttributeDecl& attribute);

  void Attributes();

  void Derive();

  void Require(const Statement& statement, const NodePtr& condition);

  void Results();

  static NodePtr NameNode(const std::string& name, Place place);

  std::string members_;
  std::set<std::string> declared_;
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_SHAPE_CLASS_H_
