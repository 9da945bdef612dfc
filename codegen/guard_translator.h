// Guards as statements over integers, in the syntax that the solver's statements are read in.
//
// All symbols stand between backticks. An enumerated value or a dtype is its position in its list,
// a bool is 0 or 1, a float is counted in units so small that one lies
// between any two of its literals. What that syntax cannot say (lists,
// quantifiers, functions, what holds of values) is a symbol of its own, 0 or 1, named by its text:
// of two such nothing is known but that equal texts are equal. So what follows from the statements
// follows from the guards, and an assignment may still be one that no operation has.
#ifndef TESSERA_CODEGEN_GUARD_TRANSLATOR_H_
#define TESSERA_CODEGEN_GUARD_TRANSLATOR_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/ast.h"

namespace tessera::codegen {

// The symbols in a statement, without their backticks.
std::set<std::string> SymbolsIn(const std::string& statement);

class GuardTranslator {
 public:
  // Knows the names that `op` declares, and what it requires.
  explicit GuardTranslator(const Op& op);

  // That `node` is an integer, whatever it is made of: what the syntax cannot say of it is a
  // symbol.
  void Integers(const NodePtr& node);
  // A name of a lowering, from here on.
  void Let(const ClauseItem& item);
  // A proposition, in parentheses where needed to stand as an operand.
  std::string Truth(const NodePtr& node);
  // What holds of the symbols of `claim`, and of those in what holds, in a fixed order.
  std::vector<std::string> FactsOf(const std::string& claim) const;

 private:
  using Text = std::optional<std::string>;
  struct Meaning {
    enum Kind { kNumber, kEnum, kDType, kFloat, kTruth, kList, kOperand } kind = kList;
    std::string text;  // of the proposition or the integer
    Text length;       // of a list
    const Operand* operand = nullptr;
    const AttributeDecl* attribute = nullptr;
    bool integers = false;  // in a list
  };

  void DeclareOperand(const Operand& operand);
  void DeclareAttribute(const AttributeDecl& attribute);
  void Define(const std::string& name, const std::vector<Binder>& binders, const NodePtr& value);
  const Meaning* Find(const NodePtr& node) const;  // of a name; null: it has none

  // Nothing where the syntax has no such integer.
  Text Integer(const NodePtr& node);
  Text Said(const NodePtr& node);  // of an integer that is made of what the syntax has
  Text IntegerCall(const NodePtr& node);
  Text Length(const NodePtr& node);
  Text Rank(const Operand& operand);
  Text Element(const NodePtr& node);
  std::string Compare(const NodePtr& node);
  Text CompareNames(const NodePtr& left, const NodePtr& right);
  Text CompareFloats(const NodePtr& left, const NodePtr& right, const std::string& relation);
  std::string Call(const NodePtr& node);
  std::string Quantified(const NodePtr& node);
  Text DTypeOf(const NodePtr& node);
  // A symbol with what holds of it.
  std::string Symbol(const std::string& name, const std::vector<std::string>& facts);
  std::string Natural(const std::string& name);
  std::string Bit(const std::string& name);
  std::string DTypeSymbol(const std::string& name, const std::vector<std::string>& classes);
  std::string Bounded(const std::string& name, const AttributeDecl& attribute);
  std::string TextOf(const NodePtr& node) const;

  const Op& op_;
  std::map<std::string, Meaning> names_;
  std::map<std::string, std::vector<std::string>> facts_;  // by symbol
  std::vector<std::string> requirements_;
  std::set<std::string> integers_;  // by text
  std::string generation_;          // differs where a name was given a second meaning
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_GUARD_TRANSLATOR_H_
