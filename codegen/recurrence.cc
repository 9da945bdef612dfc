#include "codegen/recurrence.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/expression_printer.h"

namespace tessera::codegen {
namespace {

// `slope * t + offset`, where t is the sequential index; absent: unbounded.
struct Bound {
  int64_t slope = 0, offset = 0;
};
struct Interval {
  std::optional<Bound> lo, hi;
};

constexpr int64_t kMostDigits = int64_t{1} << 31;  // what texts of indices may add up to

std::optional<Bound> Add(const std::optional<Bound>& a, const std::optional<Bound>& b) {
  if (!a || !b) return std::nullopt;
  const Bound sum{a->slope + b->slope, a->offset + b->offset};
  if (std::max(std::abs(sum.offset), std::abs(sum.slope)) > kMostDigits) return std::nullopt;
  return sum;
}

std::optional<Bound> Negated(const std::optional<Bound>& a) {
  if (!a) return std::nullopt;
  return Bound{-a->slope, -a->offset};
}

Interval Constant(int64_t value) {
  if (std::abs(value) > kMostDigits) return {};
  return {Bound{0, value}, Bound{0, value}};
}

const NodePtr* ExtentOf(const RefStatement& ref, size_t index) {
  return ref.indices[index].list == nullptr ? nullptr : &ref.indices[index].list;
}

// What the extent of the sequential axis is called: two members advance together if it is the same.
std::string ExtentText(const Op& op, const RefStatement& ref, size_t index) {
  if (const NodePtr* extent = ExtentOf(ref, index)) return ExpressionText(*extent);
  for (const Operand& result : op.outputs) {
    if (result.name == ref.target && index < result.form.dims.size())
      return result.form.dims[index].name;
  }
  return "";
}

class RecurrenceChecker {
 public:
  RecurrenceChecker(const Op& op, const std::vector<const RefStatement*>& members,
                    Diagnostics& diagnostics)
      : op_(op), members_(members), diagnostics_(diagnostics) {
    const RefIndex& index = members[0]->indices[*SequentialIndex(*members[0])];
    name_ = index.name;
    forward_ = index.order == RefIndex::kForward;
    for (const AttributeDecl& attribute : op.attributes) Attribute(attribute);
    for (const Operand& operand : op.inputs) {
      for (const FormEntry& entry : operand.form.dims) {
        if (!entry.name.empty() && !entry.pack) names_[entry.name] = {Bound{0, 0}, std::nullopt};
      }
    }
  }

  void Run() {
    for (size_t m = 0; m < members_.size(); ++m) {
      const RefStatement& member = *members_[m];
      const size_t at = *SequentialIndex(member);
      if (ExtentText(op_, member, at) != ExtentText(op_, *members_[0], Sequential(0)))
        Error(member.place,
              absl::StrCat("`", member.target, "` and `", members_[0]->target,
                           "` advance together along `", name_, "`, over the same extent"));
      for (size_t i = 0; i < at; ++i) {
        if (member.indices[i].pack)
          Error(member.indices[i].place, "a pack stands behind the sequential index");
      }
      Visit(member.value, m, false);
    }
  }

 private:
  size_t Sequential(size_t member) const { return *SequentialIndex(*members_[member]); }

  void Error(Place place, const std::string& message) { diagnostics_.Error(place, message); }

  // What `where` says of an integer attribute.
  void Attribute(const AttributeDecl& attribute) {
    if (attribute.kind != "int" || attribute.list) return;
    Interval& interval = names_[attribute.name];
    if (attribute.where != nullptr) Where(attribute.where, interval);
  }

  void Where(const NodePtr& node, Interval& interval) {
    if (node->kind != Node::kBinary) return;
    if (node->text == "&&") {
      Where(node->children[0], interval);
      Where(node->children[1], interval);
      return;
    }
    if (node->children[0]->kind != Node::kName || node->children[0]->text != "it") return;
    const Interval bound = Of(node->children[1]);
    if (node->text == ">") interval.lo = Add(bound.lo, Bound{0, 1});
    if (node->text == ">=") interval.lo = bound.lo;
    if (node->text == "<") interval.hi = Add(bound.hi, Bound{0, -1});
    if (node->text == "<=") interval.hi = bound.hi;
  }

  Interval Of(const NodePtr& node) const {
    if (node->kind == Node::kInt) return Constant(node->int_value);
    if (node->kind == Node::kName) {
      const auto found = names_.find(node->text);
      if (found != names_.end()) return found->second;
      return node->text == name_ ? Interval{Bound{1, 0}, Bound{1, 0}} : Interval{};
    }
    if (node->kind == Node::kUnary && node->text == "-") {
      const Interval a = Of(node->children[0]);
      return {Negated(a.hi), Negated(a.lo)};
    }
    if (node->kind == Node::kBinary && (node->text == "+" || node->text == "-")) {
      const Interval a = Of(node->children[0]), b = Of(node->children[1]);
      if (node->text == "+") return {Add(a.lo, b.lo), Add(a.hi, b.hi)};
      return {Add(a.lo, Negated(b.hi)), Add(a.hi, Negated(b.lo))};
    }
    return {};
  }

