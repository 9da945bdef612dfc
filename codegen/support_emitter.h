// What becomes of each operator of ONNX, read off the definitions: the support
// table.
#ifndef TESSERA_CODEGEN_SUPPORT_EMITTER_H_
#define TESSERA_CODEGEN_SUPPORT_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"

namespace tessera::codegen {

// How one target holds an op. An operator of the target counts unless it has a
// role (transposes, reshapes, constants: they only move or hold data).
struct TargetSupport {
  enum How {
    kDirectly,     // in some case one operator does it
    kComposition,  // several do, or other ops that are lowered in turn
    kNot
  } how = kNot;
  std::vector<std::string> operators;  // that may appear, in the order of the definition
  std::vector<std::string> refusals;   // texts of the cases that are not supported
};

TargetSupport SupportOf(const Program& program, const Op& op, const std::string& target);

// The targets that the ops lower to, in alphabetical order.
std::vector<std::string> TargetsOf(const Program& program, const std::vector<const File*>& files);

// The opset versions from which clauses for one ONNX operator import it: `1`,
// `7-12, 14`.
std::string OpsetText(const std::vector<const OnnxClause*>& clauses);

// Markdown: a sentence with the counts, then one row per operator of ONNX.
std::string EmitSupport(const Program& program, const std::vector<const File*>& files);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_SUPPORT_EMITTER_H_
