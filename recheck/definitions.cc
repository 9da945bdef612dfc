#include "recheck/definitions.h"

#include <map>
#include <vector>

#include "recheck/definitions_text.h"

namespace tessera::recheck {

const codegen::Program& Definitions() {
  static const codegen::Program* const kProgram = [] {
    auto* program = new codegen::Program;
    codegen::Diagnostics diagnostics;
    std::vector<codegen::Source> sources;
    for (const OpFile& file : OpFiles()) sources.push_back({file.path, file.text});
    program->Add(std::move(sources), diagnostics);
    return program;
  }();
  return *kProgram;
}

Clause FindClause(const std::string& domain, const std::string& name, int64_t opset) {
  using Key = std::pair<std::string, std::string>;
  static const std::map<Key, std::vector<Clause>>* const kClauses = [] {
    auto* clauses = new std::map<Key, std::vector<Clause>>;
    for (const codegen::File& file : Definitions().files()) {
      for (const codegen::Op& op : file.ops) {
        for (const codegen::OnnxClause& clause : op.onnx)
          (*clauses)[{clause.domain, clause.name}].push_back({&op, &clause});
      }
    }
    return clauses;
  }();
  const auto it = kClauses->find({domain, name});
  if (it == kClauses->end()) return {};
  for (const Clause& clause : it->second) {
    if (clause.clause->since <= opset && opset <= clause.clause->until) return clause;
  }
  return {};
}

}  // namespace tessera::recheck
