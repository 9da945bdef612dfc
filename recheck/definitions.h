// The definitions of the core ops, and of targets' operators, as syntax trees.
#ifndef TESSERA_RECHECK_DEFINITIONS_H_
#define TESSERA_RECHECK_DEFINITIONS_H_

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

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_DEFINITIONS_H_
