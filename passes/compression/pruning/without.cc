#include "passes/compression/pruning/without.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace tessera::compression {
namespace {

using solver::Expr;

// By what their node makes first, which no edit renames.
using Parts = std::map<std::string, std::vector<const ir::Operation*>>;

std::string MadeBy(const Address& address) {
  return address.node == nullptr ? "" : FirstMadeBy(*address.node);
}

// Those that outputs are made of: what sizes alone are computed by may become anything.
Parts PartsOf(const ir::Graph& graph, const Addresses& addresses) {
  const std::vector<ir::Operation*> order = graph.TopologicalOrder();
  std::set<int> used;  // values
  for (const ir::Value* output : graph.outputs()) used.insert(output->id());
  std::vector<const ir::Operation*> live;
  for (auto op = order.rbegin(); op != order.rend(); ++op) {
    if (std::none_of((*op)->results().begin(), (*op)->results().end(),
                     [&](const ir::Value* result) { return used.contains(result->id()); }))
      continue;
    live.push_back(*op);
    for (const ir::Value* operand : (*op)->operands()) {
      if (operand != nullptr) used.insert(operand->id());
    }
  }
  Parts parts;
  for (auto op = live.rbegin(); op != live.rend(); ++op) {
    const std::string made = MadeBy(addresses.Of(**op));
    if (!made.empty()) parts[made].push_back(*op);
  }
  return parts;
}

class Comparison {
 public:
  explicit Comparison(const Removed& removed) : removed_(removed) {}

  bool SameSizes(const ir::Value& before, const ir::Value& after) const {
    const std::vector<Expr> wanted = DimsWithout(before, removed_);
    const std::vector<Expr>& dims = after.type().dims;
    if (wanted.size() != dims.size()) return false;
    for (size_t a = 0; a < dims.size(); ++a) {
      const std::optional<int64_t> x = wanted[a].Constant(), y = dims[a].Constant();
      if (x && y && *x != *y) return false;
    }
    return true;
  }

  // What is known of the numbers.
  bool SameNumbers(const ir::Value& before, const ir::Value& after) const {
    if (before.constant() != nullptr && after.constant() != nullptr)
      return ir::Identical(WithoutRemoved(before, *before.constant(), removed_), *after.constant());
    const std::vector<Expr>*x = before.elements(), *y = after.elements();
    if (x == nullptr || y == nullptr || DimsWithout(before, removed_) != before.type().dims)
      return true;
    // They belong to two contexts.
    if (x->size() != y->size()) return false;
    for (size_t i = 0; i < x->size(); ++i) {
      if ((*x)[i].ToString() != (*y)[i].ToString()) return false;
    }
    return true;
  }

  bool SameTensor(const ir::Value* before, const ir::Value* after) const {
    if (before == nullptr || after == nullptr) return before == after;
    if (before->kind() != ir::Value::Kind::kTensor) return true;
    return SameSizes(*before, *after) && SameNumbers(*before, *after);
  }

  bool SameAttributes(const ir::Operation& before, const ir::Operation& after) const {
    const std::map<int64_t, int64_t> sizes = SizesThatShrink(before, removed_);
    for (size_t i = 0; i < before.attrs().size(); ++i) {
      const ir::Attribute &x = before.attr(i), &y = after.attr(i);
      if (x.index() != y.index()) return false;
      // Sizes show in what is made.
      if (std::holds_alternative<Expr>(x) || std::holds_alternative<std::vector<Expr>>(x)) continue;
      const auto* number = std::get_if<int64_t>(&x);
      if (!(x == y) &&
          (number == nullptr || !CountsLeft(*number, sizes).contains(std::get<int64_t>(y))))
        return false;
    }
    return true;
  }

  bool Same(const ir::Operation& before, const ir::Operation& after) const {
    if (&before.info() != &after.info() || before.results().size() != after.results().size() ||
        before.operands().size() != after.operands().size() || !SameAttributes(before, after))
      return false;
    for (size_t i = 0; i < before.operands().size(); ++i) {
      if (!SameTensor(before.operand(i), after.operand(i))) return false;
    }
    for (size_t i = 0; i < before.results().size(); ++i) {
      if (!SameTensor(before.result(i), after.result(i))) return false;
    }
    return true;
  }

