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

Overload FindOverload(const std::string& name, bool complex) {
  // Of real numbers, and of complex ones.
  struct Pair {
    Overload real, both;
  };
  static const std::map<std::string, Pair>* const kOverloads = [] {
    auto* overloads = new std::map<std::string, Pair>;
    for (const codegen::File& file : Definitions().files()) {
      for (const codegen::Op& op : file.ops) {
        for (const codegen::AtenClause& clause : op.aten) {
          if (clause.written) continue;
          Pair& pair = (*overloads)[clause.name];
          (clause.complex ? pair.both : pair.real) = {&op, &clause};
        }
      }
    }
    return overloads;
  }();
  const auto find = [&](const std::string& overload) -> Overload {
    const auto it = kOverloads->find(overload);
    if (it == kOverloads->end()) return {};
    const auto& [real, both] = it->second;
    if (both.clause != nullptr && (complex || real.clause == nullptr)) return both;
    const bool fits =
        !complex || (real.clause != nullptr && (real.clause->parts || real.clause->linear));
    return fits ? real : Overload{};
  };
  if (const Overload overload = find(name); overload.clause != nullptr) return overload;
  const size_t dot = name.find('.');
  if (dot == std::string::npos || dot < 2 || name[dot - 1] != '_') return {};
  const bool is_operator = name.starts_with("__i");
  if (name[0] == '_' && !is_operator) return {};
  Overload overload = find(is_operator ? "__" + name.substr(std::string("__i").size())
                                       : name.substr(0, dot - 1) + name.substr(dot));
  overload.in_place = overload.clause != nullptr;
  return overload;
}

namespace {

void CollectReads(const codegen::NodePtr& node, std::set<std::string>& names) {
  if (node == nullptr) return;
  if (node->kind == codegen::Node::kCall && !node->children.empty() &&
      node->children[0]->kind == codegen::Node::kName &&
      (node->text.rfind("attr_", 0) == 0 || node->text == "has_attr"))
    names.insert(node->children[0]->text);
  for (const codegen::NodePtr& child : node->children) CollectReads(child, names);
  for (const auto& [name, child] : node->named) CollectReads(child, names);
  for (const codegen::Binder& binder : node->binders) {
    CollectReads(binder.from, names);
    CollectReads(binder.to, names);
  }
}

}  // namespace

const std::set<std::string>& AttributesRead(const codegen::AtenClause& clause) {
  static auto* const known = new std::map<const codegen::AtenClause*, std::set<std::string>>;
  const auto [it, fresh] = known->try_emplace(&clause);
  if (!fresh) return it->second;
  // A clause that names a function lists what this reads.
  if (!clause.function.empty()) it->second.insert(clause.inputs.begin(), clause.inputs.end());
  CollectReads(clause.term, it->second);
  for (const codegen::ClauseItem& item : clause.items) {
    CollectReads(item.value, it->second);
    CollectReads(item.condition, it->second);
    for (const codegen::Binder& binder : item.binders) {
      CollectReads(binder.from, it->second);
      CollectReads(binder.to, it->second);
    }
  }
  return it->second;
}

}  // namespace tessera::recheck
