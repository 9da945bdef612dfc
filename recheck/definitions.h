// The definitions of the core ops, and of targets' operators, as syntax trees.
#ifndef TESSERA_RECHECK_DEFINITIONS_H_
#define TESSERA_RECHECK_DEFINITIONS_H_

#include <set>
#include <string>
#include <utility>

#include "codegen/program.h"

namespace tessera::recheck {

const codegen::Program& Definitions();

inline constexpr char kCore[] = "core";  // their dialect

// The clause that imports version `opset` of an ONNX op; null if there is none.
struct Clause {
  const codegen::Op* op = nullptr;
  const codegen::OnnxClause* clause = nullptr;
};
Clause FindClause(const std::string& domain, const std::string& name, int64_t opset);

// The clause for an overload of ATen; null if there is none. What PyTorch calls with a `_` writes
// its result over its first argument. `complex`: of complex numbers, of an argument or a result.
struct Overload {
  const codegen::Op* op = nullptr;
  const codegen::AtenClause* clause = nullptr;
  bool in_place = false;
};
Overload FindOverload(const std::string& name, bool complex);

// Names of attributes that the clause reads.
const std::set<std::string>& AttributesRead(const codegen::AtenClause& clause);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_DEFINITIONS_H_