  int Member(const NodePtr& node) const {
    if (node->kind != Node::kName) return -1;
    for (size_t m = 0; m < members_.size(); ++m) {
      if (members_[m]->target == node->text) return static_cast<int>(m);
    }
    return -1;
  }

  // Reads within `node`, which is part of member `reader`; `guarded`: what lies outside is `??`.
  void Visit(const NodePtr& node, size_t reader, bool guarded) {
    if (node->kind == Node::kCoalesce) {
      Visit(node->children[0], reader, true);
      Visit(node->children[1], reader, false);
      return;
    }
    if (Member(node) >= 0) {
      Error(node->place, absl::StrCat("`", node->text, "` is read by index while it is computed"));
      return;
    }
    size_t first = 0;
    if (node->kind == Node::kIndex && Member(node->children[0]) >= 0) {
      Read(*node, static_cast<size_t>(Member(node->children[0])), reader, guarded);
      first = 1;
    }
    const auto outer = names_;
    for (const Binder& binder : node->binders) {
      Visit(binder.from, reader, false);
      if (binder.to != nullptr) Visit(binder.to, reader, false);
      Interval range;
      if (binder.to != nullptr && !binder.pack)
        range = {Of(binder.from).lo, Add(Of(binder.to).hi, Bound{0, -1})};
      names_[binder.name] = range;
    }
    for (size_t i = first; i < node->children.size(); ++i) Visit(node->children[i], reader, false);
    for (const auto& [key, child] : node->named) Visit(child, reader, false);
    names_ = outer;
  }

  void Read(const Node& node, size_t member, size_t reader, bool guarded) {
    const RefStatement& read = *members_[member];
    const size_t at = Sequential(member);
    // Spreads could shift the position of what follows.
    for (size_t i = 0; i < at && i + 1 < node.children.size(); ++i) {
      if (node.children[i + 1]->kind == Node::kSpread ||
          node.children[i + 1]->kind == Node::kBroadcast)
        return Error(node.children[i + 1]->place, "a pack stands behind the sequential index");
    }
    if (node.children.size() <= at + 1)
      return Error(node.place, absl::StrCat("`", read.target, "` has more indices"));
    const NodePtr& index = node.children[at + 1];
    const Interval interval = Of(index);
    // Of the same position only what stands above has been computed.
    const int64_t least = member < reader ? 0 : 1;
    const char* side = forward_ ? "before" : "after";
    const auto behind = [&](const std::optional<Bound>& bound, int64_t sign) {
      return bound && bound->slope == 1 && sign * bound->offset <= -least;
    };
    if (!behind(forward_ ? interval.hi : interval.lo, forward_ ? 1 : -1))
      return Error(index->place,
                   absl::StrCat("`", read.target, "` is read at `", ExpressionText(index),
                                "`, which is not shown to be ", side, " `", name_, "`"));
    const bool here = interval.lo && interval.hi && interval.lo->slope == 1 &&
                      interval.hi->slope == 1 && interval.lo->offset == 0 &&
                      interval.hi->offset == 0;
    const bool inside =
        forward_ && interval.lo && interval.lo->slope == 0 && interval.lo->offset >= 0;
    if (!guarded && !here && !inside)
      Error(index->place, absl::StrCat("the first position has none before it: `", read.target,
                                       "[...] ?? v` says what is read there"));
  }

  const Op& op_;
  const std::vector<const RefStatement*>& members_;
  Diagnostics& diagnostics_;
  std::string name_;
  bool forward_ = true;
  std::map<std::string, Interval> names_;
};

}  // namespace

std::optional<size_t> SequentialIndex(const RefStatement& ref) {
  for (size_t i = 0; i < ref.indices.size(); ++i) {
    if (ref.indices[i].order != RefIndex::kAnyOrder) return i;
  }
  return std::nullopt;
}

std::vector<std::vector<const RefStatement*>> RefGroups(const Op& op) {
  std::vector<std::vector<const RefStatement*>> groups;
  const RefIndex* last = nullptr;
  for (const RefStatement& ref : op.refs) {
    if (ref.kind == RefStatement::kExtern || ref.kind == RefStatement::kFast) continue;
    const std::optional<size_t> at = SequentialIndex(ref);
    const RefIndex* index = at ? &ref.indices[*at] : nullptr;
    const bool together = index != nullptr && last != nullptr && index->name == last->name &&
                          index->order == last->order;
    if (!together) groups.emplace_back();
    groups.back().push_back(&ref);
    last = index;
  }
  return groups;
}

void CheckRecurrences(const Op& op, Diagnostics& diagnostics) {
  for (const std::vector<const RefStatement*>& group : RefGroups(op)) {
    bool sound = true;
    for (const RefStatement* ref : group) {
      size_t sequential = 0;
      for (const RefIndex& index : ref->indices) {
        if (index.order == RefIndex::kAnyOrder) continue;
        if (++sequential > 1 || index.pack || ref->kind == RefStatement::kEach) {
          diagnostics.Error(index.place, "one index of a temp or result may be sequential");
          sound = false;
        }
      }
    }
    if (sound && SequentialIndex(*group[0])) RecurrenceChecker(op, group, diagnostics).Run();
  }
}

}  // namespace tessera::codegen
