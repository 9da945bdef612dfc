#include "codegen/element_types.h"

#include <algorithm>
#include <utility>

#include "codegen/program.h"

namespace tessera::codegen {

ElementTypes::ElementTypes(const Op& definition) : op(definition) {
  std::vector<std::pair<std::string, std::vector<std::string>>> candidates;
  for (const TypeVariable& type : op.types)
    candidates.emplace_back(type.name, DTypesIn(type.classes));
  for (const AttributeDecl& attribute : op.attributes) {
    if (attribute.kind != "dtype") continue;
    for (const Operand& result : op.outputs) {
      if (result.classes[0] == attribute.name)
        candidates.emplace_back(attribute.name, DTypesIn({"any", "narrow"}));
    }
  }
  for (const auto& [name, set] : candidates) {
    if (!Homogeneous(set).empty() && !(Homogeneous(set) == "F" && primary.empty())) continue;
    if (primary.empty()) {
      primary = name;
      primary_set = set;
    } else if (secondary.empty()) {
      secondary = name;
      secondary_set = set;
    }
  }
  if (!primary.empty()) return;
  // A lone integer variable wider than an index is worth its own instantiations.
  for (const auto& [name, set] : candidates) {
    if (std::find(set.begin(), set.end(), "u64") != set.end()) {
      primary = name;
      primary_set = set;
      return;
    }
  }
}

std::string ElementTypes::Homogeneous(const std::vector<std::string>& set) {
  bool all_bool = true, all_int = true, all_float = true;
  for (const std::string& dtype : set) {
    const bool is_float = dtype.find('f') != std::string::npos;
    const bool is_bool = dtype == "bool";
    all_bool = all_bool && is_bool;
    all_float = all_float && is_float;
    all_int = all_int && !is_float && !is_bool;
  }
  return all_bool ? "B" : all_int ? "I" : all_float ? "F" : "";
}

std::string ElementTypes::Of(const std::vector<std::string>& classes) const {
  if (classes.size() == 1 && classes[0] == primary) return "T";
  if (classes.size() == 1 && classes[0] == secondary) return "U";
  std::vector<std::string> set;
  for (const TypeVariable& type : op.types) {
    if (classes.size() == 1 && classes[0] == type.name) set = DTypesIn(type.classes);
  }
  if (set.empty()) set = DTypesIn(classes);
  return set.empty() ? "" : Homogeneous(set);
}

}  // namespace tessera::codegen
