#include "ir/registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "ir/data_size.h"

namespace tessera::ir {

absl::Span<const OpInfo* const> LoopOps();  // loop_ops.cc

namespace {

void KeepFirst(const OpInfo*& kept, const OpInfo* op) {
  if (kept == nullptr || op->name < kept->name) kept = op;
}

template <class Table, class Key>
const OpInfo* In(const Table& table, std::string_view dialect, Key key) {
  const auto of_dialect = table.find(dialect);
  if (of_dialect == table.end()) return nullptr;
  const auto found = of_dialect->second.find(key);
  return found == of_dialect->second.end() ? nullptr : found->second;
}

}  // namespace

Registry::Registry() {
  static const OpInfo* const kOps[] = {&ConstantInfo(), &SymbolicConstantInfo(), &DataSizeInfo()};
  Add(Dialect{"ir", kOps, {}, {}});
  Add(Dialect{"ir", LoopOps(), {}, {}});
}

// What a RegistryScope (registry_scope.h) puts in the place of the program's, for its thread.
Registry*& ScopedRegistry() {
  thread_local Registry* registry = nullptr;
  return registry;
}

Registry& Registry::Global() {
  static Registry* const registry = new Registry;
  Registry* const scoped = ScopedRegistry();
  return scoped != nullptr ? *scoped : *registry;
}

void Registry::Add(const Dialect& dialect) {
  // Definitions are static data: the same address is the same definition.
  const absl::Span<const std::string_view> late = dialect.late_rewrites;
  for (const std::string_view name : dialect.assuming_rewrites) assuming_.emplace(name);
  for (const RequestedRewrite& one : dialect.requested_rewrites)
    requested_.emplace(std::string(one.name), one);
  const auto add_rewrites = [&](absl::Span<const RewriteInfo> rewrites) {
    for (const RewriteInfo& rewrite : rewrites) {
      if (!seen_.insert(&rewrite).second) continue;
      const bool is_late = std::find(late.begin(), late.end(), rewrite.name) != late.end();
      ByName<std::vector<const RewriteInfo*>>& kind = requested_.count(rewrite.name) != 0
                                                          ? requested_rewrites_
                                                      : is_late ? late_rewrites_
                                                                : rewrites_;
      kind[std::string(rewrite.root)].push_back(&rewrite);
    }
  };
  ByName<const OpInfo*>& ops = ops_[std::string(dialect.name)];
  for (const OpInfo* op : dialect.ops) {
    const auto [it, fresh] = ops.emplace(std::string(op->name), op);
    if (!fresh && it->second != op) {
      std::fprintf(stderr, "redefinition of op `%s` of dialect `%s`\n", it->first.c_str(),
                   std::string(dialect.name).c_str());
      std::abort();
    }
    if (!fresh) continue;
    add_rewrites(op->rewrites);
    KeepFirst(with_role_[std::string(dialect.name)][op->role], op);
    if (op->code != nullptr) KeepFirst(with_code_[std::string(dialect.name)][op->code->code], op);
  }
  for (absl::Span<const RewriteInfo> rewrites : dialect.builder_rewrites) add_rewrites(rewrites);
  for (absl::Span<const ImportInfo> imports : dialect.imports) {
    for (const ImportInfo& import : imports) {
      if (!seen_.insert(&import).second) continue;
      imports_[std::string(import.name)].push_back(&import);
      all_imports_.push_back(&import);
    }
  }
}

const OpInfo* Registry::Find(std::string_view dialect, std::string_view op) const {
  const auto ops = ops_.find(dialect);
  if (ops == ops_.end()) return nullptr;
  const auto it = ops->second.find(op);
  return it == ops->second.end() ? nullptr : it->second;
}

const OpInfo* Registry::WithRole(std::string_view dialect, Role role) const {
  return In(with_role_, dialect, role);
}

const OpInfo* Registry::WithCode(std::string_view dialect, int32_t code) const {
  return In(with_code_, dialect, code);
}

std::vector<const OpInfo*> Registry::Ops(std::string_view dialect) const {
  std::vector<const OpInfo*> result;
  const auto ops = ops_.find(dialect);
  if (ops == ops_.end()) return result;
  for (const auto& [name, op] : ops->second) result.push_back(op);
  return result;
}

std::vector<const ImportInfo*> Registry::Imports(std::string_view domain,
                                                 std::string_view name) const {
  std::vector<const ImportInfo*> result;
  const auto imports = imports_.find(name);
  if (imports == imports_.end()) return result;
  for (const ImportInfo* import : imports->second) {
    if (import->domain == domain) result.push_back(import);
  }
  return result;
}

std::vector<const ImportInfo*> Registry::AllImports() const { return all_imports_; }

absl::Span<const RewriteInfo* const> Registry::RewritesAt(std::string_view root) const {
  const auto rewrites = rewrites_.find(root);
  if (rewrites == rewrites_.end()) return {};
  return rewrites->second;
}

absl::Span<const RewriteInfo* const> Registry::LateRewritesAt(std::string_view root) const {
  const auto rewrites = late_rewrites_.find(root);
  if (rewrites == late_rewrites_.end()) return {};
  return rewrites->second;
}

absl::Span<const RewriteInfo* const> Registry::RequestedRewritesAt(std::string_view root) const {
  const auto rewrites = requested_rewrites_.find(root);
  if (rewrites == requested_rewrites_.end()) return {};
  return rewrites->second;
}

std::vector<RequestedRewrite> Registry::RequestedRewrites() const {
  std::vector<RequestedRewrite> all;
  for (const auto& [name, one] : requested_) all.push_back(one);
  return all;
}

std::vector<std::string> Registry::RewriteNames() const {
  std::set<std::string> names;
  for (const auto* kind : {&rewrites_, &late_rewrites_, &requested_rewrites_}) {
    for (const auto& [root, rewrites] : *kind) {
      for (const RewriteInfo* rewrite : rewrites) names.emplace(rewrite->name);
    }
  }
  return {names.begin(), names.end()};
}

bool Registry::AssumesFinite(const RewriteInfo& rewrite) const {
  return assuming_.count(rewrite.name) != 0;
}

}  // namespace tessera::ir
