#include "passes/compression/scopes/scope_filter.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "passes/compression/scopes/expression.h"
#include "support/nearest.h"

namespace tessera::compression {
namespace {

using Operations = std::vector<const ir::Operation*>;

constexpr absl::string_view kRegex = "{re}", kType = "{type}", kBetween = "{between}";
// Characters of an item in a complaint about its length.
constexpr size_t kMostShown = 80;

absl::Status Nothing(absl::string_view item, absl::string_view what,
                     const std::vector<std::string>& candidates) {
  return absl::InvalidArgumentError(
      absl::StrCat("scope `", item, "` ", what,
                   support::DidYouMean(std::string_view(item.data(), item.size()), candidates)));
}

class Matcher {
 public:
  Matcher(const ir::Graph& graph, const Addresses& addresses) : addresses_(addresses) {
    for (const ir::Operation* op : graph.TopologicalOrder()) {
      if (!addresses.Of(*op).scope.empty()) all_.push_back(op);
    }
  }

  absl::StatusOr<Operations> Match(const std::string& item) const {
    absl::string_view rest = item;
    if (absl::ConsumePrefix(&rest, kType)) return OfType(item, std::string(rest));
    if (absl::ConsumePrefix(&rest, kBetween)) return Between(item, std::string(rest));
    if (absl::StrContains(item, kRegex)) return OfExpression(item);
    Operations found = Named(item);
    if (!found.empty()) return found;
    std::vector<std::string> candidates;
    for (const ir::Operation* op : all_) {
      const Address& address = addresses_.Of(*op);
      candidates.push_back(address.scope);
      for (size_t end = address.scope.find('/'); end != std::string::npos;
           end = address.scope.find('/', end + 1))
        candidates.push_back(address.scope.substr(0, end));
      candidates.push_back(address.node->name);
    }
    constexpr char kNone[] = "is no operation and no path of modules";
    if (!support::NearestTo(item, candidates, 1).empty()) return Nothing(item, kNone, candidates);
    // Operations whose own names, without the path of modules, are near.
    std::vector<std::string> tails, nearest;
    for (const ir::Operation* op : all_) tails.push_back(TailOf(addresses_.Of(*op).scope));
    for (const std::string& tail : support::NearestTo(item, tails, kMostNamed)) {
      const size_t at =
          static_cast<size_t>(std::find(tails.begin(), tails.end(), tail) - tails.begin());
      nearest.push_back(absl::StrCat("`", addresses_.Of(*all_[at]).scope, "`"));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("scope `", item, "` ", kNone, nearest.empty() ? "" : "; did you mean ",
                     absl::StrJoin(nearest, " or "), nearest.empty() ? "" : "?"));
  }

 private:
  static constexpr size_t kMostNamed = 3;

  static std::string TailOf(const std::string& scope) { return scope.substr(scope.rfind('/') + 1); }

  // Below a path, or by the name of a node.
  Operations Named(absl::string_view item) const {
    Operations found;
    const absl::string_view path = absl::StripSuffix(absl::StripPrefix(item, "/"), "/");
    for (const ir::Operation* op : all_) {
      const Address& address = addresses_.Of(*op);
      const bool below = absl::StartsWith(address.scope, path) && !path.empty() &&
                         (address.scope.size() == path.size() || address.scope[path.size()] == '/');
      if (below || address.node->name == item) found.push_back(op);
    }
    return found;
  }

  absl::StatusOr<Operations> OfType(const std::string& item, const std::string& type) const {
    Operations found;
    std::vector<std::string> types;
    for (const ir::Operation* op : all_) {
      types.push_back(addresses_.Of(*op).node->op_type);
      if (types.back() == type) found.push_back(op);
    }
    if (!found.empty()) return found;
    for (std::string& known : types) known = absl::StrCat(kType, known);
    return Nothing(item, "is the type of no node", types);
  }

