#include "python/target.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/registry_scope.h"
#include "python/status.h"
#include "targets/all/all.h"
#include "tools/cli/command_line.h"
#include "tools/cli/op_sets.h"

namespace tessera::python {

namespace py = pybind11;

void Unknown(const std::string& what, const std::string& name,
             const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = cli::Nearest(name, known);
  std::string there =
      known.empty() ? "" : absl::StrCat("; there are `", absl::StrJoin(known, "`, `"), "`");
  if (nearest.has_value()) there = absl::StrCat("; did you mean `", *nearest, "`?");
  Check(absl::InvalidArgumentError(absl::StrCat(what, ": there is no `", name, "`", there)));
  std::abort();  // it has thrown
}

const targets::Target& TargetOf(const std::string& name) {
  const targets::Target* const target = name.empty() ? targets::All()[0] : targets::Find(name);
  if (target == nullptr) Unknown("target", name, targets::Names());
  return *target;
}

ir::Registry& RegistryOf(const targets::Target& target) {
  // All of them at once, before there are threads: what is registered once is only read.
  static const auto* const registries = [] {
    auto* made = new std::map<const targets::Target*, std::unique_ptr<ir::Registry>>();
    for (const targets::Target* each : targets::All()) {
      auto registry = std::make_unique<ir::Registry>();
      const ir::RegistryScope scope(*registry);
      cli::LinkOps();
      each->Register();
      made->emplace(each, std::move(registry));
    }
    return made;
  }();
  return *registries->at(&target);
}

void CheckFlags(const targets::Target& target, const targets::FlagValues& flags) {
  std::vector<std::string> known;
  for (const targets::Flag& flag : target.flags()) known.push_back(flag.name);
  for (const auto& [name, values] : flags) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      Unknown(absl::StrCat("flags of target `", std::string(target.name()), "`"), name, known);
  }
}

std::string RuntimeOf(const targets::Target& target, const std::string& name) {
  const std::vector<std::string> known = target.Runtimes();
  if (std::find(known.begin(), known.end(), name) == known.end())
    Unknown(absl::StrCat("runtimes of target `", std::string(target.name()), "`"), name, known);
  return name;
}

void DefineTargets(py::module_& module) {
  RegistryOf(*targets::All()[0]);
  module.def("targets", [] { return Texts(targets::Names()); });
  module.def("suffixes", [] { return Texts(targets::Suffixes()); });
  // Name, placeholder (empty: a switch), text, whether it is taken several times.
  module.def("target_flags", [](const std::string& target) {
    py::list list;
    for (const targets::Flag& flag : TargetOf(target).flags())
      list.append(py::make_tuple(flag.name, flag.placeholder, Text(flag.doc), flag.repeated));
    return list;
  });
}

}  // namespace tessera::python
