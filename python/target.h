// Targets, and what is theirs, by name. Unknown names throw `tessera.Error` with the nearest.
#ifndef TESSERA_PYTHON_TARGET_H_
#define TESSERA_PYTHON_TARGET_H_

#include <string>
#include <vector>

#include "ir/registry.h"
#include "pybind11/pybind11.h"
#include "targets/target.h"

namespace tessera::python {

// Empty: the default.
const targets::Target& TargetOf(const std::string& name);
// What compiles for the target, or runs its artifacts, does so within a scope of this one: the ops
// and rewrites of networks and of the target, and no other's.
ir::Registry& RegistryOf(const targets::Target& target);
// Whether the target has all of these flags.
void CheckFlags(const targets::Target& target, const targets::FlagValues& flags);
// A runtime of others that runs the target's artifacts: its name.
std::string RuntimeOf(const targets::Target& target, const std::string& name);
// Throws that `what` has no `name`, with the nearest one that there is.
[[noreturn]] void Unknown(const std::string& what, const std::string& name,
                          const std::vector<std::string>& known);

void DefineTargets(pybind11::module_& module);

}  // namespace tessera::python

#endif  // TESSERA_PYTHON_TARGET_H_
