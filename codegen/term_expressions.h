// Expressions and terms in contexts that build graphs.
#ifndef TESSERA_CODEGEN_TERM_EXPRESSIONS_H_
#define TESSERA_CODEGEN_TERM_EXPRESSIONS_H_

#include <map>
#include <string>
#include <vector>

#include "codegen/expression_emitter.h"

namespace tessera::codegen {

class TermExpressions : public ExpressionEmitter {
 public:
  TermExpressions(const Program& program, const Op& op, Diagnostics& diagnostics)
      : ExpressionEmitter(program, op, diagnostics), dialect_(op.dialect) {}

 protected:
  bool Special(const NodePtr& node, Typed& out) override;
  const std::string& Dialect() const override { return dialect_; }
  std::string DomainType() const override { return "Expr"; }
  std::string CheckerCode() override;
  void Required(const std::string& checker) override;
  Typed DimsOf(const Typed& operand, Place place) override;
  Typed VariadicItem(const Typed& operands, const std::string& index) override;
  std::string CountOf(const Typed& operands) override;

  // A C++ condition; a proposition over dims counts only if it is proved, and so does what
  // functions in it require.
  std::string Guard(const NodePtr& node);
  // `{"name", CODE}`'s CODE for an attribute of `declaration`; `bound` receives what later
  // expressions see under its name.
  std::string AttributeCode(const AttributeDecl& declaration, const NodePtr& value, Typed* bound,
                            const std::string& stem);
  Typed OpCall(const Node& node, const Op& target);
  Typed Tuple(const Node& node);  // several results
  Typed Scan(const Node& node);
  Typed Steps(const Node& node);  // a scan over host integers
  std::string PieceOfScan(const std::string& function, const std::vector<Typed>& arguments,
                          Place place);
  void Arguments(const std::vector<NodePtr>& children, const std::string& list);

  std::string dialect_;        // where op names are looked up first
  std::string guard_checker_;  // receives what functions in a guard require; empty outside
  bool guard_requires_ = false;
  bool import_ = false;
  bool asks_target_ = false;   // a target's capabilities are at hand
  bool wide_numbers_ = false;  // of an import clause: attributes are not rounded to 32 bits
  bool operands_bound_ = false;
  // Matched operations of a rewrite whose pattern ends in `..`, by op.
  struct Carried {
    std::string operation;  // C++ name
    Place place;
    bool taken = false;  // by a call of the replacement
  };
  std::map<const Op*, std::vector<Carried>> carried_;

 private:
  bool SpecialCall(const Node& node, Typed& out);
  Typed Runs(const Node& node);
  bool ImportCall(const Node& node, const NodePtr& otherwise, Typed& out);
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_TERM_EXPRESSIONS_H_