  absl::StatusOr<Operations> OfExpression(std::string item) const {
    const std::string whole = item;
    item.erase(item.find(std::string(kRegex)), kRegex.size());
    std::vector<std::string> scopes;
    for (const ir::Operation* op : all_) scopes.push_back(addresses_.Of(*op).scope);
    const absl::StatusOr<std::vector<bool>> matches = FoundIn(item, scopes);
    if (!matches.ok())
      return absl::Status(
          matches.status().code(),
          absl::StrCat("scope `", whole.substr(0, kMostShown),
                       whole.size() > kMostShown ? ".." : "", "` ", matches.status().message()));
    Operations found;
    for (size_t i = 0; i < all_.size(); ++i) {
      if ((*matches)[i]) found.push_back(all_[i]);
    }
    if (!found.empty()) return found;
    return Nothing(whole, "is found in no address", {});
  }

  absl::StatusOr<Operations> Between(const std::string& item, const std::string& rest) const {
    const size_t dots = rest.find("..");
    if (dots == std::string::npos)
      return absl::InvalidArgumentError(absl::StrCat("scope `", item, "` must be `{between}A..B`"));
    const absl::StatusOr<Operations> from = Match(rest.substr(0, dots));
    if (!from.ok()) return from.status();
    const absl::StatusOr<Operations> to = Match(rest.substr(dots + 2));
    if (!to.ok()) return to.status();
    const std::set<int> behind = Reached(*from, true), before = Reached(*to, false);
    Operations found;
    for (const ir::Operation* op : all_) {
      if (behind.contains(op->id()) && before.contains(op->id())) found.push_back(op);
    }
    if (!found.empty()) return found;
    return Nothing(item, "is empty: there is no way from the first to the second", {});
  }

  // Linear in the graph, whatever the number of ways.
  static std::set<int> Reached(Operations open, bool forward) {
    std::set<int> seen;
    while (!open.empty()) {
      const ir::Operation* op = open.back();
      open.pop_back();
      if (!seen.insert(op->id()).second) continue;
      if (forward) {
        for (const ir::Value* result : op->results()) {
          for (const ir::Use& use : result->UsesUnsorted()) open.push_back(use.op);
        }
      } else {
        for (const ir::Value* operand : op->operands()) {
          if (operand != nullptr && operand->producer() != nullptr)
            open.push_back(operand->producer());
        }
      }
    }
    return seen;
  }

  const Addresses& addresses_;
  Operations all_;
};

}  // namespace

absl::StatusOr<std::vector<const ir::Operation*>> Matching(const ir::Graph& graph,
                                                           const Addresses& addresses,
                                                           const std::string& item) {
  return Matcher(graph, addresses).Match(item);
}

absl::StatusOr<ScopeFilter> ScopeFilter::Create(const ir::Graph& graph, const Addresses& addresses,
                                                const std::vector<std::string>& target,
                                                const std::vector<std::string>& ignored) {
  const Matcher matcher(graph, addresses);
  ScopeFilter filter;
  filter.all_ = target.empty();
  for (const std::string& item : target) {
    const absl::StatusOr<Operations> found = matcher.Match(item);
    if (!found.ok()) return found.status();
    for (const ir::Operation* op : *found) filter.targets_.insert(op->id());
  }
  for (const std::string& item : ignored) {
    const absl::StatusOr<Operations> found = matcher.Match(item);
    if (!found.ok()) return found.status();
    for (const ir::Operation* op : *found) filter.ignored_.emplace(op->id(), item);
  }
  return filter;
}

bool ScopeFilter::Contains(const ir::Operation& op) const {
  return (all_ || targets_.contains(op.id())) && !ignored_.contains(op.id());
}

std::string ScopeFilter::IgnoredBy(const ir::Operation& op) const {
  const auto found = ignored_.find(op.id());
  return found == ignored_.end() ? "" : found->second;
}

}  // namespace tessera::compression