 private:
  const Removed& removed_;
};

// What is something else in `made` than in the network without the entries; empty: nothing.
std::string WhatDiffers(const BuildContext& context, const Removed& removed, const ir::Graph& made,
                        const Addresses& addresses) {
  const Comparison comparison(removed);
  const Parts before = PartsOf(context.graph, context.addresses), after = PartsOf(made, addresses);
  std::set<std::string> seen;
  for (const ir::Operation* op : context.graph.TopologicalOrder()) {
    const Address& address = context.addresses.Of(*op);
    const std::string key = MadeBy(address);
    const auto live = before.find(key);
    if (key.empty() || live == before.end() || !seen.insert(key).second) continue;
    const std::vector<const ir::Operation*>& parts = live->second;
    const auto found = after.find(key);
    bool same = found != after.end() && found->second.size() == parts.size();
    for (size_t i = 0; same && i < parts.size(); ++i)
      same = comparison.Same(*parts[i], *found->second[i]);
    if (!same) return absl::StrCat("node `", address.node->name, "`");
  }
  for (size_t i = 0; i < context.graph.outputs().size(); ++i) {
    if (!comparison.SameTensor(context.graph.outputs()[i], made.outputs()[i]))
      return absl::StrCat("output `", context.graph.output_names()[i], "`");
  }
  return "";
}

class Trials {
 public:
  Trials(const BuildContext& context, const std::function<Removed(size_t, size_t)>& choose,
         const std::string& algorithm)
      : context_(context), choose_(choose), algorithm_(algorithm) {}

  // Why [first, last) cannot go; empty: they can.
  std::string WhyNot(size_t first, size_t last, bool recounts) const {
    const Removed removed = choose_(first, last);
    if (removed.empty()) return "";
    absl::StatusOr<std::vector<Command>> commands =
        RemovalOf(context_, removed, {}, {}, recounts, algorithm_);
    absl::Status status = commands.status();
    std::string differs;
    if (status.ok()) {
      status = context_.try_out(*std::move(commands),
                                [&](const ir::Graph& made, const Addresses& addresses) {
                                  differs = WhatDiffers(context_, removed, made, addresses);
                                  return absl::OkStatus();
                                });
    }
    if (!status.ok()) return absl::StrCat("cannot go: ", status.message());
    return differs.empty() ? "" : absl::StrCat("is counted by ", differs);
  }

  // By halves: few are at fault.
  void Sift(size_t first, size_t last, std::map<size_t, std::string>& found) const {
    std::string reason = WhyNot(first, last, false);
    if (reason.empty() || WhyNot(first, last, true).empty()) return;
    if (last - first == 1) {
      found.emplace(first, std::move(reason));
      return;
    }
    const size_t middle = first + (last - first) / 2;
    Sift(first, middle, found);
    Sift(middle, last, found);
  }

 private:
  const BuildContext& context_;
  const std::function<Removed(size_t, size_t)>& choose_;
  const std::string& algorithm_;
};

}  // namespace

Stays WhatStays(const BuildContext& context, size_t groups,
                const std::function<Removed(size_t first, size_t last)>& choose,
                const std::string& algorithm) {
  Stays stays;
  if (context.try_out == nullptr) return stays;
  const Trials trials(context, choose, algorithm);
  if (trials.WhyNot(0, groups, false).empty()) return stays;
  stays.recounts = true;
  const std::string reason = trials.WhyNot(0, groups, true);
  if (reason.empty()) return stays;
  trials.Sift(0, groups, stays.groups);
  // Each could go, and all together cannot.
  if (stays.groups.empty()) {
    for (size_t g = 0; g < groups; ++g) stays.groups.emplace(g, reason);
  }
  return stays;
}

}  // namespace tessera::compression
