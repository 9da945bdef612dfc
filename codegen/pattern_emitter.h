// Emits one rewrite: a matcher that changes nothing, then the replacement.
#ifndef TESSERA_CODEGEN_PATTERN_EMITTER_H_
#define TESSERA_CODEGEN_PATTERN_EMITTER_H_

#include <map>
#include <string>
#include <vector>

#include "codegen/term_expressions.h"

namespace tessera::codegen {

// What a guard demands, each by itself, in order.
std::vector<NodePtr> ConjunctsOf(const NodePtr& guard);

class PatternEmitter : public TermExpressions {
 public:
  using TermExpressions::TermExpressions;
  std::string Run(const RewriteDecl& rewrite);

 private:
  void MatchCall(const Node& call, const std::string& op);
  void MatchValue(const NodePtr& pattern, const std::string& value);
  void Unnamed(const Node& call, const Op& target, const std::string& op);
  void MatchVariadic(const Node& call, const Op& target, const std::string& op);
  void MatchAttribute(const NodePtr& pattern, const std::string& attribute,
                      const AttributeDecl& declaration);
  // The code of operand `index` of a call that has `bit` of the order, or none (-1).
  static std::string OperandCode(const std::string& op, size_t index, int bit);
  // No match where `condition` holds.
  void RejectIf(const std::string& condition) { Line("if (" + condition + ") return {};"); }

  std::vector<std::string> matched_;  // C++ names of the matched operations
  std::map<std::string, std::string>
      attributes_;                    // bound attribute names and where they were found
  std::vector<std::string> closers_;  // ends of the searches that are open
  bool ordered_ = false;
  int orders_ = 0;  // calls whose operands may change places: bits of `order`
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_PATTERN_EMITTER_H_
