// Registries of their own for parts of a program that compile for several targets: what a target
// adds, its rewrites above all, is for its own compilations.
#ifndef TESSERA_IR_REGISTRY_SCOPE_H_
#define TESSERA_IR_REGISTRY_SCOPE_H_

#include "ir/registry.h"

namespace tessera::ir {

// As long as it lives, `Registry::Global` is this one for the thread that made it. Scopes nest;
// threads that are started meanwhile see the program's.
class RegistryScope {
 public:
  explicit RegistryScope(Registry& registry);
  ~RegistryScope();
  RegistryScope(const RegistryScope&) = delete;
  RegistryScope& operator=(const RegistryScope&) = delete;

 private:
  Registry* const before_;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_REGISTRY_SCOPE_H_
