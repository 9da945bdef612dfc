#include "ir/registry_scope.h"

#include <utility>

namespace tessera::ir {

Registry*& ScopedRegistry();  // registry.cc

RegistryScope::RegistryScope(Registry& registry)
    : before_(std::exchange(ScopedRegistry(), &registry)) {}

RegistryScope::~RegistryScope() { ScopedRegistry() = before_; }

}  // namespace tessera::ir
