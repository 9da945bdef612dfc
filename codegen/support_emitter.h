// What becomes of each operator of ONNX, read off the definitions: the support
// table.
#ifndef TESSERA_CODEGEN_SUPPORT_EMITTER_H_
#define TESSERA_CODEGEN_SUPPORT_EMITTER_H_

#include <map>
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
    kSeen,         // no clause says how, but its examples hold
    kNot
  } how = kNot;
  std::vector<std::string> operators;  // that may appear, in the order of the definition
  std::vector<std::string> refusals;   // texts of the cases that are not supported
  std::vector<std::string> places;     // where its examples hold, if a test says so
};

// Of targets that hold more than clauses say (a function of one element needs none where the device
// has tables): for each op the places, generations of a device say, where its examples hold. A
// test of the target found them, and keeps them in a golden: lines `OP example N...: PLACE PLACE`.
using Observed = std::map<std::string, std::map<std::string, std::vector<std::string>>>;
void AddObserved(const std::string& target, const std::string& golden, Observed& observed);

TargetSupport SupportOf(const Program& program, const Op& op, const std::string& target,
                        const Observed& observed = {});

// The targets that the ops lower to, in alphabetical order.
std::vector<std::string> TargetsOf(const Program& program, const std::vector<const File*>& files);

// The opset versions from which clauses for one ONNX operator import it: `1`,
// `7-12, 14`.
std::string OpsetText(const std::vector<const OnnxClause*>& clauses);

// Markdown: a sentence with the counts, then one row per operator of ONNX.
std::string EmitSupport(const Program& program, const std::vector<const File*>& files,
                        const Observed& observed = {});

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_SUPPORT_EMITTER_H_
