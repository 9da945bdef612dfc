// The signatures of definitions as data for tests that make instances of ops by themselves.
#ifndef TESSERA_CODEGEN_SUPPORT_SIGNATURES_H_
#define TESSERA_CODEGEN_SUPPORT_SIGNATURES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dtype.h"

namespace tessera::ops {

// One entry of `T[A, 3, P...]`.
struct DimEntry {
  std::string name;  // empty: a literal
  bool pack = false;
  int64_t literal = 0;
};

struct OperandSignature {
  std::string type;  // the variable that says its dtype; empty: none does
  ir::DTypeSet dtypes = 0;
  std::vector<DimEntry> dims;
  std::string rank;   // the name of its rank, of `T rank R`
  bool free = false;  // any rank, and no dim has a name
};

struct AttributeSignature {
  std::string length;  // of a list: the pack or the length that it is as long as
};

struct ClauseSignature {
  int line = 0;
  std::string guard;     // empty: `otherwise`
  bool refuses = false;  // `unsupported`
};

// What a lowering decides by (codegen/decisions.h), and how it may be supposed otherwise.
struct DecisionSignature {
  std::string text, function;  // in whose body it stands, of every call; empty: in no function
  bool holds = false, fails = false, moves = false;
};

struct LoweringSignature {
  std::string target;
  std::vector<ClauseSignature> clauses;
  std::vector<DecisionSignature> decisions;
};

struct RewriteSignature {
  std::string name;                    // `Op.rewrite`
  std::vector<std::string> conjuncts;  // of its guard
  bool ordered = false;                // operands of what commutes stand as they are written
};

struct Signature {
  std::string dialect, op, file;
  bool commutes = false;  // its two operands may change places
  std::vector<OperandSignature> operands;
  std::vector<AttributeSignature> attrs;
  std::vector<LoweringSignature> lowerings;
  std::vector<RewriteSignature> rewrites;
  // Numbers that the definition mentions: what depends on a value changes there.
  std::vector<int64_t> integers;
  std::vector<double> floats;
};

// From what opgen writes of each definition, in JSON (codegen/signature_emitter.cc).
std::vector<Signature> ReadSignatures(const std::vector<std::string_view>& definitions);

}  // namespace tessera::ops

#endif  // TESSERA_CODEGEN_SUPPORT_SIGNATURES_H_
