// What can be said of terms without values.
#include <algorithm>

#include "solver/certificate/statement.h"

namespace tessera::certificate {

int Arity(Operator op) {
  switch (op) {
    case Operator::kInteger:
    case Operator::kSymbol:
      return 0;
    case Operator::kNegate:
    case Operator::kNot:
    case Operator::kAbs:
      return 1;
    case Operator::kIte:
      return 3;
    default:
      return 2;
  }
}

int64_t Degree(const Statement& statement) {
  constexpr int64_t kMost = int64_t{1} << 32;
  std::vector<int64_t> degrees;
  int64_t highest = 0;
  for (const Term& term : statement.terms) {
    int64_t degree = term.op == Operator::kSymbol;
    for (int i = 0; i < Arity(term.op); ++i) {
      const int64_t operand = degrees[term.operands[i]];
      degree = term.op == Operator::kMultiply ? degree + operand : std::max(degree, operand);
    }
    degrees.push_back(std::min(degree, kMost));
    highest = std::max(highest, degrees.back());
  }
  return highest;
}

std::string Shown(std::string_view text) {
  constexpr size_t kMost = 400;
  if (text.size() <= kMost) return std::string(text);
  return std::string(text.substr(0, kMost)) + " ...";
}

}  // namespace tessera::certificate
