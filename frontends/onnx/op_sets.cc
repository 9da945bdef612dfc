#include "frontends/onnx/op_sets.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/quoting.h"
#include "ir/absl_view.h"
#include "ir/refusals.h"
#include "ir/registry.h"

namespace tessera::onnx_import {
namespace {

constexpr char kStandardDomain[] = "ai.onnx";

std::string VersionRange(const ir::ImportInfo& info) {
  if (info.since == info.until) return absl::StrCat(info.since);
  if (info.until >= kNewestOpset) return absl::StrCat("from ", info.since);
  return absl::StrCat(info.since, " to ", info.until);
}

// Of the clauses, but for ONNX's own.
const std::set<std::string>& DomainsOfOthers() {
  static const std::set<std::string> domains = [] {
    std::set<std::string> found;
    for (const ir::ImportInfo* info : ir::Registry::Global().AllImports()) {
      if (!info->domain.empty() && !NewestOpset(ir::AbslView(info->domain)))
        found.emplace(info->domain);
    }
    return found;
  }();
  return domains;
}

}  // namespace

std::optional<int> NewestOpset(absl::string_view domain) {
  if (domain == kStandardDomain) return kNewestOpset;
  if (domain == "ai.onnx.ml") return 5;
  if (domain == "ai.onnx.preview" || domain == "ai.onnx.preview.training") return 1;
  return std::nullopt;
}

std::string DomainName(absl::string_view domain) {
  return domain.empty() ? kStandardDomain : std::string(domain);
}

OpSets::OpSets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports,
               bool strict, std::vector<std::string>& failures)
    : strict_(strict) {
  for (const auto& import : imports) {
    const std::string domain = DomainName(import.domain());
    const int64_t version = import.version();
    if (version < 1 || version > std::numeric_limits<int>::max()) {
      failures.push_back(absl::StrCat("opset version ", version, " of domain ", Quoted(domain),
                                      ", below 1 or absurd"));
      continue;
    }
    const std::optional<int> newest = NewestOpset(domain);
    if (strict && newest && version > *newest) {
      failures.push_back(absl::StrCat("opset ", version, " of ", domain, " is newer than ", *newest,
                                      ", the newest known, and `--strict-opset` assumes nothing"));
    }
    const auto [it, added] = versions_.emplace(domain, static_cast<int>(version));
    if (!added && it->second != version) {
      failures.push_back(absl::StrCat("domain ", Quoted(domain), " imported as opset ", it->second,
                                      " and as opset ", version));
    }
  }
}

bool OpSets::Supposed(const std::string& domain) const {
  return !strict_ && !versions_.contains(domain) && DomainsOfOthers().contains(domain);
}

std::optional<int> OpSets::Version(const std::string& domain) const {
  const auto it = versions_.find(domain);
  if (it != versions_.end()) return it->second;
  return Supposed(domain) ? std::optional<int>(1) : std::nullopt;
}

std::optional<int> OpSets::ReadAs(const std::string& domain) const {
  const std::optional<int> version = Version(domain), newest = NewestOpset(domain);
  return version && newest ? std::min(*version, *newest) : version;
}

const ir::ImportInfo* FindImport(const std::string& domain, const std::string& op, int version,
                                 bool suggest, std::string& reason) {
  const ir::Registry& registry = ir::Registry::Global();
  std::vector<const ir::ImportInfo*> clauses = registry.Imports(domain, op);
  if (domain == kStandardDomain) {
    const std::vector<const ir::ImportInfo*> unnamed = registry.Imports("", op);
    for (const ir::ImportInfo* info : unnamed) {
      if (std::find(clauses.begin(), clauses.end(), info) == clauses.end()) clauses.push_back(info);
    }
  }
  const ir::ImportInfo* best = nullptr;
  for (const ir::ImportInfo* info : clauses) {
    if (info->since <= version && version <= info->until &&
        (best == nullptr || info->since > best->since))
      best = info;
  }
  if (best != nullptr) return best;
  if (!clauses.empty()) {
    std::sort(clauses.begin(), clauses.end(),
              [](const ir::ImportInfo* a, const ir::ImportInfo* b) { return a->since < b->since; });
    reason =
        absl::StrCat("op ", Quoted(op), " (opset ", version, ") is not supported; versions known: ",
                     absl::StrJoin(clauses, ", ", [](std::string* out, const ir::ImportInfo* info) {
                       out->append(VersionRange(*info));
                     }));
    return nullptr;
  }
  if (const std::string_view refusal = ir::RefusalOf(ir::Refusal::kOnnx, op);
      !refusal.empty() && domain == kStandardDomain) {
    reason = absl::StrCat("op ", Quoted(op), " (opset ", version, ") ", ir::AbslView(refusal));
    return nullptr;
  }
  std::vector<std::string> names;
  if (suggest) {
    for (const ir::ImportInfo* info : registry.AllImports()) {
      names.emplace_back(info->name);
    }
  }
  reason = absl::StrCat("op ", Quoted(op), " (opset ", version, ") is not supported",
                        NearestClause(op, names));
  return nullptr;
}

}  // namespace tessera::onnx_import
